"""Home brokers: as by trying every broker, with fewer predictions and a reason."""

import dataclasses
import json

import pytest

from analysis.admission_worlds import drawn_world
from scenario_texts import world_of
from simulation.worlds import chain, changed, const, make_world, ms, publisher, serving, subscriber
from tidings.analysis.admission import admit
from tidings.analysis.door import Door
from tidings.analysis.placing import Placing, place
from tidings.analysis.predicting import predict
from tidings.analysis.trials import Trials
from tidings.errors import InputError, NotImplementedYet
from tidings.scenario.world import LinkLaw, Ordering


def tried(world, name):
    """Reliability at each broker, by a whole prediction of each."""
    found = {}
    for broker in world.brokers:
        moved = tuple(changed(one, broker=broker.id) if one.id == name else one for one in world.subscribers)
        found[broker.id] = predict(dataclasses.replace(world, subscribers=moved)).subscribers[name].reliability
    return found


@pytest.mark.parametrize("per_subscription", [False, True])
def test_as_by_trying_every_broker(seeds, per_subscription):
    """The best reliability of all, and bounds that are none too low."""
    for seed in seeds:
        world = drawn_world(seed, 5, per_subscription=per_subscription, service_ms=40 if per_subscription else 150)
        for name, home in place(world).items():
            exact = tried(world, name)
            assert home.best_reliability == pytest.approx(max(exact.values()), abs=1e-5), (seed, name)
            assert home.best_reliability == pytest.approx(exact[home.best], abs=1e-9)
            assert home.reliability == pytest.approx(exact[home.home], abs=1e-9)
            assert all(home.at_most[broker] >= share - 1e-9 for broker, share in exact.items())
            assert home.gain >= 0


def line():
    """A slow broker in the middle, a lossy link at the end."""
    links = chain("ab", LinkLaw(delay=const(10))) + chain("bc", LinkLaw(delay=const(10), loss=0.2))
    return make_world(
        ["a", serving("b", ms(50)), "c"],
        links=links,
        publishers=[publisher(every=ms(100))],
        subscribers=[
            subscriber("s", "c", deadline_ns=10**9),
            subscriber("t", "b", deadline_ns=10**9),
            subscriber("u", "a"),
        ],
    )


def test_reasons():
    """What is better there, and what is no longer on the way."""
    found = place(line())
    assert found["s"].best == "a"
    assert found["s"].reason.startswith("a gives 1.0000, c 0.8")
    assert "0.0000 lost instead of 0.2000" in found["s"].reason
    assert "without broker b (0.1 s in the mean, load 0.5)" in found["s"].reason
    assert found["u"].best == "a"
    assert found["u"].reason.startswith("no broker gives more than a with 1.0000")
    json.dumps({name: one.to_json() for name, one in found.items()}, allow_nan=False)


def test_some_of_the_brokers():
    """Only those named are chosen from; home is kept where none of them is better."""
    assert place(line(), only="s", among=["b", "c"])["s"].best == "b"
    assert place(line(), only="u", among=["b", "c"])["u"].best == "a"
    alone = place(line(), only="u", among=["a"])["u"]
    assert alone.reason == "it has no choice: a gives 1.0000"


def test_alike_are_looked_at_once():
    """The same place, the same wishes, one answer."""
    alike = changed(line(), subscribers=tuple(subscriber(f"s{number}", "c") for number in range(9)))
    trials = Trials(alike)
    placing = Placing(trials, "abc")
    assert len({id(placing.of(one)) for one in alike.subscribers}) == 1
    assert trials.predictions < 6


def test_who_roams(tmp_path):
    """Has no home to choose."""
    text = """
tidings = 1
duration = "1000s"
[map]
size = [1000, 100]
range = 100
points = [[200, 50], [600, 50]]
[[publisher]]
id = "p"
topic = "t"
every = "1s"
[[subscriber]]
id = "s"
filter = 'topic == "t"'
mobility = { model = "trajectory", start = [0, 50], legs = [{ move = [1000, 0], lasting = "100s" }], repeat = true }
requires = 0.9
"""
    world = world_of(tmp_path, text)
    assert "it roams" in place(world)["s"].reason
    refused = admit(world).decisions["s"]
    assert "at an access point 0.4000 of the time" in refused.reason
    newcomer = world.subscribers[0]
    door = Door(changed(world, subscribers=()))
    assert door.ask(changed(newcomer, requires=0.3)).admitted


def test_bad_names():
    """Subscribers and brokers that there are not, and what cannot be predicted."""
    with pytest.raises(InputError, match="no subscriber 'x'"):
        place(line(), only="x")
    with pytest.raises(InputError, match="no broker 'z'"):
        place(line(), among=["a", "z"])
    with pytest.raises(NotImplementedYet):
        place(changed(line(), ordering=Ordering(guarantee="total")))
