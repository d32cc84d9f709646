"""Laws of delay differences: published quantiles, partial fractions, inversion of the transform, drawn samples."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import lambertw

from tidings.errors import InputError
from tidings.ordering.delay_law import LaplaceSum, TwoLaplace, check_probability

scales_lists = st.lists(st.floats(0.1, 10.0), min_size=1, max_size=6)
laws = st.one_of(
    st.builds(TwoLaplace, st.floats(0.001, 1000.0)),
    st.builds(LaplaceSum, scales_lists.map(tuple)),
    st.builds(lambda scale, hops: LaplaceSum((scale,) * hops), st.floats(0.1, 10.0), st.integers(1, 8)),
)


def at(law, difference):
    """Density and survival at one difference."""
    return float(law.density(np.array([difference]))[0]), float(law.survival(np.array([difference]))[0])


def partial_fractions(scales, difference):
    """The textbook's survival for different scales: a twin that needs them well apart."""
    total = 0.0
    for one in scales:
        weight = math.prod(one**2 / (one**2 - other**2) for other in scales if other != one)
        total += weight * math.exp(-difference / one) / 2
    return total


def by_transform(scales, difference):
    """The survival from the characteristic function Π 1/(1 + b²s²), by numerical integration."""
    # P(S > t) = ½ − (1/π) ∫ sin(s·t)/s · φ(s) ds
    ends = [math.pi * k / difference for k in range(60)]
    pieces = [
        quad(lambda s: math.sin(s * difference) / s / math.prod(1 + (b * s) ** 2 for b in scales), a, b_)[0]
        for a, b_ in pairwise(ends)
    ]
    return 0.5 - math.fsum(pieces) / math.pi


def test_published_quantiles_of_two():
    """3.2718121, 5.1918201 and 7.8042799 for one scale, by the closed form and by the exact law."""
    for law in (TwoLaplace(1.0), LaplaceSum((1.0, 1.0)), LaplaceSum((1.0, 1.0 + 1e-12))):
        found = [law.upper_quantile(tail) for tail in (0.05, 0.01, 0.001)]
        assert found == pytest.approx([3.2718121, 5.1918201, 7.8042799], abs=5e-8)


def test_published_survival_of_two():
    """P(S > t) = (2 + t)e⁻ᵗ/4."""
    times = np.array([0.0, 0.5, 3.0, 50.0])
    for law in (TwoLaplace(1.0), LaplaceSum((1.0, 1.0))):
        assert law.survival(times) == pytest.approx((2 + times) * np.exp(-times) / 4, rel=1e-13)


@given(st.floats(0.5, 0.999999), st.floats(0.01, 100))
def test_the_corrected_quantile_inverts_the_distribution(probability, scale):
    """F(F⁻¹(p)) = p for ½ ≤ p < 1."""
    law = TwoLaplace(scale)
    assert 1 - at(law, law.quantile(probability))[1] == pytest.approx(probability, rel=1e-12)


@pytest.mark.parametrize("branch", [0, -1])
def test_the_printed_quantile_inverts_it_on_neither_branch(branch):
    """Eq. 5 as printed, b·(W(4e⁻²(p − 1)) + 2), misses p by far; with the minus only the lower branch is right."""
    law = TwoLaplace(1.0)
    for probability in (0.6, 0.8, 0.95, 0.999):
        root = lambertw(4 * math.exp(-2) * (probability - 1), branch).real
        printed, turned = root + 2, -(root + 2)
        assert abs(1 - at(law, printed)[1] - probability) > 0.04
        assert (abs(1 - at(law, turned)[1] - probability) < 1e-12) == (branch == -1)


@given(laws, st.floats(1e-9, 0.999))
def test_quantiles_invert_survivals(law, tail):
    """On both sides of 0, and far out."""
    assert at(law, law.upper_quantile(tail))[1] == pytest.approx(tail, rel=1e-9, abs=1e-12)
    assert law.quantile(tail) == pytest.approx(-law.upper_quantile(tail), rel=1e-9, abs=1e-12)


@given(laws, st.floats(-30.0, 30.0))
def test_laws_are_symmetric(law, difference):
    """About 0."""
    density, survival = at(law, difference)
    mirrored, other = at(law, -difference)
    assert density == mirrored
    assert survival + other == pytest.approx(1.0, abs=1e-12)


@given(laws, st.floats(0.0, 20.0))
def test_the_density_is_minus_the_slope_of_the_survival(law, difference):
    """By a difference quotient."""
    step = 1e-4 * max(law.scales)
    slope = (at(law, difference)[1] - at(law, difference + step)[1]) / step
    middle = at(law, difference + step / 2)[0]
    assert slope == pytest.approx(middle, rel=1e-3, abs=1e-9 / step)


@given(laws)
@settings(max_examples=25)
def test_moments_are_integrals_of_the_survival(law):
    """E|S| = 2∫P(S > t) and Var = 4∫t·P(S > t)."""
    top = 60 * sum(law.scales)
    times = np.linspace(0, top, 4_001)
    survival = law.survival(times)
    assert law.mean_absolute == pytest.approx(2 * np.trapezoid(survival, times), rel=2e-2)
    assert law.variance == pytest.approx(4 * np.trapezoid(times * survival, times), rel=2e-2)


def test_the_exact_law_against_partial_fractions():
    """For scales that are well apart."""
    scales = (3.0, 2.0, 1.0, 0.4)
    for difference in (0.0, 0.3, 2.0, 11.0, 40.0):
        assert at(LaplaceSum(scales), difference)[1] == pytest.approx(partial_fractions(scales, difference), rel=1e-11)


@pytest.mark.parametrize("scales", [(1.0, 1.0, 2.0), (1.0, 1.001, 0.999, 1.002), (5.0, 1.0, 1.0, 1.0, 1.0)])
def test_the_exact_law_against_its_transform(scales):
    """For scales that partial fractions cannot take."""
    for difference in (0.5, 3.0, 9.0):
        assert at(LaplaceSum(scales), difference)[1] == pytest.approx(by_transform(scales, difference), abs=1e-6)


@pytest.mark.parametrize("scales", [(1.0, 1.0), (1.0,) * 5, (0.5, 1.0, 4.0)])
def test_quantiles_against_drawn_samples(scales):
    """A Monte Carlo of differences of sums, within four standard errors."""
    generator = np.random.default_rng(11)
    count = 200_000
    drawn = sum(
        scale * (generator.standard_exponential(count) - generator.standard_exponential(count)) for scale in scales
    )
    for tail in (0.3, 0.05, 0.01, 0.001):
        exceeded = float(np.mean(drawn > LaplaceSum(scales).upper_quantile(tail)))
        assert abs(exceeded - tail) <= 4 * math.sqrt(tail / count)


def test_two_laplace_is_wide_in_the_tail_of_longer_sums():
    """The paper's choice for five hops: with the same mean size, its far quantiles lie above the exact ones."""
    exact = LaplaceSum((1.0,) * 5)
    two = TwoLaplace(exact.mean_absolute / 1.5)
    for tail in (0.05, 0.01, 0.001):
        assert 1.0 < two.upper_quantile(tail) / exact.upper_quantile(tail) < 1.25


def test_laws_of_one_shape_are_scaled_copies():
    """Ten times the scales, ten times the quantile."""
    small, large = LaplaceSum((0.1, 0.3)), LaplaceSum((1.0, 3.0))
    assert large.upper_quantile(0.02) == pytest.approx(10 * small.upper_quantile(0.02), rel=1e-12)
    assert TwoLaplace(2.0).scales == (2.0, 2.0)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan, math.inf])
def test_impossible_scales_are_refused(scale):
    """Not positive or not finite."""
    with pytest.raises(InputError, match="scale"):
        TwoLaplace(scale)
    with pytest.raises(InputError, match="scales"):
        LaplaceSum((1.0, scale))


@pytest.mark.parametrize("probability", [0.0, 1.0, -0.1, 1.1, math.nan])
def test_impossible_probabilities_are_refused(probability):
    """By each of the doors."""
    for law in (TwoLaplace(1.0), LaplaceSum((1.0, 2.0))):
        with pytest.raises(InputError, match="between 0 and 1"):
            law.quantile(probability)
        with pytest.raises(InputError, match="between 0 and 1"):
            law.upper_quantile(probability)
    with pytest.raises(InputError, match="p = "):
        check_probability("p", probability)
