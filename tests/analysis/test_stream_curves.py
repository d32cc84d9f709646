"""Indices of dispersion at brokers: rates, independence, and what travels together."""

import numpy as np
import pytest

from analysis.test_sources import trace
from simulation.worlds import chain, const, make_world, ms, publisher, serving, subscriber
from tidings.analysis.broker_waits import service_laws
from tidings.analysis.failures import Failures
from tidings.analysis.flows import flows_of, traffic_of
from tidings.analysis.interest import Interest
from tidings.analysis.passing import passing_of
from tidings.analysis.poisson_server import PoissonServer
from tidings.analysis.stations import Station
from tidings.analysis.stream_curves import OWN, Queues, arrival_curves, time_scales
from tidings.analysis.trees import Trees
from tidings.scenario.world import LinkLaw
from tidings.vocabulary.distribution import Zipf
from tidings.vocabulary.instant import SECOND


def curves(world, jitter=0.02):
    """Of a world, with the same jitter at every broker (seconds)."""
    found = flows_of(world, Interest(world.subscribers), Trees(world))
    traffic = traffic_of(found, passing_of(Failures(world), tuple(flow.source for flow in found)))
    services = service_laws(world, len(world.subscribers))
    stations = {
        name: Station(rate=traffic.arriving.get(name, 0.0), service_mean=0.0 if law is None else law.mean)
        for name, law in services.items()
    }
    jitters, times = dict.fromkeys(services, jitter * SECOND), time_scales(found, services)
    servers = {
        name: PoissonServer(stations[name].rate, law, times)
        for name, law in services.items()
        if law is not None and stations[name].rate > 0
    }
    queues = Queues(times=times, stations=stations, services=services, servers=servers, jitters=jitters)
    return arrival_curves(found, traffic, queues)


def at(curve, seconds):
    """The index over so many seconds."""
    return float(curve.at(np.array([seconds * SECOND]))[0])


def test_clocks_at_home():
    """At a multiple of its period a clock's count is sure, at its own broker; two clocks do not disturb that."""
    world = make_world(
        [serving("a", ms(10)), serving("b", ms(10))],
        publishers=[publisher("p", every=const(100)), publisher("q", every=const(100))],
    )
    found = {name: one.total for name, one in curves(world).items()}
    assert found["a"].rate * SECOND == pytest.approx(20.0)
    assert at(found["a"], 1.0) < 0.06
    assert at(found["b"], 0.05) > at(found["b"], 5.0)


def test_losses_and_filters_make_it_poisson():
    """A tenth of a clock's ticks, picked by chance, is nearly Poisson."""
    world = make_world(
        [serving("a", ms(1)), serving("b", ms(1))],
        links=chain("ab", LinkLaw(loss=0.5)),
        publishers=[publisher(every=const(100), attributes={"x": Zipf(5, 0.0)})],
        subscribers=[subscriber("s", "b", 'topic == "t" and x == 1', topics=("t",))],
    )
    found = curves(world)["b"].total
    assert found.rate * SECOND == pytest.approx(1.0)
    assert found.limit == pytest.approx(0.9)


def test_poisson_stays_poisson():
    """Everywhere, behind exponential services."""
    world = make_world([serving(name, ms(40)) for name in "abc"], publishers=[publisher(every=ms(100))])
    for arrivals in curves(world).values():
        assert arrivals.total.index == pytest.approx(np.ones_like(arrivals.total.index), abs=1e-4)


def test_constant_services_space_events():
    """Behind a constant service of half the time there are no two at once."""
    world = make_world([serving("a", const(50)), serving("b", ms(10))], publishers=[publisher(every=ms(100))])
    assert at(curves(world)["b"].total, 0.05) < 0.85


def test_recorded_publishers(tmp_path):
    """A record's own burstiness: ten at once, every ten seconds, counts by tens."""
    rows = [(10 * SECOND * i + k, "t", {}) for i in range(400) for k in range(10)]
    file = trace(tmp_path / "x.parquet", rows)
    world = make_world([serving("a", ms(10)), "b"], publishers=[publisher(trace=file)], duration_ns=4_000 * SECOND)
    assert at(curves(world)["a"].total, 1.0) == pytest.approx(9.0, rel=0.1)


def test_brokers_without_traffic_have_no_curve():
    """Nothing arrives, nothing is said."""
    world = make_world([serving(name, ms(10)) for name in "ab"], subscribers=[subscriber("s", "a")])
    assert list(curves(world)) == ["a"]


def test_by_neighbour():
    """Who comes over a link has been spaced, who is published here has not; together they are what arrives."""
    world = make_world(
        [serving("a", const(50)), serving("b", ms(10))],
        publishers=[publisher(every=ms(100)), publisher("q", "b", every=ms(200))],
    )
    found = curves(world)["b"]
    assert set(found.streams) == {OWN, "a"}
    assert at(found.streams["a"], 0.05) < at(found.total, 0.05) < at(found.streams[OWN], 0.05) == 1.0
    assert found.total.rate == pytest.approx(sum(one.rate for one in found.streams.values()))
    assert found.streams["a"].excess[0] == pytest.approx(np.zeros(320), abs=1e-9), "publishers are Poisson"


def test_trees_over_one_link():
    """Two topics that one broker has spaced are one stream: less even apart than they are together."""
    two = make_world(
        [serving("a", const(50)), serving("b", ms(10))],
        publishers=[publisher("p", every=ms(200)), publisher("q", topic="u", every=ms(200))],
        subscribers=[subscriber("s", "b"), subscriber("u", "b", 'topic == "u"')],
    )
    one = make_world([serving("a", const(50)), serving("b", ms(10))], publishers=[publisher(every=ms(100))])
    assert at(curves(two)["b"].total, 0.05) == pytest.approx(at(curves(one)["b"].total, 0.05), abs=1e-3)


def test_concentration():
    """1 for one publisher, a third of that for three alike; a busier one counts more."""
    alone = make_world([serving("a", ms(10)), serving("b", ms(10))])
    assert curves(alone)["b"].concentration == pytest.approx(1.0)
    three = make_world(
        [serving("a", ms(10)), serving("b", ms(10))], publishers=[publisher(name, every=ms(100)) for name in "pqr"]
    )
    assert curves(three)["b"].concentration == pytest.approx(1 / 3)
    mixed = [publisher("p", every=ms(100)), publisher("q", every=ms(300))]
    two = make_world([serving("a", ms(10)), serving("b", ms(10))], publishers=mixed)
    assert curves(two)["a"].concentration == pytest.approx(0.75**2 + 0.25**2)
