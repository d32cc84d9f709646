"""Predictions of one world with others in it: the same as whole predictions, and nobody gains when somebody joins."""

import itertools

import pytest

from analysis.admission_worlds import drawn_world, only, satisfied
from simulation.worlds import chain, changed, const, make_world, subscriber
from tidings.analysis.predicting import predict
from tidings.analysis.trials import Trials
from tidings.scenario.world import LinkLaw
from tidings.vocabulary.instant import SECOND


@pytest.mark.parametrize("per_subscription", [False, True])
def test_as_a_whole_prediction(per_subscription):
    """Of every pair of subscribers."""
    world = drawn_world(1, 4, service_ms=60, per_subscription=per_subscription)
    trials = Trials(world)
    for names in itertools.combinations(trials.by_id, 2):
        found, trial = predict(only(world, names)), trials.of(names)
        for name in names:
            assert trial.reliability(trials.by_id[name]) == pytest.approx(found.subscribers[name].reliability, abs=1e-9)
        assert tuple(one.id for one in trial.unserved) == found.unmet
        assert trial.holds == (satisfied(world, names) == 2) == trials.holds(names)


@pytest.mark.parametrize("per_subscription", [False, True])
def test_nobody_gains_when_somebody_joins(seeds, per_subscription):
    """What all decisions rely on: a listener gets no less than a member, a member no less than before others came."""
    for seed in seeds:
        world = drawn_world(seed, 5, per_subscription=per_subscription, service_ms=120 if not per_subscription else 40)
        trials, inside = Trials(world), []
        for one in world.subscribers:
            before, after = trials.of(inside), trials.of([*inside, one.id])
            for other in world.subscribers:
                assert after.reliability(other) <= before.reliability(other) + 1e-9, (seed, one.id, other.id)
            inside.append(one.id)


def test_verdicts_are_remembered():
    """Neither the same set in another order nor a recent prediction is worked out again; old ones are dropped."""
    world = drawn_world(2)
    trials = Trials(world)
    names = list(trials.by_id)
    assert trials.of(names) is trials.of(reversed(names))
    trials.holds(names)
    assert trials.predictions == 1
    for name in names:
        trials.holds([name])
    assert trials.predictions == 1 + len(names)
    trials.holds(names)
    assert trials.predictions == 1 + len(names)
    trials.of(names)
    assert trials.predictions == 2 + len(names)


def test_who_requires_nothing_is_served():
    """Whatever it gets."""
    late = [subscriber("s", "b", deadline_ns=1), subscriber("r", "b", deadline_ns=1, requires=0.1)]
    world = make_world(links=chain("ab", LinkLaw(delay=const(10))), subscribers=late)
    trial = Trials(world).of(["r", "s"])
    assert [trial.serves(one) for one in world.subscribers] == [True, False]
    assert [one.id for one in trial.unserved] == ["r"]


def test_share_of_time():
    """Who is there half of the run is half a subscription."""
    world = make_world(subscribers=[subscriber("s", "b"), subscriber("h", "b", joins_ns=5 * SECOND)])
    assert Trials(world).weights == pytest.approx({"s": 1.0, "h": 0.5})


def test_newcomers_on_known_ground():
    """Trees, sources and failures are taken over; deadlines by publisher tell publishers apart, so sources are not."""
    world = drawn_world(3)
    known = Trials(world)
    newcomer = subscriber("new", "c", 'topic == "t" and x <= 3', topics=("t",))
    joined = changed(world, subscribers=(*world.subscribers, newcomer))
    trials = Trials(joined, ground=known.ground)
    assert trials.ground.sources is known.ground.sources
    found = predict(joined).subscribers["new"].reliability
    assert trials.of(trials.by_id).reliability(newcomer) == pytest.approx(found, abs=1e-9)
    picky = subscriber("picky", "c", deadlines={"p0": 1})
    assert Trials(changed(world, subscribers=(picky,)), ground=known.ground).ground.sources is not known.ground.sources
