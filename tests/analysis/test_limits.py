"""The largest load and the slowest brokers: closed forms, and what holds on either side."""

import math

import pytest

from simulation.worlds import chain, changed, const, make_world, ms, publisher, serving, subscriber
from tidings.analysis.limits import busier, largest_load, slower, slowest_brokers
from tidings.analysis.predicting import predict
from tidings.scenario.world import LinkLaw
from tidings.vocabulary.instant import SECOND


def queue(requires=0.9, service_ms=20):
    """One broker, ten events a second, half a second of time."""
    return make_world(
        [serving("a", ms(service_ms))],
        publishers=[publisher(every=ms(100))],
        subscribers=[subscriber(deadline_ns=SECOND // 2, requires=requires)],
    )


def test_one_queue():
    """M/M/1: on time is 1 − exp(−(μ − λ)t), so λ = μ − ln(1/(1 − r))/t, and μ = λ + the same."""
    margin = math.log(10) / 0.5
    load = largest_load(queue())
    assert load.factor == pytest.approx((50 - margin) / 10, rel=0.01)
    assert "s gets 0.89" in load.reason
    assert "broker a" in load.reason
    service = slowest_brokers(queue())
    assert service.factor == pytest.approx(50 / (10 + margin), rel=0.01)


def test_either_side():
    """It holds just below, and not just above."""
    for find, change in ((largest_load, busier), (slowest_brokers, slower)):
        factor = find(queue()).factor
        assert predict(change(queue(), factor)).holds
        assert not predict(change(queue(), factor * 1.01)).holds


def test_below_one():
    """What does not hold now has to have less to do."""
    busy = queue(service_ms=90)
    assert not predict(busy).holds
    assert 0 < largest_load(busy).factor < 1
    assert 0 < slowest_brokers(busy).factor < 1


def test_until_overloaded():
    """Where nobody requires anything, load 1 is the end."""
    found = largest_load(queue(None))
    assert found.factor == pytest.approx(5.0, rel=0.01)
    assert found.reason.endswith("a gets more than it can carry")


def test_no_limit():
    """Brokers without work, and requirements that nothing meets."""
    free = make_world(subscribers=[subscriber("s", "b", requires=0.5)])
    assert largest_load(free).factor is None
    assert "still holds" in largest_load(free).reason
    assert slowest_brokers(free).reason == "no broker takes any time"
    lossy = changed(free, links=tuple(chain("ab", LinkLaw(delay=const(1), loss=0.6))))
    assert "not even with a thousandth" in largest_load(lossy).reason
    assert largest_load(lossy).to_json()["factor"] is None


def test_what_no_factor_changes():
    """Nobody who publishes, or somebody who replays."""
    assert largest_load(changed(queue(), publishers=())).reason == "nobody publishes"
    traced = changed(queue(), publishers=(changed(publisher(), every=None),))
    assert "as it was recorded" in largest_load(traced).reason
    assert busier(traced, 2.0).publishers == traced.publishers
