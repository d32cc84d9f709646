"""Scale estimators against their definitions, and bounds against the laws that they must hold for."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from tidings.errors import InputError
from tidings.ordering.delay_law import LaplaceSum
from tidings.ordering.estimators import (
    bernstein_bound,
    chebyshev_bound,
    hoeffding_bound,
    scale_by_likelihood,
    scale_by_moments,
)

tails = st.floats(1e-6, 0.4)


def log_likelihood(scale, sizes):
    """Of differences of one scale, up to a constant."""
    return float(np.log(sizes + scale).sum() - 2 * len(sizes) * math.log(scale) - sizes.sum() / scale)


def test_moments_by_hand():
    """2/(3·4)·(1 + 2 + 3 + 6) = 2."""
    assert scale_by_moments([1.0, -2.0, 3.0, -6.0]) == pytest.approx(2.0, rel=1e-15)


@given(st.lists(st.floats(0.001, 1000.0), min_size=1, max_size=30))
def test_the_likelihood_is_highest_at_its_estimate(sizes):
    """A general optimiser is the twin, and the equation that the estimate solves."""
    found, given_sizes = scale_by_likelihood(sizes), np.array(sizes)
    assert (found / (given_sizes + found)).sum() + given_sizes.sum() / found == pytest.approx(2 * len(sizes), rel=1e-9)
    twin = minimize_scalar(
        lambda logarithm: -log_likelihood(math.exp(logarithm), given_sizes),
        bounds=(math.log(found) - 3, math.log(found) + 3),
        method="bounded",
    )
    assert log_likelihood(found, given_sizes) >= -twin.fun - 1e-9 * abs(twin.fun)


def test_moments_are_not_the_likeliest():
    """What the paper calls maximum likelihood is another estimate, if a close one."""
    differences = [0.1, 0.2, 5.0]
    assert abs(scale_by_moments(differences) - scale_by_likelihood(differences)) > 0.02
    sizes = np.array(differences)
    likelihoods = [log_likelihood(one(differences), sizes) for one in (scale_by_moments, scale_by_likelihood)]
    assert likelihoods[0] < likelihoods[1]


def test_both_spread_alike():
    """0.176 b each with 25 independent samples, by drawing 20,000 times: nothing is lost by the simpler one."""
    generator = np.random.default_rng(2)
    drawn = generator.laplace(size=(20_000, 25)) + generator.laplace(size=(20_000, 25))
    moments = np.abs(drawn).sum(axis=1) * 2 / 75
    likeliest = np.array([scale_by_likelihood(row) for row in drawn[:4_000]])
    assert scale_by_moments(drawn[0]) == pytest.approx(moments[0])
    assert moments.mean() == pytest.approx(1.0, abs=0.005)
    assert likeliest.mean() == pytest.approx(1.0, abs=0.01)
    assert moments.std() == pytest.approx(0.176, abs=0.003)
    assert likeliest.std() == pytest.approx(0.176, abs=0.006)


@given(st.floats(1e-6, 1e6), st.lists(st.floats(0.1, 10), min_size=1, max_size=10))
def test_scales_have_the_unit_of_the_differences(unit, sizes):
    """Both estimators."""
    for estimate in (scale_by_moments, scale_by_likelihood):
        assert estimate([unit * one for one in sizes]) == pytest.approx(unit * estimate(sizes), rel=1e-9)


def test_delays_that_never_vary_have_no_scale():
    """0, not an error: nothing is ever overtaken."""
    assert scale_by_moments([0.0, 0.0]) == scale_by_likelihood([0.0, 0.0]) == 0.0


@pytest.mark.parametrize("differences", [[], [math.nan], [1.0, math.inf]])
def test_differences_without_a_scale_are_refused(differences):
    """None at all, or not numbers."""
    for estimate in (scale_by_moments, scale_by_likelihood):
        with pytest.raises(InputError):
            estimate(differences)


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=6), tails)
def test_bounds_hold_for_exponential_hops(scales, tail):
    """Chebyshev and Bernstein lie beyond the exact quantile."""
    law = LaplaceSum(tuple(scales))
    exact = law.upper_quantile(tail)
    assert chebyshev_bound(tail, law.variance) >= exact
    assert bernstein_bound(tail, law.variance, max(scales)) >= exact


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=5), st.sampled_from([0.3, 0.05, 0.01]))
def test_bounds_hold_for_hops_of_known_width(widths, tail):
    """Hoeffding, and Bernstein with a third of the width, for two-point times, which fill the width."""
    generator = np.random.default_rng(4)
    signs = generator.integers(0, 2, (2, 20_000, len(widths)))
    drawn = ((signs[0] - signs[1]) * np.array(widths)).sum(axis=1)
    variance = sum(width**2 / 2 for width in widths)
    for bound in (hoeffding_bound(tail, widths), bernstein_bound(tail, variance, max(widths) / 3)):
        assert float(np.mean(drawn > bound + 1e-9)) <= tail


def test_bounds_by_hand():
    """σ/√(2·tail); growth 0 leaves √(2·v·ln(1/tail)), which is also Hoeffding's for a width of √v."""
    assert chebyshev_bound(0.02, 4.0) == pytest.approx(10.0)
    assert bernstein_bound(math.exp(-2), 1.0, 0.0) == pytest.approx(2.0)
    assert hoeffding_bound(math.exp(-2), [0.6, 0.8]) == pytest.approx(2.0)
    assert bernstein_bound(math.exp(-2), 1.0, 1.0) == pytest.approx(2 + math.sqrt(8))


def test_far_out_bernstein_beats_chebyshev():
    """Near in it is the other way round: that is when each applies best."""
    assert bernstein_bound(1e-6, 4.0, 1.0) < chebyshev_bound(1e-6, 4.0)
    assert bernstein_bound(0.2, 4.0, 1.0) > chebyshev_bound(0.2, 4.0)


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
def test_impossible_moments_are_refused(bad):
    """Negative, or not a number."""
    for call in (
        lambda: chebyshev_bound(0.1, bad),
        lambda: bernstein_bound(0.1, bad, 1.0),
        lambda: bernstein_bound(0.1, 1.0, bad),
        lambda: hoeffding_bound(0.1, [1.0, bad]),
    ):
        with pytest.raises(InputError):
            call()


@pytest.mark.parametrize("tail", [0.0, 1.0, math.nan])
def test_impossible_tails_are_refused(tail):
    """By each bound."""
    for call in (chebyshev_bound, lambda tail, _: bernstein_bound(tail, 1.0, 1.0), hoeffding_bound):
        with pytest.raises(InputError, match="tail"):
            call(tail, [1.0] if call is hoeffding_bound else 1.0)
