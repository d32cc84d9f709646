"""Hypoexponential laws: published values, and a fit that finds what made the samples."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidings.errors import InputError
from tidings.ordering.hypoexponential import Hypoexponential, fit


def drawn(rates, count, seed=3):
    """Samples of a sum of exponentials."""
    generator = np.random.default_rng(seed)
    return sum(generator.exponential(1 / rate, count) for rate in rates)


def test_published_values():
    """Hypoexponential (3, 2, 1) and Erlang (3, 2)."""
    law = Hypoexponential((3.0, 2.0, 1.0))
    assert law.mean == pytest.approx(11 / 6, rel=1e-15)
    assert law.variance == pytest.approx(49 / 36, rel=1e-15)
    assert law.distribution([2.0, 5.0]) == pytest.approx([0.6464623148, 0.9799220529], abs=5e-11)
    assert Hypoexponential((2.0,) * 3).distribution([2.0]) == pytest.approx([0.7618966944], abs=5e-11)


@given(st.lists(st.floats(0.1, 10.0), min_size=1, max_size=5))
@settings(max_examples=30)
def test_density_and_survival_belong_together(rates):
    """The density integrates to F, whose mean and variance are the law's."""
    law = Hypoexponential(tuple(rates))
    times = np.linspace(0, law.mean + 60 / min(rates), 4_001)
    density = law.density(times)
    step = times[1] - times[0]
    below = np.concatenate([[0], np.cumsum(density[1:] + density[:-1])]) * step / 2
    assert below == pytest.approx(law.distribution(times), abs=2e-2)
    assert np.trapezoid(law.survival(times), times) == pytest.approx(law.mean, rel=2e-2)
    assert np.trapezoid(2 * times * law.survival(times), times) - law.mean**2 == pytest.approx(law.variance, rel=4e-2)


def test_the_order_of_rates_does_not_matter():
    """A sum has no order."""
    times = [0.1, 1.0, 4.0]
    one, other = Hypoexponential((3.0, 0.5, 1.0)), Hypoexponential((0.5, 1.0, 3.0))
    assert one.density(times) == pytest.approx(other.density(times), rel=1e-12)


def test_nothing_happens_before_time_0():
    """No density, and everything still to come."""
    law = Hypoexponential((1.0,))
    assert law.density([-1.0, 0.0]).tolist() == [0.0, 1.0]
    assert law.survival([-1.0, 0.0]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("rates", [(1.0,), (8.0, 1.0), (20.0, 5.0, 1.0)])
def test_a_fit_finds_rates_that_are_apart(rates):
    """Each within a fifth, from 20,000 samples."""
    found = fit(drawn(rates, 20_000), len(rates), gain=1e-7)
    assert found.law.rates == pytest.approx(rates, rel=0.2)
    assert list(found.law.rates) == sorted(found.law.rates, reverse=True)


@pytest.mark.parametrize("rates", [(3.0, 2.0, 1.0), (2.0, 2.0, 2.0), (1.0,) * 5])
def test_a_fit_finds_the_law_where_rates_blur(rates):
    """Close rates cannot be told apart; mean, variance and F can. The mean is that of the samples."""
    samples = drawn(rates, 5_000)
    found, law = fit(samples, len(rates), gain=1e-6).law, Hypoexponential(rates)
    assert found.mean == pytest.approx(samples.mean(), rel=1e-5)
    assert found.variance == pytest.approx(samples.var(), rel=0.08)
    times = np.linspace(0.1, 8, 40)
    assert np.abs(found.distribution(times) - law.distribution(times)).max() < 0.02


def test_a_fit_is_likelier_than_the_truth():
    """And its likelihood is that of its law."""
    samples = drawn((3.0, 1.0), 4_000)
    found = fit(samples, 2, gain=1e-7)
    likelihood = float(np.log(found.law.density(samples)).sum())
    assert found.log_likelihood == pytest.approx(likelihood, abs=1.0)
    assert likelihood > float(np.log(Hypoexponential((3.0, 1.0)).density(samples)).sum())


def test_more_phases_fit_a_narrow_law_better():
    """One phase for each hop: with too few of them the fit is worse by far."""
    samples = drawn((2.0,) * 5, 3_000)
    assert fit(samples, 5, gain=1e-5).log_likelihood > fit(samples, 2, gain=1e-5).log_likelihood + 100


def test_units_do_not_matter():
    """Nanoseconds or seconds: the same law."""
    samples = drawn((3.0, 1.0), 500)
    small, large = fit(samples, 2, gain=1e-6), fit(samples * 1e9, 2, gain=1e-6)
    assert [rate * 1e9 for rate in large.law.rates] == pytest.approx(small.law.rates, rel=1e-6)
    assert large.log_likelihood == pytest.approx(small.log_likelihood - 500 * math.log(1e9), rel=1e-9)


def test_rounds_are_counted():
    """A fit that is easily content stops early, one that never is goes on to the end."""
    samples = drawn((3.0, 1.0), 200)
    assert fit(samples, 2, gain=1.0).rounds < fit(samples, 2, gain=1e-6).rounds < 2_000
    assert fit([0.0, 1.0, 2.0], 1, gain=-1.0).rounds == 2_000


@pytest.mark.parametrize("samples", [[], [1.0], [0.0, 0.0], [1.0, -1.0], [1.0, math.nan], [1.0, math.inf], [[1.0]]])
def test_samples_without_a_law_are_refused(samples):
    """Too few, all nothing, negative, not numbers."""
    with pytest.raises(InputError):
        fit(samples, 2)


@pytest.mark.parametrize("phases", [0, 33])
def test_impossible_phases_are_refused(phases):
    """None, or more than a fit can tell."""
    with pytest.raises(InputError, match="phases"):
        fit([1.0, 2.0], phases)


@pytest.mark.parametrize("rates", [(), (0.0,), (math.nan, 1.0)])
def test_impossible_rates_are_refused(rates):
    """None at all, or not positive."""
    with pytest.raises(InputError, match="rates"):
        Hypoexponential(rates)
