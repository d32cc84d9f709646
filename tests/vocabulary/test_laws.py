"""Laws: the moments they state are those they draw, whatever portions they are drawn in."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tidings.vocabulary.laws import (
    EMPIRICAL_MAX,
    NUMBER_MAX,
    RANKS_MAX,
    Constant,
    Empirical,
    Exponential,
    Gamma,
    Hyperexponential,
    Normal,
    Power,
    Uniform,
    Zipf,
)
from tidings.vocabulary.streams import Streams

SAMPLES = 200_000

LAWS = [
    Constant(7.5),
    Constant(0.0),
    Constant(-3.0),
    Uniform(-2.0, 10.0),
    Uniform(5.0, 5.0),
    Normal(100.0, 10.0),
    Normal(10.0, 10.0),
    Normal(1.0, 20.0),
    Normal(0.0, 3.0),
    Normal(4.0, 0.0),
    Normal(1e9, 1e-3),
    Exponential(2e6),
    Gamma(3.0, 0.25),
    Gamma(3.0, 4.0),
    Hyperexponential(5.0, 1.0),
    Hyperexponential(5.0, 4.0),
    Hyperexponential(5.0, 12.0),
    Zipf(1, 2.0),
    Zipf(20, 1.0),
    Zipf(1000, 0.0),
    Zipf(50, 3.5),
    Empirical.of("x.csv", [3.0, 1.0, 1.0, 40.0]),
]


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_moments_are_those_of_samples(law):
    """Mean and variance of many samples lie within five standard errors of what is stated."""
    drawn = law.sample(Streams(11)("moments"), SAMPLES)
    rounding = 1e-9 * max(1.0, abs(law.mean))
    centred = (drawn - law.mean) ** 2
    assert drawn.dtype == np.float64
    assert abs(drawn.mean() - law.mean) <= 5 * math.sqrt(law.variance / SAMPLES) + rounding
    assert abs(centred.mean() - law.variance) <= 5 * centred.std() / math.sqrt(SAMPLES) + rounding


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_scv_is_variance_over_squared_mean(law):
    """And 0 where nothing varies, even around 0."""
    assert law.scv == pytest.approx(law.variance / law.mean**2 if law.variance else 0.0)


def test_scv_around_zero_is_infinite():
    """A mean of 0 with spread has no finite coefficient."""
    assert Uniform(-1.0, 1.0).scv == math.inf


@given(st.sampled_from(LAWS), st.lists(st.integers(0, 40), max_size=6), st.integers(0, 2**63 - 1))
def test_portions_do_not_matter(law, portions, seed):
    """Samples drawn in any portions are the samples drawn at once."""
    at_once = law.sample(Streams(seed)("portions"), sum(portions))
    generator = Streams(seed)("portions")
    in_portions = [value for count in portions for value in law.sample(generator, count).tolist()]
    assert at_once.tolist() == in_portions


def drawn_again(law, generator, count):
    """The cut normal as it is said: what falls below 0 is drawn again."""
    kept = []
    while len(kept) < count:
        value = generator.normal(law.mu, law.sigma)
        if value >= 0:
            kept.append(value)
    return np.array(kept)


@pytest.mark.parametrize(("mu", "sigma"), [(0.0, 1.0), (1.0, 2.0), (3.0, 1.0)])
def test_cut_normal_is_the_law_of_drawing_again(mu, sigma):
    """Inversion and rejection agree at every decile, and in the far tail."""
    law = Normal(mu, sigma)
    clever = np.sort(law.sample(Streams(3)("clever"), 40_000))
    plain = np.sort(drawn_again(law, Streams(3)("plain"), 40_000))
    for share in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.999):
        below = np.searchsorted(plain, clever[int(share * 40_000)]) / 40_000
        assert abs(below - share) <= 5 * math.sqrt(2 * share * (1 - share) / 40_000)


@given(st.floats(0, 1e12), st.floats(0, 1e12), st.integers(0, 1000))
@example(mu=1.0, sigma=5e-324, seed=0)
@example(mu=0.0, sigma=0.0, seed=0)
def test_normal_is_never_negative(mu, sigma, seed):
    """The cut holds for every parameter, and moments stay finite."""
    law = Normal(mu, sigma)
    drawn = law.sample(Streams(seed)("normal"), 50)
    assert (drawn >= 0).all()
    assert np.isfinite(drawn).all()
    assert mu <= law.mean < math.inf
    assert 0 <= law.variance <= sigma**2
    assert 0.5 <= law.kept <= 1


def test_normal_far_from_zero_is_the_plain_one():
    """Ten standard deviations above 0 the cut takes nothing off."""
    law = Normal(100.0, 10.0)
    assert law.kept == 1.0
    assert law.mean == pytest.approx(100.0, abs=1e-12)
    assert law.variance == pytest.approx(100.0)


def test_half_normal():
    """Cut in the middle: mean and variance are the textbook's."""
    law = Normal(0.0, 1.0)
    assert law.mean == pytest.approx(math.sqrt(2 / math.pi))
    assert law.variance == pytest.approx(1 - 2 / math.pi)


@given(st.floats(1e-3, 1e15), st.floats(1, 1e6))
def test_hyperexponential_phases_are_balanced(mean, scv):
    """Both phases contribute half of the mean, and the second moment is right."""
    law = Hyperexponential(mean, scv)
    (likely, short), (rare, long) = law.phases
    assert likely + rare == pytest.approx(1)
    assert likely * short == pytest.approx(mean / 2)
    assert rare * long == pytest.approx(mean / 2)
    second = 2 * (likely * short**2 + rare * long**2)
    assert second - mean**2 == pytest.approx(law.variance, rel=1e-6)


@given(st.integers(1, 60), st.floats(0, 5))
def test_zipf_probabilities_are_the_plain_ones(values, exponent):
    """Against the definition, value by value."""
    law = Zipf(values, exponent)
    weights = [value**-exponent for value in range(1, values + 1)]
    for value, weight in enumerate(weights):
        assert law.probabilities[value] == pytest.approx(weight / sum(weights))


def test_zipf_draws_whole_numbers_in_range():
    """1 … n, all of them."""
    drawn = Zipf(5, 1.0).sample(Streams(1)("zipf"), 10_000)
    assert sorted(set(drawn.tolist())) == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_power_weighs_ranks():
    """Weights fall as the exponent says; over some ranks it is Zipf's law."""
    assert Power(1.0).weights(4).tolist() == [1.0, 0.5, pytest.approx(1 / 3), 0.25]
    assert Power(0.0).weights(3).tolist() == [1.0, 1.0, 1.0]
    assert Power(0.9).over(7) == Zipf(7, 0.9)


def test_empirical_draws_what_it_holds():
    """Sorted, unchangeable, and equal only to the same file with the same values."""
    law = Empirical.of("a.csv", [5.0, 2.0, 2.0])
    assert law.values.tolist() == [2.0, 2.0, 5.0]
    assert set(law.sample(Streams(1)("e"), 500).tolist()) == {2.0, 5.0}
    with pytest.raises(ValueError, match="read-only"):
        law.values[0] = 1.0
    assert law == Empirical.of("a.csv", [2.0, 5.0, 2.0])
    assert hash(law) == hash(Empirical.of("a.csv", [2.0, 5.0, 2.0]))
    assert law != Empirical.of("b.csv", [2.0, 5.0, 2.0])
    assert law != Empirical.of("a.csv", [2.0, 5.0])
    assert law != "a.csv"


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Constant(math.nan), "value = nan must be a finite number"),
        (lambda: Constant(-2 * NUMBER_MAX), "must be a finite number"),
        (lambda: Uniform(math.inf, 1.0), "low = inf must be a finite number"),
        (lambda: Uniform(0.0, math.nan), "high = nan must be a finite number"),
        (lambda: Uniform(2.0, 1.0), "low must not exceed high"),
        (lambda: Normal(-1.0, 1.0), "mean = -1 must not be negative"),
        (lambda: Normal(1.0, -1.0), "sd = -1 must not be negative"),
        (lambda: Exponential(0.0), "mean = 0 must be greater than 0"),
        (lambda: Exponential(-5.0), "mean = -5 must be greater than 0"),
        (lambda: Gamma(0.0, 1.0), "mean = 0 must be greater than 0"),
        (lambda: Gamma(1.0, 0.0), "scv = 0 must be greater than 0"),
        (lambda: Hyperexponential(0.0, 2.0), "mean = 0 must be greater than 0"),
        (lambda: Hyperexponential(1.0, math.inf), "scv = inf must be a finite number"),
        (lambda: Hyperexponential(1.0, 0.5), "scv = 0.5 must be at least 1 .* take gamma"),
        (lambda: Zipf(0, 1.0), "values = 0 must be a whole number"),
        (lambda: Zipf(RANKS_MAX + 1, 1.0), f"from 1 to {RANKS_MAX}"),
        (lambda: Zipf(2.5, 1.0), "values = 2.5 must be a whole number"),
        (lambda: Zipf(5, -1.0), "exponent = -1 must not be negative"),
        (lambda: Power(-0.1), "exponent = -0.1 must not be negative"),
        (lambda: Empirical.of("x", []), "file x holds 0 values"),
        (lambda: Empirical.of("x", np.zeros(EMPIRICAL_MAX + 1)), f"1 to {EMPIRICAL_MAX} would be right"),
        (lambda: Empirical.of("x", [1.0, math.nan]), "file x holds a value that is not a finite number"),
        (lambda: Empirical.of("x", [2 * NUMBER_MAX]), "file x holds a value that is not a finite number"),
    ],
)
def test_impossible_parameters_are_refused(make, problem):
    """With the key, the value and what would be right."""
    with pytest.raises(ValueError, match=problem):
        make()
