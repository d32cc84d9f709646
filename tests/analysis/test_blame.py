"""Who is to blame: the slowest part, the one that loses most, the one that became slower."""

import pytest

from simulation.worlds import chain, changed, const, make_world, ms, publisher, serving, subscriber
from tidings.analysis.blame import Blame
from tidings.analysis.predicting import PredictOptions, Predictor
from tidings.scenario.world import Broker, LinkLaw, OutageLaw, Reliability
from tidings.vocabulary.distribution import Exponential
from tidings.vocabulary.instant import SECOND


def blame(world):
    """Of a world."""
    return Blame(Predictor(world, PredictOptions()))


def line(service_ms=50, *, delay_ms=5, loss=0.0, deadline_ns=SECOND // 5, **more):
    """Two brokers, the second with a service time."""
    return make_world(
        ["a", serving("b", ms(service_ms))],
        links=chain("ab", LinkLaw(delay=const(delay_ms), loss=loss)),
        publishers=[publisher(every=ms(100))],
        subscribers=[subscriber("s", "b", deadline_ns=deadline_ns, requires=0.99)],
        **more,
    )


def test_the_slowest():
    """A busy broker, with its load; a long link."""
    world = line()
    assert blame(world).cause(world.subscribers[0]) == "broker b takes longest, 0.1 s in the mean at a load of 0.5"
    far = line(1, delay_ms=190)
    assert blame(far).cause(far.subscribers[0]) == "link a>b takes longest, 0.19 s in the mean"


def test_a_narrow_link():
    """Waiting for bandwidth is time on the link."""
    world = changed(line(1), links=tuple(chain("ab", LinkLaw(bandwidth_bps=10_000.0))))
    times = blame(world).times(world.subscribers[0])
    shares = [blame(world).mean_s(part) / time for part, time in times.items() if time]
    assert shares == pytest.approx([shares[0]] * len(shares))
    assert blame(world).mean_s(("a", "b")) > 64 * 8 / 10_000
    assert "link a>b" in blame(world).cause(world.subscribers[0])


def test_the_loser():
    """A link that loses, and a broker of the publisher that is mostly down."""
    world = line(1, loss=0.3)
    assert blame(world).cause(world.subscribers[0]).startswith("link a>b with the broker behind it loses most")
    law = OutageLaw(up=Exponential(1.0 * SECOND), down=Exponential(3.0 * SECOND))
    weak = changed(
        line(1, reliability=Reliability(mechanism="periodic")), brokers=(Broker(id="a", outages=law), Broker(id="b"))
    )
    assert blame(weak).cause(weak.subscribers[0]) == "broker a loses most, and lets 0.2500 of its events pass"


def test_edges_speak_for_themselves():
    """An overloaded broker, and a filter that matches nothing."""
    full = line(200)
    assert "gets more than it can carry" in blame(full).cause(full.subscribers[0])
    assert blame(full).mean_s("b") == float("inf")
    bored = subscriber("n", "b", "false", topics=())
    assert "nothing" in blame(changed(line(), subscribers=(bored,))).cause(bored)


def test_waiting_for_repairs():
    """Where events are buffered, the wait for a neighbour that is down belongs to the link."""
    law = OutageLaw(up=Exponential(9.0 * SECOND), down=Exponential(1.0 * SECOND))
    world = line(reliability=Reliability(mechanism="buffering"))
    weak = changed(world, brokers=(world.brokers[0], changed(world.brokers[1], outages=law)))
    assert blame(weak).mean_s(("a", "b")) == pytest.approx(0.005 + 0.1, rel=0.05)


def test_what_became_slower():
    """Between two predictions; where it ends in an overload there is no end."""
    slow, fast, full = blame(line(50)), blame(line(20)), blame(line(200))
    who = line().subscribers[0]
    assert slow.since(fast, who) == "broker b: 0.025 s to 0.1 s in the mean, load 0.2 to 0.5"
    assert full.since(slow, who) == "broker b: 0.1 s to no end of time in the mean, load 0.5 to 2"
    assert "link a>b" in full.since(full, who) or "broker" in full.since(full, who)
    assert blame(line(delay_ms=50)).since(blame(line(delay_ms=5)), who) == "link a>b: 0.005 s to 0.05 s in the mean"
