"""Fig. 1: the law of a delay over several brokers, and of the difference of two."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from tidings.ordering import Hypoexponential, LaplaceSum, TwoLaplace, fit
from tidings.ordering.estimators import scale_by_moments
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.study_run import StudyRun
from tidings.studies.worker_brokers import Message, deliver, line

Floats = NDArray[np.float64]

SAMPLES = 6_500
"""As in the paper's Fig. 1b."""
RATE = 200.0
"""Messages per second: a quarter of what four workers at 5 ms can do."""


def delays_over(brokers: int, messages: int, draw: np.random.Generator) -> Floats:
    """Delays of a Poisson stream over a chain of brokers, as sent."""
    departures = np.cumsum(draw.exponential(1 / RATE, messages))
    end = frozenset([brokers - 1])
    sent = [Message(departed, 0, end) for departed in departures.tolist()]
    arrived: Floats = deliver(line(brokers), sent, draw)[:, brokers - 1]
    return arrived - departures


def delay_laws(run: StudyRun) -> Figure:
    """Fig. 1: (a) 3 brokers, (b) 5 brokers with a fit of 5 phases, (c) the differences of consecutive delays."""
    draw = run.streams("fifo fig1")
    three, five = delays_over(3, SAMPLES, draw), delays_over(5, SAMPLES, draw)
    variable = five - 4 * 0.05
    chain = fit(variable, 5)
    differences = np.diff(five)
    scale = scale_by_moments(differences.tolist())
    two, exact = (
        TwoLaplace(scale),
        LaplaceSum((float(np.abs(differences).mean()) / LaplaceSum((1.0,) * 5).mean_absolute,) * 5),
    )
    gamma = stats.gamma(*stats.gamma.fit(variable, floc=0))
    power = stats.pareto(*stats.pareto.fit(variable + 1e-9, floc=0))
    beyond = float((differences > two.upper_quantile(0.05)).mean())
    return Figure(
        name="fig1",
        title="delays and their differences",
        findings=(
            Finding("a: constant part of the delay over 3 brokers, s", 0.1, round(float(three.min()), 4)),
            Finding("a: mean delay over 3 brokers, s", None, float(three.mean())),
            Finding("b: samples", SAMPLES, len(variable)),
            Finding(
                "b: largest distance of the fitted chain of 5 phases from the data", None, distance(variable, chain.law)
            ),
            Finding("b: the same, gamma", None, float(stats.kstest(variable, gamma.cdf).statistic)),
            Finding("b: the same, power law", None, float(stats.kstest(variable, power.cdf).statistic)),
            Finding("b: mean of the fitted phases, ms (set: 5)", None, 1e3 * chain.law.mean / 5),
            Finding("c: scale of two Laplace variables, ms", None, 1e3 * scale),
            Finding("c: share of differences beyond their 95 % quantile", 0.05, beyond),
        ),
        plots=(_histogram_of_delays(three), _distribution(variable, chain.law), _histogram(differences, two, exact)),
    )


def distance(samples: Floats, law: Hypoexponential) -> float:
    """Kolmogorov's: the largest difference between the samples' distribution and the law's."""
    return float(stats.kstest(samples, law.distribution).statistic)


def _histogram_of_delays(delays: Floats) -> Plot:
    counts, edges = np.histogram(delays, 60)
    middles = (edges[:-1] + edges[1:]) / 2
    curve = Curve("measured", tuple(middles.tolist()), tuple(counts.tolist()), "bars")
    return Plot(title="(a) delay over 3 brokers", x="delay, s", y="messages", curves=(curve,))


def _distribution(samples: Floats, law: Hypoexponential) -> Plot:
    ordered = np.sort(samples)[:: max(1, len(samples) // 400)]
    shares = np.linspace(0, 1, len(ordered))
    return Plot(
        title="(b) delay over 5 brokers less what is constant",
        x="delay, s",
        y="share below",
        curves=(
            Curve("measured", tuple(ordered.tolist()), tuple(shares.tolist()), "steps"),
            Curve("5 phases, fitted", tuple(ordered.tolist()), tuple(law.distribution(ordered).tolist())),
        ),
    )


def _histogram(differences: Floats, two: TwoLaplace, exact: LaplaceSum) -> Plot:
    shares, edges = np.histogram(differences, 60, density=True)
    middles = (edges[:-1] + edges[1:]) / 2
    places = tuple(middles.tolist())
    return Plot(
        title="(c) difference of two consecutive delays, 5 brokers",
        x="difference, s",
        y="density",
        curves=(
            Curve("measured", places, tuple(shares.tolist()), "bars"),
            Curve("two Laplace", places, tuple(two.density(middles).tolist())),
            Curve("five Laplace", places, tuple(exact.density(middles).tolist())),
        ),
    )
