"""From flows to subscribers: shares that add up, edges that have a reason."""

import pytest

from simulation.worlds import const, make_world, publisher, subscriber
from tidings.analysis.delay_law import TimeGrid, constant_delay, delay_of, never
from tidings.analysis.flows import flows_of
from tidings.analysis.interest import Interest
from tidings.analysis.shown import Audience, Shown, first_blocked
from tidings.analysis.trees import Trees
from tidings.scenario.world import Mobility
from tidings.vocabulary.distribution import Exponential
from tidings.vocabulary.instant import FOREVER, SECOND

GRID = TimeGrid(10.0 * SECOND)


def audience(world, show):
    """Of a world's flows; `show` says what is shown at the one place where a subscriber is, or None."""

    def at_one_place(flow, one):
        found = show(flow, one)
        return [] if found is None else [(1.0, found)]

    return Audience(flows_of(world, Interest(world.subscribers), Trees(world)), at_one_place)


def shown(survives=1.0, delay=None, limit=FOREVER, lifetime=FOREVER, blocked=None):
    """One flow at one place."""
    return Shown(survives, delay or constant_delay(GRID, 1.0 * SECOND), limit, lifetime, blocked)


def test_shares():
    """Nine of ten survive; of those half are on time, the rest late until they expire."""
    delay = delay_of(GRID, Exponential(1.0 * SECOND))
    one = shown(0.9, delay, limit=0.6931472 * SECOND, lifetime=2 * SECOND)
    world = make_world()
    found = audience(world, lambda flow, subscriber: one).forecast(world.subscribers[0])
    assert found.reliability == pytest.approx(0.45, abs=1e-3)
    assert found.reliability + found.late + found.expired + found.lost == pytest.approx(1.0)
    assert found.lost == pytest.approx(0.1)
    assert found.expired == pytest.approx(0.9 * 0.1353, abs=1e-3)
    assert found.rate == pytest.approx(10.0)
    assert found.reason is None
    assert found.delay_s[0] < found.delay_mean_s < found.delay_s[2] <= 2.0


def test_two_publishers_are_weighted_by_rate():
    """Three times as many events from the one that gets through."""
    world = make_world(publishers=[publisher("p", every=const(100)), publisher("q", broker="b", every=const(300))])
    found = audience(world, lambda flow, _: shown() if flow.source.broker == "a" else shown(0.0))
    assert found.forecast(world.subscribers[0]).reliability == pytest.approx(0.75)


def test_alike_subscribers_are_summed_once():
    """The same filter at the same place, the same answer."""
    world = make_world(subscribers=[subscriber("r", "b"), subscriber("s", "b"), subscriber("u", "b", deadline_ns=5)])
    asked = []
    found = audience(world, lambda flow, one: asked.append(one.id) or shown())
    assert found.forecast(world.subscribers[0]) is found.forecast(world.subscribers[1])
    found.forecast(world.subscribers[2])
    assert asked == ["r", "u"]


def test_nothing_wanted():
    """1, with the reason: nothing can be missed."""
    world = make_world(subscribers=[subscriber("s", "b", "false", topics=(), requires=0.9)])
    found = audience(world, lambda flow, _: shown()).forecast(world.subscribers[0])
    assert (found.reliability, found.rate, found.delay_mean_s) == (1.0, 0.0, None)
    assert "nothing" in found.reason
    assert not found.unmet


@pytest.mark.parametrize("gone", [None, shown(0.0)])
def test_not_reachable(gone):
    """0, with the reason."""
    world = make_world(subscribers=[subscriber("s", "b", requires=0.9)])
    found = audience(world, lambda flow, _: gone).forecast(world.subscribers[0])
    assert (found.reliability, found.lost, found.delay_mean_s) == (0.0, 1.0, None)
    assert "not reachable" in found.reason
    assert found.unmet


@pytest.mark.parametrize("lifetime", [FOREVER, SECOND])
def test_overloaded(lifetime):
    """Nothing in time, late for ever or expired; the reason names the broker."""
    world = make_world()
    one = shown(1.0, never(GRID), limit=lifetime, lifetime=lifetime, blocked="b")
    found = audience(world, lambda flow, _: one).forecast(world.subscribers[0])
    assert found.reliability == 0.0
    assert found.late + found.expired == pytest.approx(1.0)
    assert "b, which gets more" in found.reason


def test_filters_on_any_topic():
    """A subscriber without a finite set of topics looks at every flow."""
    world = make_world(subscribers=[subscriber("s", "b", "true")])
    assert audience(world, lambda flow, _: shown()).forecast(world.subscribers[0]).rate == pytest.approx(10.0)


def test_several_places():
    """Who is here for a quarter of the time gets a quarter of what is shown here."""
    world = make_world()
    flows = flows_of(world, Interest(world.subscribers), Trees(world))
    found = Audience(flows, lambda flow, one: [(0.25, shown()), (0.5, shown(0.5))]).forecast(world.subscribers[0])
    assert found.reliability == pytest.approx(0.5)
    assert found.rate == pytest.approx(10.0)


def test_who_roams_and_is_nowhere():
    """0, and the reason is not a way that fails."""
    walker = Mobility(model="random-waypoint", options={})
    world = make_world(subscribers=[subscriber("s", "b", mobility=walker)])
    found = audience(world, lambda flow, _: None).forecast(world.subscribers[0])
    assert (found.reliability, found.lost) == (0.0, 1.0)
    assert "never in range" in found.reason


def test_first_blocked():
    """On the way, in its order."""
    assert first_blocked("abc", {"c": 1, "b": 1}) == "b"
    assert first_blocked("abc", {}) is None


def test_reliability_alone():
    """The same number as in the whole forecast, for every edge."""
    wants, bored = subscriber("s", "b"), subscriber("n", "b", "false", topics=())
    world = make_world(subscribers=[wants, bored])
    for one in (shown(0.75), shown(1.0, never(GRID), limit=SECOND, lifetime=SECOND, blocked="b"), None):
        for who in (wants, bored):
            found = audience(world, lambda flow, _, one=one: one)
            assert found.reliability(who) == found.forecast(who).reliability
            assert found.reliability(who) == found.reliability(who)
