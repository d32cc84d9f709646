"""Beyond the paper: which reach keeps the tolerance under which law of delays.

A dense stream (2 ms between messages, delays of 10 ms), everything wanted: nearly every message has a hole below it, so that the
tolerance is used up. A rate is measured on independent streams; its interval is over them.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidings.ordering import (
    BernsteinReach,
    ChebyshevReach,
    EmpiricalReach,
    LaplaceSum,
    PlainReach,
    PredictiveReach,
    Reach,
    TwoLaplace,
)
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.intervals import mean_interval
from tidings.studies.latch_flows import Flow, LatchSetting, latched
from tidings.studies.study_run import StudyRun
from tidings.vocabulary.streams import Streams

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]

GAP_S: Final = 0.002
HOPS: Final = 2
WARM: Final = 400
"""Messages before anything is counted: nothing is promised while the samples are few."""
TWO, FOUR = TwoLaplace(1.0), LaplaceSum((1.0,) * 4)

LAWS: Final[dict[str, Draw]] = {
    "2 exponential hops (light)": lambda draw, n: draw.gamma(2, 0.005, n),
    "4 exponential hops (light)": lambda draw, n: draw.gamma(4, 0.0025, n),
    "uniform (bounded)": lambda draw, n: draw.uniform(0, 0.02, n),
    "Pareto 1.5 (heavy)": lambda draw, n: 0.01 / 3 * (1 + draw.pareto(1.5, n)),
    "lognormal 2 (heavy)": lambda draw, n: 0.01 * math.exp(-2) * draw.lognormal(0, 2, n),
}
"""Delays in seconds, 10 ms on average."""


def reaches(tolerance: float) -> dict[str, Reach]:
    """Every way to know a reach, for the same tolerance."""
    return {
        "predictive": PredictiveReach(TWO, tolerance),
        "predictive, for 4 hops": PredictiveReach(FOUR, tolerance),
        "plain (as published)": PlainReach(TWO, tolerance),
        "empirical": EmpiricalReach(tolerance, until=PredictiveReach(TWO, tolerance)),
        "Bernstein, 2 hops": BernsteinReach(tolerance, HOPS),
        "Chebyshev": ChebyshevReach(tolerance),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class LawJob:
    """One stream under one law, through every latch."""

    seed: int
    number: int
    law: str
    tolerance: float
    messages: int


def violation_rates(job: LawJob) -> list[float]:
    """Share of messages shown after a later one, by reach."""
    draw = Streams(job.seed)(f"fifo laws {job.law} {job.number}")
    departures = np.cumsum(draw.exponential(GAP_S, job.messages))
    arrived = np.round((departures + LAWS[job.law](draw, job.messages)) * 1e9).astype(np.int64)
    order = np.argsort(arrived, kind="stable")
    flow = Flow(
        departures_ns=tuple(np.round(departures * 1e9).astype(np.int64).tolist()),
        kinds=(0,) * job.messages,
        wanted=0,
        arrivals=tuple(zip(arrived[order].tolist(), order.tolist(), strict=True)),
    )
    found = [
        latched(flow, LatchSetting(name=name, reach=reach), warm=WARM) for name, reach in reaches(job.tolerance).items()
    ]
    return [one.late / one.shown for one in found]


def laws(run: StudyRun) -> Figure:
    """Rates of violation for every law, reach and tolerance."""
    findings, plots = [], []
    for tolerance in (0.05, 0.01):
        runs, messages = run.sized(quick=8, full=40), run.sized(quick=2_400, full=20_000)
        jobs = [
            LawJob(seed=run.seed, number=number, law=law, tolerance=tolerance, messages=messages)
            for law in LAWS
            for number in range(runs)
        ]
        rates = np.array(run.map(violation_rates, jobs)).reshape(len(LAWS), runs, -1)
        names = list(reaches(tolerance))
        measured = {
            (law, name): mean_interval(rates[place, :, column])
            for place, law in enumerate(LAWS)
            for column, name in enumerate(names)
        }
        findings += [
            Finding(f"P = {tolerance}: {name}, under {law}", None, *found) for (law, name), found in measured.items()
        ]
        findings += [
            Finding(f"P = {tolerance}: laws under which {name} keeps it", None, _kept(measured, name, tolerance))
            for name in names
        ]
        plots.append(_plot(tolerance, names, measured))
    return Figure(
        name="laws",
        title="rates of violation under other laws of delay (a rate above P breaks the promise)",
        findings=tuple(findings),
        plots=tuple(plots),
    )


def _kept(measured: Mapping[tuple[str, str], tuple[float, float, float]], name: str, tolerance: float) -> str:
    """Those whose interval does not lie above the tolerance as a whole."""
    lows = [measured[law, name][1] for law in LAWS]
    return f"{sum(low <= tolerance for low in lows)} of {len(lows)}"


def _plot(tolerance: float, names: list[str], measured: dict[tuple[str, str], tuple[float, float, float]]) -> Plot:
    places = tuple(map(float, range(len(LAWS))))
    curves = [
        Curve(
            name,
            tuple(place + 0.1 * (column - len(names) / 2) for place in places),
            tuple(measured[law, name][0] for law in LAWS),
            "points",
            tuple(measured[law, name][1] for law in LAWS),
            tuple(measured[law, name][2] for law in LAWS),
        )
        for column, name in enumerate(names)
    ]
    line = Curve("tolerance", (-0.5, len(LAWS) - 0.5), (tolerance, tolerance))
    return Plot(
        title=f"violations, P = {tolerance}",
        x="law of delays",
        y="share of messages",
        categories=tuple(law.split(" (")[0] for law in LAWS),
        curves=(*curves, line),
    )
