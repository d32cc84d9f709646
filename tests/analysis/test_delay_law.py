"""Delays on a grid: exact parts stay exact, sums are sums, and nothing wraps around."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.analysis.delay_law import TimeGrid, constant_delay, delay_of, masses_of, mixture, never, no_delay
from tidings.analysis.phase_type import hypoexponential
from tidings.vocabulary.distribution import Constant, Empirical, Exponential, Gamma, Normal, Uniform

GRID = TimeGrid(10.0)


@given(st.floats(0, 9), st.floats(0, 9), st.floats(0, 20))
def test_constants_are_exact(one, other, limit):
    """A sum of constants is in time exactly when it is."""
    both = constant_delay(GRID, one).plus(constant_delay(GRID, other))
    assert both.within(limit) == (1.0 if limit >= one + other else 0.0)
    assert both.mean == one + other


@given(st.lists(st.floats(0.3, 5.0), min_size=1, max_size=5), st.floats(0.1, 9.9))
def test_sums_of_exponentials(rates, limit):
    """Against the phase-type law, to three digits."""
    law = no_delay(GRID)
    for rate in rates:
        law = law.plus(delay_of(GRID, Exponential(1 / rate)))
    assert law.within(limit) == pytest.approx(hypoexponential(rates).cdf([limit])[0], abs=5e-4)
    assert law.mean == pytest.approx(sum(1 / rate for rate in rates))


@pytest.mark.parametrize("law", [Uniform(0.5, 2.0), Gamma(2.0, 0.3), Normal(1.0, 0.5), Exponential(1.0)])
def test_one_law(law):
    """Half of it and most of it, where the law says."""
    drawn = np.sort(law.sample(np.random.default_rng(5), 200_000))
    found = delay_of(GRID, law)
    for limit in (0.4, 1.0, 1.7, 3.3):
        assert found.within(limit) == pytest.approx(np.searchsorted(drawn, limit) / drawn.size, abs=0.005)


def test_heavy_tails_do_not_wrap():
    """Nine tenths are beyond the horizon and stay there, also in sums."""
    long = delay_of(GRID, Exponential(95.0))
    assert long.within(10.0) == pytest.approx(1 - math.exp(-10 / 95), abs=1e-6)
    assert long.plus(long).within(10.0) == pytest.approx(hypoexponential([1 / 95, 1 / 95]).cdf([10])[0], abs=1e-5)


def test_atoms_are_exact():
    """Two delays that are nothing half the time: a quarter of their sums is, exactly at the offset."""
    masses = 0.5 * masses_of(GRID, Exponential(1.0))
    masses[0] += 0.5
    half = mixture(GRID, masses, 0.5, 0.5, 0.75)
    both = half.plus(half).plus(constant_delay(GRID, 3.0))
    assert both.within(3.0) == pytest.approx(0.25, abs=1e-9)
    assert both.within(2.999999) == 0.0


def test_values_without_spread_and_measured_ones():
    """An empirical law of one value is a constant; a zero among values is an atom."""
    assert delay_of(GRID, Empirical.of("x", [2.0])).within(2.0) == 1.0
    assert delay_of(GRID, Constant(2.0)).offset == 2.0
    assert delay_of(GRID, Empirical.of("x", [0.0, 0.0, 0.0, 4.0])).within(0.0) == pytest.approx(0.75)


def test_mean_within():
    """Of an exponential delay that is cut at a limit; None when nothing is in time."""
    law = delay_of(GRID, Exponential(1.0)).plus(constant_delay(GRID, 1.0))
    cut = 3.0
    truth = 1 + (1 - (cut + 1) * math.exp(-cut)) / (1 - math.exp(-cut))
    assert law.mean_within(4.0) == pytest.approx(truth, abs=1e-3)
    assert law.mean_within(0.5) is None
    assert no_delay(GRID).mean_within(1.0) == 0.0


def test_never():
    """What has no end is never in time."""
    law = never(GRID).plus(no_delay(GRID))
    assert law.within(10.0) == 0.0
    assert law.mean == math.inf
    assert law.mean_within(5.0) is None


def test_parts_that_depend_on_each_other():
    """The same mean, another spread: as likely within a limit as the independent sum within one nearer to its mean."""
    plain = delay_of(GRID, Gamma(2.0, 0.3)).plus(delay_of(GRID, Gamma(1.0, 0.3)))
    assert plain.variance == pytest.approx(1.2 + 0.3)
    wide = plain.plus(replace(no_delay(GRID), covariance=1.5 * (1.2**2 - 1)))
    assert wide.within(3.0 + 1.2) == pytest.approx(plain.within(3.0 + 1.0))
    assert wide.within(3.0) == pytest.approx(plain.within(3.0))
    assert wide.mean_within(GRID.horizon) == pytest.approx(3.0, rel=0.01)
    narrow = plain.plus(replace(no_delay(GRID), covariance=-0.5))
    assert narrow.within(5.0) > plain.within(5.0) > wide.within(5.0)
    assert narrow.within(1.5) < plain.within(1.5) < wide.within(1.5)


def test_a_spread_has_bounds():
    """However large a covariance is claimed, twice or half; and none changes what is constant or never ends."""
    plain = delay_of(GRID, Gamma(2.0, 0.3))
    claimed = plain.plus(replace(no_delay(GRID), covariance=1e9))
    assert claimed.within(4.0) == pytest.approx(plain.within(3.0))
    assert replace(constant_delay(GRID, 2.0), covariance=1.0).within(2.0) == 1.0
    assert replace(never(GRID), covariance=1.0).within(9.0) == 0.0
