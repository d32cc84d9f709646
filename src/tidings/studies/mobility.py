"""The evaluation of the reliability thesis's fourth chapter: subscribers that move."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tidings.analysis import predict
from tidings.analysis.coverage import NOWHERE
from tidings.analysis.delay_law import TimeGrid
from tidings.analysis.phase_laws import steady
from tidings.analysis.walk_graph import WalkGraph
from tidings.analysis.walk_models import walks_of
from tidings.studies.content_runs import error_curve, measured
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.intervals import mean_interval
from tidings.studies.mobility_setting import MODELS, Walkers, phases
from tidings.studies.study_run import StudyRun
from tidings.vocabulary.instant import SECOND

Floats = NDArray[np.float64]

SPEEDS: Final[Mapping[str, tuple[float, ...]]] = {
    "random-waypoint": (1.0, 5.0, 10.0, 25.0),
    "manhattan": (1.0, 10.0, 30.0, 60.0),
}
PAUSES: Final = (1.0, 20.0, 60.0)
LIFETIMES: Final = (10.0, 30.0, 60.0, 120.0)
HANDOFFS_S: Final = (1.0, 5.0, 10.0)
MAPS: Final = (1, 5)
POINTS: Final = 200
"""Of a predicted distribution that are drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkersJob:
    """One run."""

    walkers: Walkers
    seed: int


def walked(job: WalkersJob) -> tuple[list[float], list[float]]:
    """Phases of contact and of outage in one run; nothing is published."""
    return phases(job.walkers, job.seed)


def laws_of(setting: Walkers) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Of contact and of outage, as predicted."""
    return predicted_phase(setting, contact=True), predicted_phase(setting, contact=False)


def shown(job: WalkersJob) -> tuple[list[float], float]:
    """Every subscriber's reliability in one run, and the one predicted for them all."""
    world = replace(job.walkers.world(), seed=job.seed)
    law = float(np.mean([one.reliability for one in predict(world).subscribers.values()]))
    return measured(world), law


def figures(run: StudyRun) -> Iterator[Figure]:
    """Fig. 4.10 to 4.15."""
    yield phases_figure(run, "fig4.10", "phases by speed, without pauses", "speed", SPEEDS)
    pauses = dict.fromkeys(MODELS, PAUSES)
    yield phases_figure(run, "fig4.11", "phases by pause, at 10 m/s", "pause", pauses)
    modes = ("basic", "+broker")
    yield reliability_figure(run, "fig4.12", "reliability by speed", "speed", SPEEDS, [{"mode": one} for one in modes])
    yield reliability_figure(run, "fig4.13", "reliability by pause", "pause", pauses, [{"mode": one} for one in modes])
    lives = dict.fromkeys(MODELS, LIFETIMES)
    yield reliability_figure(run, "fig4.14", "reliability by lifetime", "lifetime", lives, [{}])
    late = [{"handoff_s": one, "brokers": 5} for one in HANDOFFS_S]
    yield reliability_figure(run, "fig4.15", "reliability by the longest hand-off", "speed", SPEEDS, late)


# ---- phases


def phases_figure(run: StudyRun, name: str, title: str, key: str, values: Mapping[str, tuple[float, ...]]) -> Figure:
    """Distributions of contact and outage on both maps, walked and predicted."""
    findings, plots = [], []
    seeds = range(run.seed, run.seed + run.sized(quick=1, full=5))
    for model, brokers in product(MODELS, MAPS):
        settings = [_changed(Walkers(), model=model, brokers=brokers, **{key: value}) for value in values[model]]
        laws = run.map(laws_of, settings)
        found = run.map(walked, [WalkersJob(walkers=one, seed=seed) for one in settings for seed in seeds])
        for kind, place in (("contact", 0), ("outage", 1)):
            curves = []
            for number, value in enumerate(values[model]):
                parts = found[number * len(seeds) : (number + 1) * len(seeds)]
                walks = np.sort(np.concatenate([one[place] for one in parts]))
                times, law = laws[number][place]
                what = f"{model}, {brokers} brokers, {key} {value:g}, {kind}"
                findings += _phase_findings(what, walks, times, law)
                curves += _phase_curves(f"{key} {value:g}", walks, times, law)
            plots.append(Plot(title=f"{kind}, {model}, {brokers} brokers", x="s", y="share", curves=tuple(curves)))
    return Figure(name=name, title=title, findings=tuple(findings), plots=tuple(plots))


def predicted_phase(setting: Walkers, *, contact: bool) -> tuple[Floats, Floats]:
    """Times in seconds, and the share of phases that are no longer."""
    world = setting.world()
    assert world.map is not None
    mobility = world.subscribers[0].mobility
    assert mobility is not None
    grid = TimeGrid(_reach(setting) * SECOND)
    total, weight = np.zeros(grid.points + 1), 0.0
    for share, graph in walks_of(mobility, world.map, float(world.duration_ns)):
        assert isinstance(graph, WalkGraph), "these walks have no end"
        laws = steady(graph)
        for point in range(setting.brokers) if contact else (NOWHERE,):
            rate = share * laws.rate(point)
            total += rate * laws.law(point, grid)
            weight += rate
    return grid.times / SECOND, np.cumsum(total) / weight


def _reach(setting: Walkers) -> float:
    """Longer than all but few phases last."""
    return 20_000.0 / setting.speed + 20 * setting.pause


def _phase_findings(what: str, walks: Floats, times: Floats, law: Floats) -> list[Finding]:
    """Means, and how far the two distributions are apart; the thesis says nothing of them in numbers."""
    mean, low, high = mean_interval(walks)
    walked_law = np.searchsorted(walks, times, side="right") / walks.size
    apart = np.trapezoid(np.abs(walked_law - law), times)
    expected = float(np.trapezoid(1 - law, times))
    return [
        Finding(f"{what}: mean, s", None, mean, low, high),
        Finding(f"{what}: predicted mean, s", None, expected),
        Finding(f"{what}: area between the distributions, s", None, float(apart)),
    ]


def _phase_curves(name: str, walks: Floats, times: Floats, law: Floats) -> list[Curve]:
    last = float(walks[-1])
    at = np.linspace(0.0, last, POINTS)
    shares = np.searchsorted(walks, at, side="right") / walks.size
    return [
        Curve(f"{name}, sim", tuple(at.tolist()), tuple(shares.tolist()), "steps"),
        Curve(f"{name}, anl", tuple(at.tolist()), tuple(np.interp(at, times, law).tolist())),
    ]


# ---- reliability


def reliability_figure(
    run: StudyRun,
    name: str,
    title: str,
    key: str,
    values: Mapping[str, tuple[float, ...]],
    variants: Sequence[Mapping[str, Any]],
) -> Figure:
    """Means over subscribers, simulated and predicted, along one axis; a curve for each variant, model and map."""
    findings, plots, errors = [], [], []
    runs = run.sized(quick=1, full=5)
    for model in MODELS:
        curves = []
        for brokers, variant in product(MAPS, variants):
            if variant.get("brokers", brokers) != brokers:
                continue
            plain = _changed(_sized(run), model=model, **{"brokers": brokers, **variant})
            settings = [_changed(plain, **{key: value}) for value in values[model]]
            found = run.map(
                shown, [WalkersJob(walkers=one, seed=run.seed + number) for one in settings for number in range(runs)]
            )
            called = ", ".join([f"{brokers} brokers", *(str(one) for one in variant.values() if one != brokers)])
            rows = []
            for place, value in enumerate(values[model]):
                parts = found[place * runs : (place + 1) * runs]
                mean, low, high = mean_interval(np.nanmean([part[0] for part in parts], axis=0))
                rows.append((mean, low, high, parts[0][1]))
                errors.append(parts[0][1] - mean)
                what = f"{model}, {called}, {key} {value:g}"
                findings.append(Finding(f"{what}: reliability", None, mean, low, high))
                findings.append(Finding(f"{what}: predicted", None, parts[0][1]))
            mean_, low_, high_, law = (tuple(one) for one in zip(*rows, strict=True))
            curves.append(Curve(f"{called}, sim", values[model], mean_, "ranges", low_, high_))
            curves.append(Curve(f"{called}, anl", values[model], law))
            findings += _said(name, f"{model}, {called}", variant, [row[0] for row in rows])
        plots.append(Plot(title=model, x=key, y="reliability", curves=tuple(curves)))
    sizes = 100 * np.abs(np.array(errors))
    findings.append(Finding("mean difference of predicted and simulated, points", None, float(sizes.mean())))
    findings.append(Finding("largest difference of predicted and simulated, points", None, float(sizes.max())))
    cdf = Plot(
        title="errors",
        x="absolute error, points",
        y="share of settings",
        curves=(error_curve("all", np.array(errors)),),
    )
    return Figure(name=name, title=title, findings=tuple(findings), plots=(*plots, cdf))


_CLAIMS: Final[Mapping[tuple[str, str], str]] = {
    ("fig4.12", "basic"): "none",
    ("fig4.12", "+broker"): "up",
    ("fig4.13", "basic"): "none",
    ("fig4.13", "+broker"): "down",
    ("fig4.14", "+broker"): "up",
}
"""What the thesis says that the axis does to reliability (4.5.3.3 to 4.5.3.5)."""


def _said(name: str, what: str, variant: Mapping[str, Any], means: Sequence[float]) -> list[Finding]:
    claim = _CLAIMS.get((name, variant.get("mode", "+broker")))
    if claim is None:
        return []
    gain = 100 * (means[-1] - means[0])
    return [Finding(f"{what}: effect from the first to the last, points", claim, gain)]


def _sized(run: StudyRun) -> Walkers:
    return Walkers() if run.full else Walkers(every_s=30.0, walkers=20, seconds=1_800)


def _changed(walkers: Walkers, **changes: Any) -> Walkers:
    return replace(walkers, **changes)
