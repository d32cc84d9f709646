"""Fig. 5.6 to 5.8: one publisher, one subscriber, and a line of brokers between them that fail."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tidings.analysis import predict
from tidings.logs import open_folder
from tidings.simulation import simulate
from tidings.studies.content_runs import TABLES, measured
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.intervals import finding_of_mean, mean_interval
from tidings.studies.overlay_setting import LIFETIME_NS, PERIOD_S, Line, endless
from tidings.studies.study_run import StudyRun
from tidings.vocabulary.instant import FOREVER, SECOND

Floats = NDArray[np.float64]

AVAILABILITIES: Final = (0.9, 0.95, 0.99, 0.999)
PERIODS_S: Final = (15_000, 30_000, PERIOD_S, 120_000)
LENGTHS: Final = (3, 5, 7, 10)
TIMES_S: Final = (1, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800)
"""Where the distributions of delays are compared. An event that took a second or less was not kept anywhere."""

Axis = tuple[str, str, tuple[float, ...]]
AXES: Final[tuple[Axis, ...]] = (
    ("availability", "availability", AVAILABILITIES),
    ("period, s", "period_s", PERIODS_S),
    ("brokers", "brokers", LENGTHS),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineJob:
    """One run of one line."""

    line: Line
    seed: int


def delays(job: LineJob) -> tuple[int, list[float]]:
    """How many events were published, and the delays in seconds of those that arrived, when none expires."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "run"
        simulate(replace(endless(job.line), seed=job.seed), out=folder, tables=TABLES)
        logs = open_folder(folder)
        published, shown = (
            {name: table.column(name).to_numpy() for name in table.column_names}
            for table in (
                logs.table("publications", ["event", "published_ns"]),
                logs.table("deliveries", ["event", "delivered_ns"]),
            )
        )
    order = np.argsort(published["event"])
    place = order[np.searchsorted(published["event"], shown["event"], sorter=order)]
    found = (shown["delivered_ns"] - published["published_ns"][place]) / SECOND
    return len(published["event"]), found.tolist()


def reliability(job: LineJob) -> float:
    """The share that arrives within the lifetime."""
    return measured(replace(job.line.world(), seed=job.seed))[0]


def predicted(line: Line, lifetime_ns: int = LIFETIME_NS) -> float:
    """The same as `tidings predict` says it."""
    return predict(line.world(lifetime_ns)).subscribers["s"].reliability


def predicted_cdf(line: Line) -> Floats:
    """Of the delay of an event that was taken, at `TIMES_S`: how much more arrives the longer events live."""
    ever = predicted(line, FOREVER)
    return np.array([predicted(line, at * SECOND) for at in TIMES_S]) / ever


def conditional(cdf: Floats) -> Floats:
    """The same of those that were kept anywhere (Eq. 5.12, as corrected)."""
    return np.asarray((cdf - cdf[0]) / (1 - cdf[0]), np.float64)


def line_figures(run: StudyRun) -> tuple[Figure, Figure, Figure]:
    """Fig. 5.6, 5.7 and 5.8."""
    runs = run.sized(quick=2, full=10)
    plain = Line(every_s=run.sized(quick=600, full=60))
    lines = {(key, value): _changed(plain, key, value) for _, key, values in AXES for value in values}
    seeds = range(run.seed, run.seed + runs)
    kept = run.map(delays, [LineJob(line=one, seed=seed) for one in lines.values() for seed in seeds])
    dropped = run.map(
        reliability,
        [LineJob(line=replace(one, mechanism="periodic"), seed=seed) for one in lines.values() for seed in seeds],
    )
    by_line = {
        name: (kept[place * runs : (place + 1) * runs], dropped[place * runs : (place + 1) * runs])
        for place, name in enumerate(lines)
    }
    laws = dict(zip(lines, run.map(predicted_cdf, list(lines.values())), strict=True))
    cdfs = {name: (np.array([_cdf(found) for _, found in by_line[name][0]]), laws[name]) for name in lines}
    whole = _delay_figure("fig5.6", "delays by buffering along a line", cdfs)
    waited = {
        name: (np.array([conditional(one) for one in ours]), conditional(law)) for name, (ours, law) in cdfs.items()
    }
    rest = _delay_figure("fig5.7", "delays of events that were kept somewhere", waited)
    return whole, rest, _reliability_figure(lines, by_line)


def _changed(line: Line, key: str, value: Any) -> Line:
    return replace(line, **{key: value})


def _cdf(found: Sequence[float]) -> Floats:
    return np.searchsorted(np.sort(found), TIMES_S, side="right") / max(len(found), 1)


def _delay_figure(name: str, title: str, cdfs: dict[tuple[str, float], tuple[Floats, Floats]]) -> Figure:
    findings, plots = [], []
    times = tuple(float(at) for at in TIMES_S)
    worst = []
    for axis, key, values in AXES:
        curves = []
        for value in values:
            ours, law = cdfs[key, value]
            mean = ours.mean(axis=0)
            worst.append(float(np.abs(mean - law).max()))
            findings.append(Finding(f"{axis} {value:g}: largest difference of the distributions", None, worst[-1]))
            curves.append(Curve(f"{value:g}, simulated", times, tuple(mean.tolist()), "points"))
            curves.append(Curve(f"{value:g}, predicted", times, tuple(law.tolist())))
        plots.append(Plot(title=f"by {axis}", x="delay, s", y="share", curves=tuple(curves), x_log=True))
    findings.append(Finding("longer lines wait longer", "yes", _rises(cdfs, "brokers", LENGTHS, -1)))
    findings.append(Finding("higher availability waits less", "yes", _rises(cdfs, "availability", AVAILABILITIES, 1)))
    findings.append(Finding("shorter periods wait less", "yes", _rises(cdfs, "period_s", PERIODS_S, -1)))
    return Figure(name=name, title=title, findings=tuple(findings), plots=tuple(plots))


def _rises(cdfs: dict[tuple[str, float], tuple[Floats, Floats]], key: str, values: Sequence[float], sign: int) -> str:
    """Whether what arrived within the times, all taken together, goes one way from the first value to the last."""
    means = [float(cdfs[key, value][0][:, 1:].mean()) for value in values]
    return "yes" if sign * (means[-1] - means[0]) > 0 else "no"


def _reliability_figure(
    lines: dict[tuple[str, float], Line],
    by_line: dict[tuple[str, float], tuple[list[tuple[int, list[float]]], list[float]]],
) -> Figure:
    findings, plots, gaps = [], [], []
    for axis, key, values in AXES:
        rows: dict[str, list[tuple[float, float, float, float]]] = {"periodic": [], "buffering": []}
        for value in values:
            kept, dropped = by_line[key, value]
            within = [
                float(np.mean(np.array(found) <= LIFETIME_NS / SECOND)) * len(found) / count for count, found in kept
            ]
            for mechanism, shares in (("periodic", dropped), ("buffering", within)):
                law = predicted(replace(lines[key, value], mechanism=mechanism))
                findings.append(finding_of_mean(f"{axis} {value:g}, {mechanism}: reliability", None, shares))
                findings.append(Finding(f"{axis} {value:g}, {mechanism}: predicted", None, law))
                rows[mechanism].append((*mean_interval(shares), law))
                gaps.append(abs(rows[mechanism][-1][0] - law))
        curves = [curve for mechanism, found in rows.items() for curve in _beside(mechanism, values, found)]
        plots.append(Plot(title=f"by {axis}", x=axis, y="share within an hour", curves=tuple(curves)))
        better = all(kept[0] >= lost[0] for lost, kept in zip(rows["periodic"], rows["buffering"], strict=True))
        findings.append(Finding(f"by {axis}: buffering at least as good as periodic", "yes", "yes" if better else "no"))
    findings.append(Finding("mean difference of predicted and simulated, points", None, 100 * float(np.mean(gaps))))
    findings.append(Finding("largest difference of predicted and simulated, points", None, 100 * max(gaps)))
    return Figure(name="fig5.8", title="reliability along a line", findings=tuple(findings), plots=tuple(plots))


def _beside(name: str, x: Sequence[float], rows: list[tuple[float, float, float, float]]) -> tuple[Curve, Curve]:
    """Simulated with intervals, and predicted."""
    mean, low, high, law = (tuple(one) for one in zip(*rows, strict=True))
    return Curve(f"{name}, simulated", tuple(x), mean, "ranges", low, high), Curve(f"{name}, predicted", tuple(x), law)
