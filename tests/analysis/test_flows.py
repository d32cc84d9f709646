"""Flows: who needs what along a tree, and how much is left of it on the way."""

import pytest

from simulation.worlds import chain, make_world, ms, publisher, subscriber
from tidings.analysis.failures import Failures
from tidings.analysis.flows import Passing, flows_from, flows_of, traffic_of
from tidings.analysis.interest import Interest
from tidings.analysis.passing import passing_of
from tidings.analysis.sources import sources_of
from tidings.analysis.trees import Trees
from tidings.scenario.world import LinkLaw
from tidings.vocabulary.distribution import Zipf
from tidings.vocabulary.instant import SECOND


def flows(world):
    """Of a world."""
    return flows_of(world, Interest(world.subscribers), Trees(world))


def rates(world):
    """Events per second at each broker and over each link."""
    found = flows(world)
    traffic = traffic_of(found, passing_of(Failures(world), tuple(flow.source for flow in found)))
    return (
        {name: rate * SECOND for name, rate in traffic.arriving.items()},
        {ends: rate * SECOND for ends, rate in traffic.over.items()},
    )


def line(loss=0.0, **more):
    """Brokers a – b – c – d, a publisher of four contents at a, wishes at b and d."""
    return make_world(
        "abcd",
        links=chain("abcd", LinkLaw(loss=loss)),
        publishers=[publisher(every=ms(100), attributes={"x": Zipf(4, 0.0)})],
        subscribers=[
            subscriber("r", "b", 'topic == "t" and x <= 3', topics=("t",)),
            subscriber("s", "d", 'topic == "t" and x == 4', topics=("t",)),
        ],
        **more,
    )


def test_needs():
    """A broker needs what it and those behind it want; the publisher's own gets everything."""
    (flow,) = flows(line())
    assert flow.needs == pytest.approx({"a": 1.0, "b": 1.0, "c": 0.25, "d": 0.25})
    assert list(flow.edges()) == [("a", "b"), ("b", "c"), ("c", "d")]


def test_rates():
    """Ten events a second; a quarter goes on to d."""
    arriving, over = rates(line())
    assert arriving == pytest.approx({"a": 10.0, "b": 10.0, "c": 2.5, "d": 2.5})
    assert over == pytest.approx({("a", "b"): 10.0, ("b", "c"): 2.5, ("c", "d"): 2.5})


def test_losses_thin_what_is_behind():
    """Sent is counted before the loss, arrived behind it."""
    arriving, over = rates(line(loss=0.1))
    assert arriving == pytest.approx({"a": 10.0, "b": 9.0, "c": 2.5 * 0.81, "d": 2.5 * 0.729})
    assert over == pytest.approx({("a", "b"): 10.0, ("b", "c"): 2.25, ("c", "d"): 2.5 * 0.81})


def test_nobody_wants_anything():
    """The events stay at the publisher's broker."""
    world = make_world("ab", publishers=[publisher()], subscribers=[subscriber("s", "b", "false", topics=())])
    (flow,) = flows(world)
    assert flow.needs == {"a": 1.0}
    assert list(flow.edges()) == []


def test_links_that_never_work():
    """Everything is sent and nothing arrives; no division by nothing."""
    found = flows(line())
    links = {(one, other): 0.0 for one in "abcd" for other in "abcd"}
    traffic = traffic_of(found, Passing(entering={"p": 1.0}, links=links))
    assert traffic.arriving["b"] == 0.0
    assert traffic.over["a", "b"] * SECOND == pytest.approx(10.0)


def test_expired_events_are_taken_off():
    """As the flow says how much is alive."""
    world = line()
    (flow,) = flows(world)
    flow.alive["b"] = 0.5
    traffic = traffic_of([flow], passing_of(Failures(world), (flow.source,)))
    assert traffic.arriving["b"] * SECOND == pytest.approx(5.0)
    assert traffic.by_flow[0]["c"] * SECOND == pytest.approx(2.5)


def test_sources_that_are_known():
    """The same flows as from the world."""
    world = make_world()
    interest, trees = Interest(world.subscribers), Trees(world)
    [one], [other] = flows_of(world, interest, trees), flows_from(sources_of(world), interest, trees)
    assert (one.topic, one.rate, one.needs) == (other.topic, other.rate, other.needs)
