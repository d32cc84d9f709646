"""Tails, their integrals, transforms and quantiles, each held against numerical integration and samples."""

import numpy as np
import pytest

from tidings.analysis.law_shapes import excess, quantile, survival, third_moment, transform, transforms
from tidings.vocabulary.distribution import (
    Constant,
    Empirical,
    Exponential,
    Gamma,
    Hyperexponential,
    Normal,
    Uniform,
    Zipf,
)

LAWS = {
    "constant": Constant(2.0),
    "uniform": Uniform(0.5, 3.0),
    "exponential": Exponential(1.5),
    "gamma": Gamma(2.0, 0.4),
    "hyperexponential": Hyperexponential(1.0, 5.0),
    "normal": Normal(1.0, 0.8),
    "normal without spread": Normal(1.0, 0.0),
    "empirical": Empirical.of("x.txt", [0.5, 1.0, 1.0, 4.0]),
    "zipf": Zipf(6, 1.0),
}
EACH = pytest.mark.parametrize("law", LAWS.values(), ids=list(LAWS))


@EACH
def test_excess_is_the_integral_of_survival(law):
    """By the trapezoidal rule over a fine grid."""
    times = np.linspace(0, 60, 600_001)
    tail = survival(law, times)
    steps = (tail[1:] + tail[:-1]) / 2 * np.diff(times)
    rest = np.concatenate([np.cumsum(steps[::-1])[::-1], [0.0]])
    some = np.arange(0, 100_000, 7_777)
    assert np.allclose(excess(law, times[some]), rest[some], atol=3e-4)


@EACH
def test_mean_and_below_zero(law):
    """At 0 the excess is the mean, below it grows with the distance; all of the law is above any negative time."""
    assert excess(law, np.array([0.0, -2.0])) == pytest.approx([law.mean, law.mean + 2.0], rel=1e-6)
    assert survival(law, np.array([-1.0]))[0] == pytest.approx(1.0)


@EACH
def test_transform_against_samples(law):
    """E[exp(−s X)] at several s, within four standard errors of a large sample."""
    drawn = law.sample(np.random.default_rng(7), 200_000)
    for rate in (0.1, 1.0, 5.0):
        values = np.exp(-rate * drawn)
        assert transform(law, rate) == pytest.approx(values.mean(), abs=4 * values.std() / 447 + 1e-12)


@EACH
def test_many_rates_at_once(law):
    """Each as if alone, in any shape of array."""
    rates = np.array([[0.1, 1.0], [2.0, 7.0]])
    assert transforms(law, rates) == pytest.approx(np.array([[transform(law, rate) for rate in row] for row in rates]))


@EACH
def test_third_moment_is_an_integral_of_survival(law):
    """3 ∫ t² P(X > t) dt, by the trapezoidal rule."""
    times = np.linspace(0, 200, 2_000_001)
    values = 3 * times**2 * survival(law, times)
    assert third_moment(law) == pytest.approx(float(np.trapezoid(values, times)), rel=5e-4)


@EACH
def test_quantile_inverts(law):
    """At most a share above it is beyond, at least that much is at or beyond."""
    shares = np.array([0.01, 0.3, 0.5, 0.77, 0.99])
    times = quantile(law, shares)
    assert (1 - survival(law, times) >= shares - 1e-9).all()
    assert (1 - survival(law, times - 1e-6) <= shares + 1e-5).all()


def test_a_uniform_law_without_width():
    """Two equal ends are a constant."""
    law = Uniform(2.0, 2.0)
    assert excess(law, np.array([1.0, 3.0])) == pytest.approx([1.0, 0.0])
    assert transform(law, 0.5) == pytest.approx(np.exp(-1.0))
