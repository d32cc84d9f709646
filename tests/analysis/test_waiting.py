"""Laws of waits: exact where theory is, with the right mean and atom elsewhere."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.analysis.delay_law import TimeGrid, delay_of
from tidings.analysis.law_shapes import transform
from tidings.analysis.stations import Station, constant_service_wait_cdf, poisson_wait, waiting_share
from tidings.analysis.waiting import WaitShape, general_shape, poisson_wait_law, shaped_wait_law
from tidings.vocabulary.distribution import Constant, Exponential, Gamma, Hyperexponential, Uniform

GRID = TimeGrid(40.0, 8_192)


def test_tail_of_sojourns():
    """M/M/1 at 0.8: P(W > 10) is exp(−2)."""
    station = Station(rate=0.8, service_mean=1.0)
    law = poisson_wait_law(GRID, station, Exponential(1.0)).plus(delay_of(GRID, Exponential(1.0)))
    assert 1 - law.within(10.0) == pytest.approx(0.1353353, abs=1e-5)
    assert law.mean == pytest.approx(5.0)


def test_constant_service():
    """M/D/1 at 0.5 against Erlang, away from the corner at one service."""
    station = Station(rate=0.5, service_mean=1.0, service_scv=0.0)
    law = poisson_wait_law(GRID, station, Constant(1.0))
    assert law.atom == 0.5
    for time in (0.5, 1.3, 2.0, 4.7):
        assert law.within(time) == pytest.approx(constant_service_wait_cdf(station, time), abs=2e-4)


@pytest.mark.parametrize("service", [Uniform(0.0, 2.0), Gamma(1.0, 0.3), Hyperexponential(1.0, 4.0)])
def test_means_come_back(service):
    """The mean of the law on the grid is Pollaczek and Khinchine's."""
    station = Station(rate=0.6, service_mean=1.0, service_scv=service.scv)
    grid = TimeGrid(400.0, 16_384)
    law = poisson_wait_law(grid, station, service)
    assert law.mean_within(400.0) == pytest.approx(poisson_wait(station), rel=2e-3)
    masses = np.diff(law.within_each(grid.times), prepend=0.0)
    assert law.variance == pytest.approx(masses @ grid.times**2 - law.mean**2, rel=0.02)


@given(st.floats(0.05, 0.9))
def test_exponential_shape_is_exact_for_exponential_service(load):
    """An atom and an exponential tail are the wait of M/M/1."""
    station = Station(rate=load, service_mean=1.0)
    exact = poisson_wait_law(GRID, station, Exponential(1.0))
    shaped = shaped_wait_law(GRID, WaitShape(mean=poisson_wait(station), share=load))
    assert [exact.within(t) for t in (0.0, 1.0, 5.0)] == pytest.approx(
        [shaped.within(t) for t in (0.0, 1.0, 5.0)], abs=1e-4
    )


@given(st.floats(0.01, 0.99), st.floats(0, 6), st.floats(0, 6))
def test_shapes_are_laws(load, arrival_scv, service_scv):
    """Shares are shares, scatter is not negative, and Poisson arrivals wait when the server is busy."""
    station = Station(rate=load, service_mean=1.0, service_scv=service_scv)
    shape = general_shape(station, arrival_scv, 2.0)
    assert 0 <= shape.share <= 1
    assert shape.scv > 0
    assert general_shape(station, 1.0, 2.0).share == pytest.approx(load)


def test_shape_of_a_clock_at_exponential_service():
    """D/M/1: the approximate share that waits is within two points of the exact one."""
    for load in (0.4, 0.6, 0.8, 0.9):
        station = Station(rate=1.0, service_mean=load)
        exact = waiting_share(station, lambda rate: transform(Constant(1.0), rate))
        assert general_shape(station, 0.0, 1.0).share == pytest.approx(exact, abs=0.02)


def test_a_shaped_law_against_its_sample():
    """Atom, mean and spread of the mixture."""
    law = shaped_wait_law(GRID, WaitShape(mean=1.5, share=0.5, scv=0.5))
    drawn = np.sort(Gamma(3.0, 0.5).sample(np.random.default_rng(1), 100_000))
    assert law.within(0.0) == pytest.approx(0.5)
    assert law.within(2.0) == pytest.approx(0.5 + 0.5 * np.searchsorted(drawn, 2.0) / drawn.size, abs=0.003)
    assert law.mean == 1.5
    assert law.variance == pytest.approx(0.5 * (9.0 + 4.5) - 1.5**2)


def test_edges():
    """Overload never ends, idleness never waits, a scatter of 0 is a constant."""
    busy = Station(rate=1.0, service_mean=1.0)
    assert poisson_wait_law(GRID, busy, Exponential(1.0)).mean == math.inf
    assert shaped_wait_law(GRID, general_shape(busy, 1.0, math.inf)).within(40.0) == 0.0
    idle = Station(rate=0.0, service_mean=1.0)
    assert poisson_wait_law(GRID, idle, Exponential(1.0)).within(0.0) == 1.0
    assert shaped_wait_law(GRID, general_shape(idle, 1.0, 0.0)).within(0.0) == 1.0
    flat = shaped_wait_law(GRID, WaitShape(mean=2.0, share=1.0, scv=0.0))
    assert (flat.within(1.9), flat.within(2.1)) == pytest.approx((0.0, 1.0), abs=1e-6)
    assert WaitShape(mean=math.inf, share=1.0).variance == math.inf
    assert WaitShape(mean=0.0, share=0.0).variance == 0.0
    assert general_shape(Station(rate=0.5, service_mean=1.0, service_scv=0.0), 0.0, 0.0).share == 0.0
