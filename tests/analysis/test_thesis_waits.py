"""The thesis's waits: M/M/1 where everything is exponential, and QNA's known numbers in series."""

import pytest

from simulation.worlds import const, make_world, ms, publisher, serving, subscriber
from tidings.analysis.broker_waits import broker_waits, service_laws
from tidings.analysis.failures import Failures
from tidings.analysis.flows import flows_of, traffic_of
from tidings.analysis.interest import Interest
from tidings.analysis.passing import passing_of
from tidings.analysis.trees import Trees
from tidings.vocabulary.distribution import Hyperexponential
from tidings.vocabulary.instant import SECOND


def means(world):
    """Mean waits in seconds, by broker."""
    found = flows_of(world, Interest(world.subscribers), Trees(world))
    traffic = traffic_of(found, passing_of(Failures(world), tuple(flow.source for flow in found)))
    services = service_laws(world, len(world.subscribers))
    return {
        name: wait.mean / SECOND for name, wait in broker_waits(world, found, traffic, services, by_mean=True).items()
    }


def series(every, loads):
    """Exponential services in a line, one event a second."""
    brokers = [serving(f"b{i}", ms(1000 * load)) for i, load in enumerate(loads)]
    return make_world(
        brokers, publishers=[publisher(broker="b0", every=every)], subscribers=[subscriber(broker=brokers[-1].id)]
    )


@pytest.mark.parametrize(("every", "published"), [(const(1000), 7.99), (Hyperexponential(1.0 * SECOND, 8.0), 8.90)])
def test_nine_in_series(every, published):
    """What Suresh and Whitt say of QNA."""
    assert means(series(every, [0.6] * 8 + [0.9]))["b8"] == pytest.approx(published, abs=0.05)


def test_exponential_everywhere():
    """Eq. 3.20 becomes Eq. 3.6."""
    found = means(series(ms(1000), [0.8, 0.5]))
    assert found == pytest.approx({"b0": 3.2, "b1": 0.5})


def test_nothing_arrives():
    """A broker without traffic has no wait."""
    world = make_world([serving("a", ms(10)), serving("b", ms(10))], subscribers=[subscriber("s", "a")])
    assert means(world)["b"] == 0.0


def test_two_publishers_meet():
    """Clocks of equal rate at one broker: burstiness 0, whatever their number (Eq. 3.17, the plain average)."""
    one = make_world(
        [serving("a", ms(40))], publishers=[publisher(every=const(50))], subscribers=[subscriber("s", "a")]
    )
    two = make_world(
        [serving("a", ms(40))],
        publishers=[publisher("p", every=const(100)), publisher("q", every=const(100))],
        subscribers=[subscriber("s", "a")],
    )
    assert means(one)["a"] == pytest.approx(means(two)["a"])
