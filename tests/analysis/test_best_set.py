"""The largest set: as by looking at all sets, and never below what is known."""

import pytest

from analysis.admission_worlds import drawn_world, largest, satisfied
from simulation.worlds import changed, make_world, subscriber
from tidings.analysis.best_set import best_set
from tidings.analysis.trials import Trials
from tidings.vocabulary.instant import SECOND


@pytest.mark.parametrize("per_subscription", [False, True])
def test_as_by_looking_at_all(seeds, per_subscription):
    """The thesis's optimum: the highest utility of any of the 64 sets."""
    for seed in seeds:
        world = drawn_world(seed, 6, per_subscription=per_subscription, service_ms=30 if per_subscription else 130)
        trials = Trials(world)
        found = best_set(trials, (), predictions_max=1000)
        assert found.proven
        assert len(found.members) == largest(world) == satisfied(world, found.members), seed
        assert trials.predictions < 64


def test_ended_early():
    """It gives what it has, which is never less than what was known, and does not call it proven."""
    world = drawn_world(1, 6)
    found = best_set(Trials(world), ["s1"], predictions_max=1)
    assert len(found.members) >= 1
    assert not found.proven
    assert best_set(Trials(world), ["s1"], predictions_max=0).members == {"s1"}


def test_everybody_is_known():
    """Nothing to look for."""
    world = make_world()
    trials = Trials(world)
    assert best_set(trials, ["s"], predictions_max=9).proven
    assert trials.predictions == 0


def test_part_time_subscriptions():
    """Who is there for a while counts for a while: bounds use the shortest stays."""
    world = drawn_world(3, 6, per_subscription=True, service_ms=60)
    halves = tuple(
        changed(one, leaves_ns=5 * SECOND) if number % 2 else one for number, one in enumerate(world.subscribers)
    )
    half = changed(world, subscribers=halves)
    assert len(best_set(Trials(half), (), predictions_max=1000).members) == largest(half)


def test_one_at_the_edge():
    """Just as much as it gets can be required, and no more."""
    world = make_world(subscribers=[subscriber("s", "b", requires=1.0)])
    assert best_set(Trials(world), (), predictions_max=9).members == {"s"}
