"""Fig. 3: how many violations each latch prevents, and for how much extra delay, on the same arrivals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidings.ordering import EmpiricalReach, PlainReach, PredictiveReach, TwoLaplace
from tidings.studies.fifo_setting import NetworkJob, network_flows
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.latch_flows import Flow, LatchSetting, constant, latched
from tidings.studies.study_run import StudyRun

LAW: Final = TwoLaplace(1.0)
NETWORK_SEEDS: Final = 1_000
"""Seeds of networks stand so far apart: studies with neighbouring seeds share none."""

PAPERS: Final = (
    LatchSetting(name="P-0.2-0, as published", reach=PlainReach(LAW, 0.2)),
    LatchSetting(name="P-0.05-0, as published", reach=PlainReach(LAW, 0.05)),
)
OURS: Final = (
    *(
        LatchSetting(name=f"P-{p}-{y}", reach=PredictiveReach(LAW, p), record=y)
        for p in (0.2, 0.05)
        for y in (0, 5, 25)
    ),
    *(LatchSetting(name=f"P-{p}-{y}", reach=PredictiveReach(LAW, p), record=y) for p in (0.01, 0.005) for y in (0, 25)),
    LatchSetting(name="empirical 0.05-25", reach=EmpiricalReach(0.05, until=PredictiveReach(LAW, 0.05)), record=25),
)
MATCHED: Final = ("P-0.2-0", "P-0.05-0", "P-0.05-25", "P-0.005-0", "P-0.005-25")
"""Those that are compared with the best constant latch."""


@dataclass(frozen=True, slots=True)
class LatchJob:
    """Some flows, and the latches to drive through all of them."""

    flows: tuple[Flow, ...]
    settings: tuple[LatchSetting, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """What one latch made of all flows; arrays by flow."""

    name: str
    shown: NDArray[np.int64]
    late: NDArray[np.int64]
    extra_s: NDArray[np.float64]

    @property
    def violations(self) -> int:
        """Messages shown after a later one."""
        return int(self.late.sum())

    @property
    def median_ms(self) -> float:
        """Median over pairs of publisher and subscriber of the mean extra delay."""
        return 1e3 * float(np.median(self.extra_s))

    def quantile_ms(self, share: float) -> float:
        """The same for another share of the pairs."""
        return 1e3 * float(np.quantile(self.extra_s, share))


def drive_flows(job: LatchJob) -> list[list[tuple[int, int, float]]]:
    """By setting and flow: shown, late, mean extra delay."""
    outcomes = [[latched(flow, setting) for flow in job.flows] for setting in job.settings]
    return [[(one.shown, one.late, one.extra_s) for one in row] for row in outcomes]


def compare(run: StudyRun, chunks: Sequence[tuple[Flow, ...]], settings: Sequence[LatchSetting]) -> list[Result]:
    """Every setting over every flow."""
    parts = run.map(drive_flows, [LatchJob(flows, tuple(settings)) for flows in chunks])
    rows = [[one for part in parts for one in part[place]] for place in range(len(settings))]
    return [
        Result(
            setting.name,
            np.array([shown for shown, _, _ in row]),
            np.array([late for _, late, _ in row]),
            np.array([extra for _, _, extra in row]),
        )
        for setting, row in zip(settings, rows, strict=True)
    ]


def best_constant(run: StudyRun, chunks: Sequence[tuple[Flow, ...]], violations: int) -> Result:
    """The shortest constant latch with no more violations, to 2 %: the one that costs least for that much order."""
    low, high, best = 1e5, 1e11, None
    while high / low > 1.02:
        ratio = (high / low) ** (1 / 8)
        tried = [low * ratio**step for step in range(1, 8)]
        for hold, found in zip(tried, compare(run, chunks, [constant(round(one)) for one in tried]), strict=True):
            if found.violations <= violations:
                high, best = hold, found
                break
            low = hold
    assert best is not None, "a latch of a minute prevents everything that comes within one"
    return best


def orders(run: StudyRun, *, threads: bool) -> Figure:
    """Fig. 3 on 46 brokers whose messages overtake each other in workers or in threads."""
    jobs = [
        NetworkJob(
            seed=run.seed * NETWORK_SEEDS + number,
            seconds=run.sized(quick=8.0, full=60.0),
            flows=run.sized(quick=24, full=100),
            threads=threads,
        )
        for number in range(run.sized(quick=2, full=8))
    ]
    chunks = [tuple(flows) for flows in run.map(network_flows, jobs)]
    none, *results = compare(run, chunks, [constant(0), *PAPERS, *OURS])
    by_name = {one.name: one for one in results}
    matched = {name: best_constant(run, chunks, by_name[name].violations) for name in MATCHED}
    kind = "a thread for each message" if threads else "four workers"
    return Figure(
        name="fig3-threads" if threads else "fig3",
        title=f"violations and extra delay, 46 brokers with {kind}",
        findings=(
            Finding("messages shown, all pairs looked at", None, int(none.shown.sum())),
            Finding("violations without a latch", None, none.violations),
            *(row for one in results for row in _prevented(one, none)),
            *(row for name, other in matched.items() for row in _beside(by_name[name], other)),
        ),
        plots=(_violations(none, results), _extra(results, list(matched.values()))),
    )


def _prevented(one: Result, none: Result) -> tuple[Finding, ...]:
    """The interval is over pairs, which share a network but no latch."""
    share, low, high = _ratio_interval(one.late, none.late)
    paper = 0.995 if one.name.startswith("P-0.05-0") else None
    near = "nearly 0" if one.name == "P-0.05-25" else None
    ninety = 190 if one.name == "P-0.05-25" else None
    rows = [
        Finding(f"{one.name}: share of violations prevented", paper, share, low, high),
        Finding(f"{one.name}: median extra delay, ms", near, one.median_ms),
    ]
    if ninety is not None:
        rows.append(Finding(f"{one.name}: extra delay of 90 % of the pairs at most, ms", ninety, one.quantile_ms(0.9)))
    return tuple(rows)


def _ratio_interval(late: NDArray[np.int64], base: NDArray[np.int64]) -> tuple[float, float, float]:
    """1 − Σlate/Σbase and its 95 % interval by the ratio's linearised variance over pairs."""
    if not base.sum():
        return math.nan, 0.0, 1.0
    ratio = float(late.sum() / base.sum())
    spread = float(np.std(late - ratio * base, ddof=1)) * math.sqrt(len(base)) / float(base.sum())
    return 1 - ratio, 1 - ratio - 1.96 * spread, min(1.0, 1 - ratio + 1.96 * spread)


def _beside(ours: Result, constant_latch: Result) -> tuple[Finding, ...]:
    paper = 250 if ours.name == "P-0.05-0" else None
    hold = float(constant_latch.name.removeprefix("CST-"))
    return (
        Finding(f"constant latch with no more violations than {ours.name}, ms", paper, hold),
        Finding(f"{constant_latch.name} (as {ours.name}): median extra delay, ms", None, constant_latch.median_ms),
    )


def _violations(none: Result, results: Sequence[Result]) -> Plot:
    shown = [none, *(one for one in results if one.name.endswith(("-0", "published", "-25")))]
    return Plot(
        title="(a) violations",
        x="latch",
        y="messages shown after a later one",
        categories=tuple("none" if one is none else _short(one.name) for one in shown),
        curves=(
            Curve(
                "violations",
                tuple(map(float, range(len(shown)))),
                tuple(float(one.violations) for one in shown),
                "bars",
            ),
        ),
    )


def _extra(results: Sequence[Result], constants: Sequence[Result]) -> Plot:
    shown = [*results, *constants]
    places = tuple(map(float, range(len(shown))))
    return Plot(
        title="(b) mean extra delay of a pair: quartiles over pairs",
        x="latch",
        y="extra delay, ms",
        categories=tuple(_short(one.name) for one in shown),
        curves=(
            Curve(
                "median, quartiles",
                places,
                tuple(one.median_ms for one in shown),
                "ranges",
                tuple(one.quantile_ms(0.25) for one in shown),
                tuple(one.quantile_ms(0.75) for one in shown),
            ),
        ),
    )


def _short(name: str) -> str:
    return name.replace(", as published", "*").replace("empirical ", "E-").removeprefix("P-")
