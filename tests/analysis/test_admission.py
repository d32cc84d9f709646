"""Whom to admit: never below the thesis's priorities, as good as looking at all sets, with a reason for each."""

import json

import pytest

from analysis.admission_worlds import drawn_world, largest, only, satisfied
from scenario_texts import CONTRACT
from simulation.worlds import chain, changed, const, make_world, ms, publisher, serving, subscriber
from tidings.analysis.admission import WAYS, admit, requiring
from tidings.analysis.predicting import predict
from tidings.errors import InputError, NotImplementedYet
from tidings.scenario import expand, load_scenario
from tidings.scenario.world import LinkLaw, Ordering


@pytest.mark.parametrize("per_subscription", [False, True])
def test_the_best_way(seeds, per_subscription):
    """As many as any set; all of them get what they require; the others are refused with a reason."""
    for seed in seeds:
        world = drawn_world(seed, 6, per_subscription=per_subscription, service_ms=30 if per_subscription else 130)
        found = admit(world)
        assert found.proven
        assert len(found.admitted) == largest(world) == satisfied(world, found.admitted), seed
        assert len(found.admitted) >= max(found.heuristics.values())
        assert set(found.admitted) | set(found.refused) == {one.id for one in world.subscribers}
        assert found.uncontrolled == satisfied(world, [one.id for one in world.subscribers])
        predicted = predict(only(world, found.admitted)).subscribers
        for name in found.admitted:
            assert found.decisions[name].reliability == pytest.approx(predicted[name].reliability, abs=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_every_way(way):
    """Nobody who is in gets less than it requires; the document is JSON; refusals are true."""
    world = drawn_world(2, 7)
    found = admit(world, way)
    assert satisfied(world, found.admitted) == len(found.admitted)
    for name in found.refused:
        assert found.decisions[name].falling
        assert satisfied(world, [*found.admitted, name]) <= len(found.admitted)
    document = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert document["admitted"] == list(found.admitted)
    assert document["way"] == way
    assert set(document["decisions"]) == {one.id for one in world.subscribers}


def test_the_contract_of_load():
    """A hundred subscribers: far more than by any of the priorities, and each of them served."""
    world = expand(load_scenario(CONTRACT / "load.toml"))
    found = admit(world)
    assert len(found.admitted) > max(found.heuristics.values())
    assert satisfied(world, found.admitted) == len(found.admitted)
    assert all(one.reason for one in found.decisions.values())


def test_nobody_requires_anything():
    """All are in; asked for 0.9 they are not."""
    world = make_world(links=chain("ab", LinkLaw(loss=0.2)))
    found = admit(world)
    assert found.admitted == ("s",)
    assert found.decisions["s"].reason == "requires nothing, and gets 0.8000"
    asked = admit(requiring(world, 0.9))
    assert asked.refused == ("s",)
    assert asked.proven
    assert requiring(asked_of(world, 0.1), 0.9).subscribers[0].requires == 0.1


def asked_of(world, share):
    """With this requirement."""
    return changed(world, subscribers=tuple(changed(one, requires=share) for one in world.subscribers))


def test_what_nobody_can_have():
    """Overloaded by the publishers alone, not reachable, wanting nothing: an answer with a reason, for each."""
    world = make_world(
        [serving("a", ms(200)), "b", "c"],
        links=chain("ab", LinkLaw(delay=const(10), loss=1.0)) + chain("bc"),
        publishers=[publisher("p", "a", every=ms(100)), publisher("q", "b", "u")],
        subscribers=[
            subscriber("behind", "a", requires=0.5, deadline_ns=10**9),
            subscriber("cut", "c", requires=0.5),
            subscriber("bored", "c", 'topic == "none"', topics=("none",), requires=1.0),
            subscriber("fine", "c", 'topic == "u"', topics=("u",), requires=1.0),
        ],
    )
    found = admit(world)
    assert found.refused == ("behind", "cut")
    assert "gets more than it can carry" in found.decisions["behind"].reason
    assert "not reachable" in found.decisions["cut"].reason
    assert found.overloaded == ("a",)
    json.dumps(found.to_json(), allow_nan=False)


def test_nobody_at_all():
    """A world without subscribers."""
    found = admit(changed(make_world(), subscribers=()))
    assert (found.admitted, found.refused, found.proven, found.uncontrolled) == ((), (), True, 0)


def test_what_cannot_be_done():
    """A way that there is not, and a world that cannot be predicted."""
    with pytest.raises(InputError, match="no way 'luck'"):
        admit(make_world(), "luck")
    with pytest.raises(NotImplementedYet):
        admit(changed(make_world(), ordering=Ordering(guarantee="total")))
