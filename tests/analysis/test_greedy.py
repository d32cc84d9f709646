"""Greedy admission: the thesis's algorithm, in fewer predictions."""

import pytest

from analysis.admission_worlds import drawn_world, one_by_one
from simulation.worlds import chain, const, make_world, subscriber
from tidings.analysis.greedy import admitted_greedily
from tidings.analysis.priorities import ONLINE, PRIORITIES, order_of
from tidings.analysis.trials import Trials
from tidings.scenario.world import LinkLaw


def order(trials, name):
    """Of a world."""
    return order_of(name, trials.world.subscribers, trials.world.seed, trials.ground)


@pytest.mark.parametrize("per_subscription", [False, True])
@pytest.mark.parametrize("name", [*PRIORITIES[:3], ONLINE])
def test_as_one_by_one(seeds, name, per_subscription):
    """The same subscribers as by one whole prediction for each of them."""
    for seed in seeds:
        world = drawn_world(seed, 7, per_subscription=per_subscription, service_ms=30 if per_subscription else 130)
        trials = Trials(world)
        line = [one.id for one in order(trials, name)(world.subscribers, ())]
        assert list(admitted_greedily(trials, order(trials, name))) == one_by_one(world, line), (seed, name)


def test_all_of_many():
    """Where everybody can be in, tries double: few predictions for many."""
    world = make_world(subscribers=[subscriber(f"s{number}", "b", requires=0.5) for number in range(200)])
    trials = Trials(world)
    assert len(admitted_greedily(trials, order(trials, "random"))) == 200
    assert trials.predictions < 20


def test_nobody():
    """Without subscribers, or with none that can be served."""
    late = subscriber("s", "b", deadline_ns=1, requires=0.5)
    world = make_world(links=chain("ab", LinkLaw(delay=const(10))), subscribers=[late])
    trials = Trials(world)
    assert admitted_greedily(trials, order(trials, "random")) == ()
    assert trials.predictions == 1
