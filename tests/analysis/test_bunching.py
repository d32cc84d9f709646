"""How long an event is at two brokers: against a line of queues that is run, and the cases that cancel."""

import numpy as np
import pytest

from simulation.worlds import const, make_world, ms, publisher, serving, subscriber
from tidings.analysis.broker_waits import broker_waits, service_laws
from tidings.analysis.bunching import covariances
from tidings.analysis.failures import Failures
from tidings.analysis.flows import flows_of, traffic_of
from tidings.analysis.interest import Interest
from tidings.analysis.passing import passing_of
from tidings.analysis.stream_curves import time_scales
from tidings.analysis.trees import Trees
from tidings.vocabulary.distribution import Exponential, Uniform
from tidings.vocabulary.instant import SECOND


def together(world):
    """Covariances in square seconds."""
    flows = flows_of(world, Interest(world.subscribers), Trees(world))
    traffic = traffic_of(flows, passing_of(Failures(world), tuple(flow.source for flow in flows)))
    services = service_laws(world, len(world.subscribers))
    waits = broker_waits(world, flows, traffic, services)
    found = covariances(flows, traffic, waits, time_scales(flows, services))
    return {pair: value / SECOND**2 for pair, value in found.items()}


def line(service, every=None):
    """Three brokers, everything published at the first is wanted at the last, loads of 0.6."""
    brokers = [serving(name, service) for name in "abc"]
    return make_world(brokers, publishers=[publisher(every=every or ms(100))], subscribers=[subscriber("s", "c")])


def served(arrivals, services):
    """When each leaves."""
    work = np.cumsum(services)
    return work + np.maximum.accumulate(arrivals - np.concatenate([[0.0], work[:-1]]))


def simulated(law, every, count=1_000_000):
    """Covariance of the times at the first and the second of two queues (seconds)."""
    generator = np.random.default_rng(2)
    first = np.cumsum(every.sample(generator, count)) / SECOND
    second = served(first, law.sample(generator, count) / SECOND)
    third = served(second, law.sample(generator, count) / SECOND)
    return float(np.cov(second - first, third - second)[0, 1])


def test_nothing_where_all_is_exponential():
    """The two effects cancel."""
    assert together(line(ms(60))) == {}
    plain = [serving("a", ms(60)), "b", serving("c", Uniform(0.0, 2e6))]
    assert together(make_world(plain, subscribers=[subscriber("s", "c")], publishers=[publisher(every=ms(100))])) == {}


@pytest.mark.parametrize(
    ("service", "every"),
    [(Uniform(0.0, 0.12 * SECOND), ms(100)), (ms(60), Uniform(0.0, 0.2 * SECOND)), (ms(60), const(100))],
    ids=["even services", "even publishers", "a clock"],
)
def test_the_sign_is_right(service, every):
    """Long with long behind even services, long with short behind even publishers; about as much as a run shows."""
    found = together(line(service, every))["a", "b"]
    truth = simulated(service, every)
    assert 0.6 < found / truth < 1.6, (found, truth)
    assert (found > 0) == (not isinstance(service, Exponential))


def test_only_what_goes_on_together():
    """A tenth of the traffic goes on, a small part of the covariance; nothing does where nothing can wait for long."""
    service = Uniform(0.0, 0.12 * SECOND)
    brokers = [serving("a", service), serving("b", service)]
    publishers = [publisher(every=ms(1_000)), publisher("q", topic="u", every=ms(111))]
    some = make_world(brokers, publishers=publishers, subscribers=[subscriber("s", "b")])
    assert 0 < together(some)["a", "b"] < together(line(service))["a", "b"] / 2
    full = make_world([serving("a", service), serving("b", ms(120))], publishers=[publisher(every=ms(100))])
    assert together(full) == {}, "the second is overloaded"
    spaced = make_world([serving("a", const(60)), serving("b", const(50))], publishers=[publisher(every=ms(100))])
    assert together(spaced) == {}, "nobody waits at the second"
