"""Predictive quantiles: exact formulas where there are some, drawn delays where there are none."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from tidings.errors import InputError
from tidings.ordering.delay_law import LaplaceSum, TwoLaplace
from tidings.ordering.predictive import SAMPLES_MIN, pair_tolerance, plain_factor, predictive_factor, spread

TWO = TwoLaplace(1.0)
TOLERANCES = (0.05, 0.01, 0.001)


def exceeded_independently(factor, count):
    """P(X > factor · M) for the mean M of `count` independent |x|, exactly.

    E e^(−s|x|) = (2 + s)/(2(1 + s)²); from it, and its derivative, E[(2 + s·T)e^(−s·T)]/4 for the sum T.
    """
    s = factor / count
    transform = ((2 + s) / (2 * (1 + s) ** 2)) ** count
    return transform / 4 * (2 + s * count * (2 / (1 + s) - 1 / (2 + s)))


def exceeded_by_consecutive(factors, law, count, *, draws=200_000, seed=8):
    """The same for differences of consecutive delays: M is drawn, what exceeds it is exact."""
    generator = np.random.default_rng(seed)
    totals = np.zeros(len(factors))
    for _ in range(draws // 20_000):
        delays = sum(scale * generator.standard_exponential((20_000, count + 1)) for scale in law.scales)
        means = np.abs(np.diff(delays, axis=1)).mean(axis=1)
        totals += [law.survival(factor * means).sum() for factor in factors]
    return totals / draws


def test_the_plain_quantile_misses_its_target():
    """With 25 samples: 0.0551, 0.0132, 0.0019 when they are independent, 0.0578, 0.0149, 0.0025 when consecutive."""
    factors = [plain_factor(TWO, tolerance) for tolerance in TOLERANCES]
    independent = [exceeded_independently(factor, 25) for factor in factors]
    assert independent == pytest.approx([0.0551, 0.0132, 0.0019], abs=5e-5)
    consecutive = exceeded_by_consecutive(factors, TWO, 25)
    assert consecutive == pytest.approx([0.0578, 0.0149, 0.0025], rel=0.02)


@pytest.mark.parametrize("count", [10, 25, 100])
def test_independent_samples_meet_the_target(count):
    """By the exact formula: within 5 % of the tolerance, for 25 samples and more within 2 %."""
    for tolerance in TOLERANCES:
        factor = predictive_factor(TWO, count, tolerance, overlapping=False)
        assert exceeded_independently(factor, count) == pytest.approx(tolerance, rel=0.05 if count < 25 else 0.02)
        exact = brentq(lambda one, tolerance=tolerance: exceeded_independently(one, count) - tolerance, 0.1, 100)
        assert factor == pytest.approx(exact, rel=0.01 if count > 10 else 0.02)


@pytest.mark.parametrize(
    "law", [TWO, LaplaceSum((1.0,)), LaplaceSum((1.0,) * 5), LaplaceSum((1.0, 5.0)), LaplaceSum((1.0, 2.0, 3.0, 4.0))]
)
def test_consecutive_samples_meet_the_target(law):
    """0.05, 0.01 and 0.001 with 25 samples: never more than 2 % above, never less than nine tenths."""
    factors = [predictive_factor(law, 25, tolerance) for tolerance in TOLERANCES]
    share = exceeded_by_consecutive(factors, law, 25) / TOLERANCES
    assert (share < 1.02).all()
    assert (share > 0.9).all()


def test_few_samples_are_on_the_safe_side():
    """With the fewest the target is met with room to spare, where the plain one misses it by far."""
    factors = [predictive_factor(TWO, SAMPLES_MIN, tolerance) for tolerance in TOLERANCES]
    share = exceeded_by_consecutive(factors, TWO, SAMPLES_MIN) / TOLERANCES
    assert (share < 1.0).all()
    assert (share > 0.6).all()
    plain = [plain_factor(TWO, tolerance) for tolerance in TOLERANCES]
    assert (exceeded_by_consecutive(plain, TWO, SAMPLES_MIN) / TOLERANCES > [1.5, 3, 10]).all()


def test_more_samples_come_down_to_the_plain_quantile():
    """From above, and to the limit."""
    factors = [predictive_factor(TWO, count, 0.01) for count in (5, 10, 25, 100, 10_000, 1_000_000)]
    assert factors == sorted(factors, reverse=True)
    assert factors[-1] == pytest.approx(plain_factor(TWO, 0.01), rel=1e-4)
    assert plain_factor(TWO, 0.01) == pytest.approx(5.1918201 / 1.5, rel=1e-8)


def test_overlapping_differences_tell_less():
    """Neighbours share a delay: the variance of their sum is more than half as large again."""
    assert spread(TWO, 25, overlapping=False) == pytest.approx(1.75 / 2.25, rel=1e-12)
    # The covariance of neighbours is 55/108 of b².
    assert spread(TWO, 25, overlapping=True) == pytest.approx((1.75 + 2 * 24 / 25 * 55 / 108) / 2.25, rel=1e-5)
    assert predictive_factor(TWO, 25, 0.01) > predictive_factor(TWO, 25, 0.01, overlapping=False)


@pytest.mark.parametrize("scales", [(1.0,), (1.0, 1.0), (0.5, 1.0, 4.0)])
def test_the_spread_of_sums_is_what_is_drawn(scales):
    """The variance of a sum of 10 consecutive differences, within 3 %."""
    law = LaplaceSum(scales)
    generator = np.random.default_rng(5)
    delays = sum(scale * generator.standard_exponential((100_000, 11)) for scale in scales)
    sums = np.abs(np.diff(delays, axis=1)).sum(axis=1)
    assert sums.mean() == pytest.approx(10 * law.mean_absolute, rel=0.01)
    assert sums.var() / (10 * law.mean_absolute**2) == pytest.approx(spread(law, 10, overlapping=True), rel=0.03)


def test_only_the_shape_matters():
    """Not the unit of the scales."""
    for function in (lambda law: predictive_factor(law, 25, 0.01), lambda law: pair_tolerance(law, 0.05)):
        assert function(LaplaceSum((1e6, 2e6))) == pytest.approx(function(LaplaceSum((1.0, 2.0))), rel=1e-8)
        assert function(TwoLaplace(1e9)) == pytest.approx(function(LaplaceSum((1.0, 1.0))), rel=1e-8)


def test_one_hop_pairs_by_hand():
    """Exponential delays: E[Gᵐ] = (2P)ᵐ/(m + 1), so that Σ (2P)ᵐ/(m + 1) over m ≥ 1 must come to the tolerance."""
    pair = pair_tolerance(LaplaceSum((1.0,)), 0.05)
    assert math.fsum((2 * pair) ** many / (many + 1) for many in range(1, 60)) == pytest.approx(0.05, rel=2e-3)
    assert pair == pytest.approx(0.05 / (1 + 4 / 3 * 0.05), rel=0.01)


def test_pairs_of_two_hops_are_what_is_drawn():
    """Σ over m of the chance that m delays all exceed the reach and one fast delay."""
    generator = np.random.default_rng(6)
    reach = TWO.upper_quantile(pair_tolerance(TWO, 0.05))
    fast = reach + generator.gamma(2.0, size=400_000)
    slower = (1 + fast) * np.exp(-fast)
    assert float(np.mean(slower / (1 - slower))) == pytest.approx(0.05, rel=0.01)


def test_rare_pairs_are_hardly_rarer():
    """The smaller the tolerance, the less an event in between matters."""
    shares = [pair_tolerance(TWO, tolerance) / tolerance for tolerance in (0.2, 0.05, 0.01, 0.001)]
    assert shares == sorted(shares)
    assert shares[0] > 0.7
    assert 0.995 < shares[-1] < 1.0


def test_a_tolerance_of_a_half_needs_no_waiting():
    """The difference is as likely below 0 as above."""
    assert predictive_factor(TWO, 25, 0.5) == predictive_factor(TWO, 25, 0.9) == 0.0
    assert plain_factor(TWO, 0.7) == 0.0
    assert pair_tolerance(TWO, 0.6) == 0.6


@pytest.mark.parametrize("tolerance", [0.0, 1.0, -0.1, math.nan])
def test_impossible_tolerances_are_refused(tolerance):
    """By each function."""
    for call in (
        lambda: predictive_factor(TWO, 25, tolerance),
        lambda: plain_factor(TWO, tolerance),
        lambda: pair_tolerance(TWO, tolerance),
    ):
        with pytest.raises(InputError, match="between 0 and 1"):
            call()


def test_too_few_samples_are_refused():
    """Four say too little."""
    with pytest.raises(InputError, match="samples = 4"):
        predictive_factor(TWO, SAMPLES_MIN - 1, 0.05)
