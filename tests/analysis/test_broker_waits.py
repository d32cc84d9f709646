"""Waits at brokers: which theory holds where, and what it gives."""

import math

import pytest

from simulation.worlds import changed, const, make_world, ms, publisher, serving, subscriber
from tidings.analysis.broker_waits import (
    DISPERSED,
    EXACT,
    MEAN,
    broker_waits,
    poisson_brokers,
    scaled,
    service_laws,
)
from tidings.analysis.delay_law import TimeGrid
from tidings.analysis.failures import Failures
from tidings.analysis.flows import flows_of, traffic_of
from tidings.analysis.interest import Interest
from tidings.analysis.passing import passing_of
from tidings.analysis.trees import Trees
from tidings.scenario.world import Broker
from tidings.vocabulary.distribution import (
    Constant,
    Empirical,
    Exponential,
    Gamma,
    Hyperexponential,
    Normal,
    Uniform,
)
from tidings.vocabulary.instant import SECOND

GRID = TimeGrid(3.0 * SECOND)


def flows(world):
    """Of a world."""
    return flows_of(world, Interest(world.subscribers), Trees(world))


def waits(world, **more):
    """Of a world's brokers, means in seconds."""
    found = flows(world)
    traffic = traffic_of(found, passing_of(Failures(world), tuple(flow.source for flow in found)))
    return broker_waits(world, found, traffic, service_laws(world, len(world.subscribers)), **more)


def two(first, second, every=None):
    """Brokers a – b, both with a service law; everything published at a is wanted at b."""
    return make_world([serving("a", first), serving("b", second)], publishers=[publisher(every=every or ms(100))])


def test_poisson_all_the_way():
    """Behind an exponential service arrivals stay Poisson: both exact, M/M/1 then M/D/1."""
    found = waits(two(ms(80), const(50)))
    assert found["a"].method == found["b"].method == EXACT
    assert found["a"].mean / SECOND == pytest.approx(0.32)
    assert found["b"].mean / SECOND == pytest.approx(0.025)


def test_behind_a_constant_service():
    """Not Poisson any more: a service that is never longer than the one before never finds anybody."""
    found = waits(two(const(80), const(50)))
    assert found["b"].method == EXACT
    assert found["b"].mean == 0.0
    assert waits(two(const(80), Uniform(0.0, 80e6)))["b"].mean == 0.0
    assert waits(two(Empirical.of("x", [60e6, 70e6]), const(50)))["b"].mean == 0.0
    longer = waits(two(const(50), const(80)))["b"]
    assert (longer.method, longer.mean > 0) == (DISPERSED, True)
    assert waits(two(ms(80), const(50)))["b"].mean > 0


def test_one_clock():
    """D/M/1 is exact where the clock's publisher is alone, not where another joins it."""
    alone = waits(two(ms(60), ms(10), every=const(100)))
    assert (alone["a"].method, alone["b"].method) == (EXACT, DISPERSED)
    assert alone["a"].mean / SECOND == pytest.approx(0.0287919, rel=1e-4)
    joined = make_world(
        [serving("a", ms(30)), "b"], publishers=[publisher("p", every=const(100)), publisher("q", every=ms(100))]
    )
    assert waits(joined)["a"].method == DISPERSED


def test_many_exponential_publishers_are_poisson():
    """At their own broker also when each goes round its topics; further on a topic alone is not Poisson."""
    world = make_world(
        [serving("a", ms(10)), serving("b", ms(10))],
        publishers=[publisher(topic=("t", "u"), every=ms(50))],
        subscribers=[subscriber("s", "b", 'topic == "t"')],
    )
    assert poisson_brokers(flows(world), service_laws(world, 1)) == {"a"}


def test_without_service():
    """No time, no wait, no spread."""
    found = waits(make_world("ab"))
    assert (found["a"].mean, found["a"].jitter, found["a"].station.load) == (0.0, 0.0, 0.0)
    assert found["a"].law(GRID).within(0.0) == 1.0


def test_jitter():
    """M/M/1: the time spent is exponential, so its deviation is its mean."""
    found = waits(two(ms(80), ms(50)))
    assert found["a"].jitter / SECOND == pytest.approx(0.4)
    full = waits(two(ms(100), ms(50)))
    assert full["a"].jitter == math.inf


def test_laws():
    """Exact, shaped, and by the mean; overloaded has none."""
    exact = waits(two(ms(80), ms(50)))["a"].law(GRID)
    assert 1 - exact.within(1.0 * SECOND) == pytest.approx(math.exp(-2.5), abs=1e-3)
    shaped = waits(two(ms(60), ms(50), every=const(100)))["b"].law(GRID)
    assert shaped.mean == pytest.approx(waits(two(ms(60), ms(50), every=const(100)))["b"].mean + 0.05 * SECOND)
    by_mean = waits(two(ms(80), const(50)), by_mean=True)
    assert by_mean["a"].method == MEAN
    assert by_mean["b"].law(GRID).within(by_mean["b"].mean + 0.0501 * SECOND) == 1.0
    full = waits(two(ms(120), ms(50)), by_mean=True)["a"]
    assert full.law(GRID).within(3.0 * SECOND) == 0.0
    assert waits(two(ms(120), ms(50)))["a"].law(GRID).within(3.0 * SECOND) == 0.0


def test_services_grow_with_subscriptions():
    """Multiplied by what there is; with none there is nothing to match."""
    world = make_world([serving("a", ms(1), per_subscription=True), serving("b", ms(1))])
    laws = service_laws(world, 7)
    assert laws["a"].mean == 7 * laws["b"].mean
    assert service_laws(world, 0)["a"] is None
    free = changed(world, brokers=(serving("a", Constant(0.0)), Broker(id="b")))
    assert service_laws(free, 7) == {"a": None, "b": None}


@pytest.mark.parametrize(
    "law",
    [
        Constant(2.0),
        Uniform(1.0, 3.0),
        Normal(2.0, 0.5),
        Exponential(2.0),
        Gamma(2.0, 0.4),
        Hyperexponential(2.0, 3.0),
        Empirical.of("x", [1.0, 3.0]),
    ],
)
def test_scaled_laws(law):
    """Mean and deviation grow alike."""
    big = scaled(law, 5.0)
    assert big.mean == pytest.approx(5 * law.mean)
    assert big.scv == pytest.approx(law.scv)


def test_waits_by_neighbour():
    """What one broker has spaced waits less than what is published where it comes in."""
    world = make_world(
        [serving("a", const(50)), serving("b", const(50))],
        publishers=[publisher(every=ms(100)), publisher("q", "b", every=ms(200))],
    )
    found = waits(world)["b"]
    assert found.by_sender["a"].mean < found.mean < found.by_sender[""].mean
    assert found.law(GRID, "a").mean < found.law(GRID, "").mean
    assert found.law(GRID, "nobody").mean == pytest.approx(found.mean + 0.05 * SECOND)
    assert found.index < 1.0
    assert waits(two(ms(60), ms(10), every=const(100)))["a"].index < 0.9, "a clock, although its wait is exact"
