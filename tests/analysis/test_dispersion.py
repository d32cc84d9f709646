"""Indices of dispersion: against counted arrivals, exact special cases, and the operators' laws."""

import numpy as np
import pytest

from tidings.analysis.dispersion import (
    Passage,
    departed_curve,
    known_curve,
    measured_curve,
    poisson_curve,
    renewal_curve,
    scales,
    shifted_curve,
    superposed_curve,
    thinned_curve,
)
from tidings.vocabulary.distribution import Constant, Exponential, Gamma, Hyperexponential, Uniform

TIMES = scales(1.0, 10.0)


def counted(law, span, seed=3):
    """Variance over mean of counts in spans far apart, from a long sample."""
    arrivals = np.cumsum(law.sample(np.random.default_rng(seed), 400_000))
    starts = np.random.default_rng(seed + 1).uniform(arrivals[10], arrivals[-1] - span, 200_000)
    counts = np.searchsorted(arrivals, starts + span) - np.searchsorted(arrivals, starts)
    return counts.var() / counts.mean()


@pytest.mark.parametrize("law", [Uniform(0.0, 2.0), Gamma(1.0, 0.3), Hyperexponential(1.0, 4.0), Constant(1.0)])
@pytest.mark.parametrize("span", [0.3, 2.5, 20.0])
def test_renewal_streams_against_counting(law, span):
    """Within what 200,000 overlapping counts can tell."""
    assert renewal_curve(law, TIMES).at(np.array([span]))[0] == pytest.approx(counted(law, span), rel=0.08, abs=0.03)


@pytest.mark.parametrize("law", [Uniform(0.0, 2.0), Gamma(1.0, 0.3), Hyperexponential(1.0, 8.0)])
def test_limits(law):
    """1 at once, the scv in the long run."""
    curve = renewal_curve(law, TIMES)
    assert curve.limit == law.scv
    assert curve.index[0] == pytest.approx(1.0, abs=0.1)
    assert curve.index[-1] == pytest.approx(law.scv, rel=0.01)


def test_poisson():
    """1 always, kept by every operator."""
    curve = renewal_curve(Exponential(2.0), TIMES)
    assert (curve.index == 1.0).all()
    both = superposed_curve([curve, poisson_curve(TIMES, 1.5)], TIMES)
    assert both.rate == pytest.approx(2.0)
    behind = departed_curve(both, Passage(load=0.5, spacing=np.zeros_like(TIMES), spread=2.0, share=1.0))
    assert thinned_curve(behind, 0.3).index == pytest.approx(np.ones_like(TIMES))


def test_superposition_and_thinning():
    """Variances add up; a thinned stream is nearer to Poisson."""
    clock, bursts = renewal_curve(Constant(1.0), TIMES), renewal_curve(Hyperexponential(1.0, 4.0), TIMES)
    both = superposed_curve([clock, bursts], TIMES)
    assert both.index == pytest.approx((clock.index + bursts.index) / 2)
    assert both.limit == pytest.approx(2.0)
    thin = thinned_curve(clock, 0.25)
    assert (thin.rate, thin.limit) == (0.25, 0.75)
    assert (thin.index >= clock.index).all()


def test_measured_streams():
    """Counted from a record: near the law that it was drawn from; too short a record is taken as Poisson."""
    law = Hyperexponential(1e9, 4.0)
    instants = np.cumsum(law.sample(np.random.default_rng(2), 50_000)).astype(np.int64)
    times = scales(1e9, 1e10)
    found, truth = measured_curve(instants, times), renewal_curve(law, times)
    assert found.rate == pytest.approx(1e-9, rel=0.03)
    for span in (1e9, 1e10, 1e11):
        assert found.at(np.array([span]))[0] == pytest.approx(truth.at(np.array([span]))[0], rel=0.12)
    assert (measured_curve(instants[:1], times).index == 1.0).all()
    assert (measured_curve(instants[:5], times).index >= 0).all()


@pytest.mark.parametrize("law", [Hyperexponential(1e9, 4.0), Constant(1e9)])
def test_counting_is_that_of_every_window(law):
    """Against a count of each window, the empty ones as well."""
    instants = 5 * 10**9 + np.cumsum(law.sample(np.random.default_rng(5), 3_000)).astype(np.int64)
    times = scales(1e9, 1e10)
    span = instants[-1] - instants[0]
    found = measured_curve(instants, times)
    for width, index in zip(times.tolist(), found.index.tolist(), strict=True):
        windows = int(span / width)
        if windows >= 20 and found.rate * width > 0.02:
            counts = np.diff(np.searchsorted(instants, instants[0] + np.arange(windows + 1) * width))
            assert index == pytest.approx(counts.var() / counts.mean(), rel=0.02, abs=1e-9)


def test_indices_that_somebody_counted():
    """Between the points by the logarithm of time; 1 where windows are far shorter than gaps; Poisson without points."""
    times = np.array([1e-3, 1.0, 10.0, 100.0, 1e4])
    found = known_curve([(1.0, 2.0), (100.0, 4.0)], 1.0, times)
    assert found.index == pytest.approx([1.0, 2.0, 3.0, 4.0, 4.0])
    assert (found.rate, found.limit) == (1.0, 4.0)
    assert (known_curve([], 1.0, times).index == 1.0).all()


def test_shifting_each_event():
    """A clock whose ticks are late by independent exponential delays: counted, against the formula."""
    generator = np.random.default_rng(4)
    ticks = np.arange(200_000) + generator.exponential(0.8, 200_000)
    ticks.sort()
    found = shifted_curve(renewal_curve(Constant(1.0), TIMES), 0.8)
    for span in (0.5, 2.5, 10.0):
        starts = generator.uniform(100, 199_000, 100_000)
        counts = np.searchsorted(ticks, starts + span) - np.searchsorted(ticks, starts)
        assert found.at(np.array([span]))[0] == pytest.approx(counts.var() / counts.mean(), abs=0.06)
    clock = renewal_curve(Constant(1.0), TIMES)
    assert (shifted_curve(clock, 0.0).index == clock.index).all()


def test_long_times_pass_a_queue_unchanged():
    """A queue that is not busy smooths short times only; a full one shows nothing but its services."""
    bursts = renewal_curve(Hyperexponential(1.0, 8.0), TIMES)
    none = np.zeros_like(TIMES)
    behind = departed_curve(bursts, Passage(load=0.6, spacing=none, spread=9.0, share=1.0, jitter=1.5))
    assert behind.limit == 8.0
    assert behind.index[-1] == pytest.approx(8.0, rel=0.01)
    assert behind.at(np.array([5.0]))[0] < bursts.at(np.array([5.0]))[0]
    full = departed_curve(bursts, Passage(load=1.2, spacing=none, spread=9.0, share=1.0))
    assert full.limit == pytest.approx(1.0)


def test_an_idle_queue_changes_nothing():
    """Without load or without any variability."""
    clock = renewal_curve(Constant(1.0), TIMES)
    spacing = renewal_curve(Constant(0.5), TIMES).index - 1
    assert departed_curve(clock, Passage(load=0.5, spacing=spacing, spread=0.0, share=1.0)) is clock
    assert departed_curve(clock, Passage(load=0.0, spacing=spacing, spread=1.0, share=1.0)) is clock


def test_nothing_superposed():
    """No stream is a Poisson stream of rate 0."""
    assert superposed_curve([], TIMES).rate == 0.0


def test_who_made_it_uneven():
    """What brokers space and what publishers are stay apart, and add up."""
    spacing = -0.4 * np.exp(-TIMES)
    clock = thinned_curve(renewal_curve(Constant(1.0), TIMES), 0.5)
    behind = departed_curve(clock, Passage(load=0.5, spacing=spacing, spread=1.0, share=0.5, jitter=0.3))
    assert behind.excess[1] == pytest.approx(0.5 * spacing)
    assert behind.index == pytest.approx(1 + behind.excess.sum(axis=0))
    again = superposed_curve([behind, poisson_curve(TIMES, behind.rate)], TIMES)
    assert again.excess == pytest.approx(behind.excess / 2)
