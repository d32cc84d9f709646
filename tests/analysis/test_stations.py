"""Means of single queues against textbook values, bounds and each other."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.analysis.law_shapes import transform
from tidings.analysis.stations import (
    Station,
    constant_service_wait_cdf,
    general_wait,
    kingman_bound,
    poisson_wait,
    renewal_wait,
    waiting_share,
)
from tidings.vocabulary.distribution import Constant, Exponential, Gamma, Hyperexponential, Uniform

LOADS = st.floats(0.01, 0.99)
SCVS = st.floats(0.0, 10.0)


@pytest.mark.parametrize(
    ("rate", "scv", "truth"),
    [(0.8, 1.0, 4.0), (0.5, 0.0, 0.5), (0.8, 0.0, 2.0), (0.9, 0.0, 4.5), (0.8, 0.5, 3.0), (0.7, 4.0, 5.833333)],
)
def test_poisson_wait(rate, scv, truth):
    """M/M/1, M/D/1, M/E2/1 and M/G/1, to the digits of the books."""
    assert poisson_wait(Station(rate=rate, service_mean=1.0, service_scv=scv)) == pytest.approx(truth, abs=5e-7)


def test_units_do_not_matter():
    """λ = 20 and μ = 25: a wait of 0.16."""
    assert poisson_wait(Station(rate=20.0, service_mean=1 / 25)) == pytest.approx(0.16, abs=1e-12)


def test_general_wait():
    """E2/M/1 at 0.8 by Krämer and Langenbach-Belz."""
    assert general_wait(Station(rate=0.8, service_mean=1.0), 0.5) == pytest.approx(2.9178134, abs=5e-8)


def test_renewal_wait():
    """E2/M/1 at 0.8, exactly."""
    interval = Gamma(1.25, 0.5)
    wait = renewal_wait(Station(rate=0.8, service_mean=1.0), lambda rate: transform(interval, rate))
    assert wait == pytest.approx(2.8439798, abs=5e-8)


def test_kingman_bound():
    """For M/M/1 at 0.8."""
    assert kingman_bound(Station(rate=0.8, service_mean=1.0), 1.0) == pytest.approx(5.125, abs=1e-12)


@pytest.mark.parametrize(("time", "truth"), [(-1.0, 0.0), (0.0, 0.5), (1.0, 0.8243606), (2.0, 0.9469606)])
def test_constant_service(time, truth):
    """Erlang's M/D/1 at 0.5."""
    assert constant_service_wait_cdf(Station(rate=0.5, service_mean=1.0, service_scv=0.0), time) == pytest.approx(
        truth, abs=5e-8
    )


@given(LOADS, SCVS)
def test_poisson_arrivals_are_a_special_case(load, scv):
    """With an arrival scv of 1 the approximation is exact."""
    station = Station(rate=load, service_mean=1.0, service_scv=scv)
    assert general_wait(station, 1.0) == pytest.approx(poisson_wait(station))


@given(LOADS, SCVS, SCVS)
def test_below_the_bound(load, arrival_scv, service_scv):
    """No approximation exceeds Kingman's bound."""
    station = Station(rate=load, service_mean=1.0, service_scv=service_scv)
    assert 0 <= general_wait(station, arrival_scv) <= kingman_bound(station, arrival_scv) + 1e-9


@given(st.floats(0.05, 0.98))
def test_exponential_intervals_wait_as_poisson(load):
    """GI/M/1 with exponential intervals is M/M/1: the share that waits is the load."""
    station = Station(rate=load, service_mean=1.0)
    law = Exponential(1 / load)
    assert waiting_share(station, lambda rate: transform(law, rate)) == pytest.approx(load, rel=1e-9)


@pytest.mark.parametrize("law", [Constant(1.0), Uniform(0.0, 2.0), Gamma(1.0, 0.3), Hyperexponential(1.0, 4.0)])
@pytest.mark.parametrize("load", [0.1, 0.6, 0.95, 0.999])
def test_the_share_is_a_root(law, load):
    """σ = A(μ(1 − σ)), below 1."""
    station = Station(rate=1.0, service_mean=load)
    share = waiting_share(station, lambda rate: transform(law, rate))
    assert 0 < share < 1
    assert share == pytest.approx(transform(law, (1 - share) / load), abs=1e-9)


@pytest.mark.parametrize("load", [1.0, 1.7])
def test_overload_is_infinite(load):
    """A load of 1 or more: infinity, and everybody waits; never a negative number."""
    station = Station(rate=load, service_mean=1.0)
    assert not station.stable
    assert poisson_wait(station) == general_wait(station, 0.5) == kingman_bound(station, 1.0) == math.inf
    assert renewal_wait(station, lambda rate: 1 / (1 + rate / load)) == math.inf
    assert constant_service_wait_cdf(station, 5.0) == 0.0


def test_nothing_to_do():
    """Without arrivals, or with a clock that is met in time, nobody waits."""
    idle = Station(rate=0.0, service_mean=1.0)
    assert poisson_wait(idle) == general_wait(idle, 1.0) == kingman_bound(idle, 1.0) == 0.0
    assert general_wait(Station(rate=0.9, service_mean=1.0, service_scv=0.0), 0.0) == 0.0
    assert general_wait(Station(rate=0.125, service_mean=1.0, service_scv=0.0), 5e-324) == 0.0
