"""One server over time: exact special cases, and a server that is run."""

import numpy as np
import pytest

from tidings.analysis.dispersion import scales
from tidings.analysis.poisson_server import PoissonServer
from tidings.analysis.stations import Station, poisson_wait
from tidings.vocabulary.distribution import Constant, Empirical, Exponential, Gamma, Hyperexponential, Uniform

TIMES = scales(0.5, 5.0)
LAWS = [Uniform(0.0, 2.0), Gamma(1.0, 0.25), Hyperexponential(1.0, 3.0), Constant(1.0)]


def run(rate, law, count=400_000, seed=1):
    """Arrivals, services and departures of a server."""
    generator = np.random.default_rng(seed)
    arrivals, services = np.cumsum(generator.exponential(1 / rate, count)), law.sample(generator, count)
    work = np.cumsum(services)
    departures = work + np.maximum.accumulate(arrivals - np.concatenate([[0.0], work[:-1]]))
    return arrivals, services, departures


def at(values, time):
    """Of a function of time, at one of them."""
    return float(np.interp(time, TIMES, values))


def test_exponential_services():
    """Departures are Poisson, and delays say nothing of them (Burke, Reich)."""
    server = PoissonServer(0.7, Exponential(1.0), TIMES)
    assert server.load == 0.7
    assert np.abs(server.spacing).max() < 1e-3
    near = server.bunching[TIMES < 30.0]
    assert np.abs(near).max() < 5e-3


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_what_is_kept_adds_up(law):
    """All at once, nothing in the end; one arrival more makes as much work as the theory of the mean says.

    The integral of the work kept is what the mean work gains when the rate grows: (1 − ρ) · dV/dλ.
    """
    server = PoissonServer(0.6, law, TIMES)
    assert server.work_kept[0] == pytest.approx(1.0, abs=0.02)
    assert server.busy_kept[0] == pytest.approx(1.0, abs=0.02)
    assert server.work_kept[-1] == server.busy_kept[-1] == 0.0
    steps = np.diff(np.concatenate([[0.0], TIMES]))
    kept = float(steps @ server.work_kept)
    more = [poisson_wait(Station(rate=rate, service_mean=1.0, service_scv=law.scv)) for rate in (0.5999, 0.6001)]
    assert kept == pytest.approx((more[1] - more[0]) / 2e-4, rel=0.05)
    assert float(steps @ server.busy_kept) == pytest.approx(1.0 / (1 - 0.6), rel=0.05)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_spacing_against_counting(law):
    """The index of what leaves, counted in windows side by side."""
    server = PoissonServer(0.7, law, TIMES)
    _, _, departures = run(0.7, law)
    for span in (0.7, 2.0, 6.0, 30.0):
        counts = np.bincount((departures / span).astype(np.int64))[5:-5]
        assert at(server.spacing, span) == pytest.approx(counts.var() / counts.mean() - 1, abs=0.06), span


@pytest.mark.parametrize("law", [Uniform(0.0, 2.0), Gamma(1.0, 0.25), Hyperexponential(1.0, 3.0)])
def test_bunching_against_counting(law):
    """How many have left in a time before, and how long somebody was there: their covariance, from a run."""
    server = PoissonServer(0.6, law, TIMES)
    arrivals, _, departures = run(0.6, law, count=1_500_000)
    spent = departures - arrivals
    for span in (1.5, 4.0, 9.0):
        before = np.arange(len(departures)) - np.searchsorted(departures, departures - span)
        found = np.cov(spent[1_000:], before[1_000:])[0, 1]
        assert at(server.bunching, span) == pytest.approx(found, abs=0.05), span


def test_recorded_services():
    """Thousands of values are taken by some of their quantiles, and give what their law gives."""
    drawn = Empirical.of("x", Gamma(1.0, 0.25).sample(np.random.default_rng(3), 5_000))
    found, truth = (PoissonServer(0.5, law, TIMES) for law in (drawn, Gamma(1.0, 0.25)))
    assert found.spacing == pytest.approx(truth.spacing, abs=0.03)
    few = Empirical.of("x", [0.5, 1.5])
    assert PoissonServer(0.5, few, TIMES).spacing.min() < -0.1
