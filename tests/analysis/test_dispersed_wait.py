"""Waits from indices of dispersion: exact limits, single queues, and right where QNA fails."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.analysis.dispersed_wait import Queue
from tidings.analysis.dispersion import Passage, departed_curve, poisson_curve, renewal_curve, scales, superposed_curve
from tidings.analysis.law_shapes import third_moment, transform
from tidings.analysis.poisson_server import PoissonServer
from tidings.analysis.stations import Station, general_wait, poisson_wait, renewal_wait, waiting_share
from tidings.analysis.traffic import departure_scv
from tidings.vocabulary.distribution import Constant, Distribution, Exponential, Gamma, Hyperexponential, Uniform

TIMES = scales(0.5, 10.0)


def queue(rate: float, service: Distribution, concentration: float = 1.0) -> Queue:
    """One station with Poisson arrivals or others."""
    station = Station(rate=rate, service_mean=service.mean, service_scv=service.scv)
    return Queue(station, PoissonServer(rate, service, TIMES), concentration)


@given(st.floats(0.05, 0.95), st.sampled_from([Exponential(1.0), Gamma(1.0, 2.5), Uniform(0.0, 2.0), Constant(1.0)]))
def test_poisson_arrivals_are_exact(load, service):
    """Mean, share of those who wait, and how much the waits scatter: as Pollaczek, Khinchine and Takács say."""
    one = queue(load, service)
    shape = one.wait(poisson_curve(TIMES, load))
    assert shape.mean == pytest.approx(poisson_wait(one.station), rel=1e-9)
    assert shape.share == pytest.approx(load, rel=1e-9)
    square = 2 * shape.mean**2 + load * third_moment(service) / (3 * (1 - load))
    assert shape.scv == pytest.approx(square * load / shape.mean**2 - 1, rel=1e-6)


@pytest.mark.parametrize("law", [Gamma(1.0, 0.5), Uniform(0.0, 2.0), Hyperexponential(1.0, 4.0)])
@pytest.mark.parametrize("load", [0.6, 0.8, 0.9])
def test_single_queues(law, load):
    """Renewal arrivals at exponential service: within 4 % of the exact wait, the share within 5 points."""
    one = queue(1.0, Exponential(load))
    shape = one.wait(renewal_curve(law, TIMES))
    assert shape.mean == pytest.approx(renewal_wait(one.station, lambda rate: transform(law, rate)), rel=0.04)
    assert shape.share == pytest.approx(waiting_share(one.station, lambda rate: transform(law, rate)), abs=0.05)
    assert shape.scv == pytest.approx(1.0)


@pytest.mark.parametrize("load", [0.6, 0.8, 0.9])
def test_clocks(load):
    """Constant intervals, the hardest: within 6 %."""
    one = queue(1.0, Exponential(load))
    exact = renewal_wait(one.station, lambda rate: transform(Constant(1.0), rate))
    found = one.wait(renewal_curve(Constant(1.0), TIMES)).mean
    assert found == pytest.approx(exact, rel=0.2 * (1 - load) + 0.02)


def ninth_of_nine(law):
    """Nine exponential queues in series at rate 1, eight at 0.6, then one at 0.9: both predictions of the last wait."""
    curve, scv = renewal_curve(law, TIMES), law.scv
    for load in [0.6] * 8:
        one = queue(1.0, Exponential(load))
        shape = one.wait(curve)
        jitter = math.sqrt(shape.variance + load**2)
        passage = Passage(load=load, spacing=one.server.spacing, spread=curve.limit + 1, share=1.0, jitter=jitter)
        curve = departed_curve(curve, passage)
        scv = departure_scv(load, scv, 1.0)
    last = queue(1.0, Exponential(0.9))
    return general_wait(last.station, scv), last.wait(curve).mean


@pytest.mark.parametrize(
    ("law", "published", "truth"),
    [(Constant(1.0), 7.99, 5.24), (Hyperexponential(1.0, 8.0), 8.90, 29.7)],
    ids=["constant", "hyperexponential"],
)
def test_nine_in_series(law, published, truth):
    """Suresh and Whitt 1990: QNA gives what was published of it, ours is within 6 % of the truth."""
    qna, ours = ninth_of_nine(law)
    assert qna == pytest.approx(published, abs=0.06)
    assert ours == pytest.approx(truth, rel=0.06)


def two_in_a_row(service, share, more):
    """Poisson arrivals at a load of 0.7; a share of them goes on to a queue where `more` Poisson arrivals join, load 0.5."""
    first = queue(0.7, service(1.0))
    passage = Passage(load=0.7, spacing=first.server.spacing, spread=2.0, share=share)
    behind = departed_curve(poisson_curve(TIMES, share * 0.7), passage)
    joined = poisson_curve(TIMES, more)
    rate = share * 0.7 + more
    return queue(rate, service(0.5 / rate)), behind, joined


@pytest.mark.parametrize(
    ("service", "share", "more", "whole", "come"),
    [
        (lambda mean: Uniform(0.0, 2 * mean), 1.0, 0.0, 0.539, 0.539),
        (lambda mean: Uniform(0.0, 2 * mean), 0.6, 0.0, 0.705, 0.705),
        (lambda mean: Uniform(0.0, 2 * mean), 0.6, 0.42, 0.868, 0.802),
        (lambda mean: Gamma(mean, 0.25), 0.6, 0.0, 0.635, 0.635),
        (lambda mean: Gamma(mean, 0.25), 0.6, 0.42, 0.823, 0.736),
        (Constant, 0.3, 0.21, 0.840, 0.760),
    ],
)
def test_two_queues_in_a_row(service, share, more, whole, come):
    """Waits to those under Poisson arrivals, of all and of those who come from the queue before: simulated, 4 million each.

    They are spaced, and wait less than those who join there; within 4 points.
    """
    one, behind, joined = two_in_a_row(service, share, more)
    found = one.wait(superposed_curve([behind, joined], TIMES))
    plain = poisson_wait(one.station)
    assert found.mean / plain == pytest.approx(whole, abs=0.04)
    assert one.wait_of(behind, found).mean / plain == pytest.approx(come, abs=0.04)
    assert not more or one.wait_of(joined, found).mean > found.mean


def test_many_regular_publishers():
    """Eight together disturb each other more than one: 0.648 of the wait under Poisson arrivals (simulated), uniform at 0.8."""
    one = queue(8.0, Uniform(0.0, 0.2), concentration=1 / 8)
    eight = superposed_curve([renewal_curve(Uniform(0.0, 2.0), TIMES)] * 8, TIMES)
    plain = poisson_wait(one.station)
    assert one.wait(eight).mean / plain == pytest.approx(0.648, abs=0.02)
    assert queue(8.0, Uniform(0.0, 0.2)).wait(eight).mean < one.wait(eight).mean


def test_the_memory_grows_with_the_load():
    """A clock is regular over long times: the busier the queue, the more of that it sees."""
    clock = renewal_curve(Constant(1.0), TIMES)
    indices = [queue(1.0, Exponential(load)).effective_index(clock) for load in (0.2, 0.5, 0.8, 0.95)]
    assert indices == sorted(indices, reverse=True)
    assert indices[-1] < 0.05


@given(st.floats(0.02, 0.98), st.sampled_from([Constant(1.0), Hyperexponential(1.0, 50.0), Uniform(0.9, 1.1)]))
def test_always_a_law(load, law):
    """Whatever the stream: numbers that a wait can have."""
    shape = queue(1.0, Exponential(load)).wait(renewal_curve(law, TIMES))
    assert shape.mean > 0
    assert 0 < shape.share <= 1
    assert 0 < shape.scv <= 20
    assert np.isfinite([shape.mean, shape.share, shape.scv]).all()
