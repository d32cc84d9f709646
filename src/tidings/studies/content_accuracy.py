"""Fig. 3.5 to 3.7: predicted against simulated, by intervals and services, by load, by lifetime, and with publishers badly known."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Final

import numpy as np

from tidings.studies.content_runs import (
    MODELS,
    SKEWS,
    Compared,
    compared,
    error_curve,
    error_findings,
    joined,
    name_of,
)
from tidings.studies.content_setting import INTERVALS, SERVICES, Setting
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.study_run import StudyRun

LOADS_MS: Final = (0.4, 0.8, 1.0, 1.2, 1.4)
LIFETIMES_S: Final = (0.25, 0.5, 1.0, 2.0, 4.0)
OURS: Final = MODELS[2]


def accuracy(run: StudyRun) -> tuple[Figure, Figure, Figure, Figure]:
    """Fig. 3.5 (M/M/1), Fig. 3.6 (G/G/1), the same by whole distributions, and Fig. 3.7 (skewed knowledge)."""
    kinds = list(product(INTERVALS, SERVICES))
    found = dict(zip(kinds, _many(run, [{"intervals": one, "services": two} for one, two in kinds]), strict=True))
    figures = [
        _compared_figure(name, title, model, found, below=model == "M/M/1")
        for name, title, model in (
            ("fig3.5", "M/M/1 model, predicted and simulated reliability", MODELS[0]),
            ("fig3.6", "G/G/1 model, predicted and simulated reliability", MODELS[1]),
            ("fig3.6-distribution", "waits as whole distributions, predicted and simulated reliability", OURS),
        )
    ]
    return figures[0], figures[1], figures[2], skewed_knowledge(found["exponential", "exponential"])


def by_load(run: StudyRun) -> Figure:
    """Errors from light to heavy load. The thesis shows one load."""
    return _along(run, "loads", "errors by load", "service per subscription, ms", "service_ms", LOADS_MS)


def by_lifetime(run: StudyRun) -> Figure:
    """Errors from events that are soon of no use to those that are for long."""
    return _along(run, "lifetimes", "errors by lifetime", "lifetime, s", "lifetime_s", LIFETIMES_S)


def _many(run: StudyRun, changes: Sequence[dict[str, Any]]) -> list[Compared]:
    """Each change of the setting, in every world of the study."""
    worlds, runs = run.sized(quick=1, full=3), run.sized(quick=2, full=8)
    seconds = run.sized(quick=2_000, full=10_000)
    plain = [Setting(seed=run.seed + number, seconds=seconds) for number in range(worlds)]
    settings = [replace(one, **change) for change in changes for one in plain]
    found = compared(run, settings, runs)
    return [joined(found[start : start + worlds]) for start in range(0, len(found), worlds)]


def _compared_figure(
    name: str, title: str, model: str, found: dict[tuple[str, str], Compared], *, below: bool
) -> Figure:
    findings: list[Finding] = []
    plots = []
    for (intervals, services), one in found.items():
        kind = f"{intervals} intervals, {services} services"
        findings += error_findings(kind, one, model, paper=True)
        if below and (intervals, services) != ("exponential", "exponential"):
            most = float((one.errors(model) <= 0).mean())
            findings.append(Finding(f"{kind}, {model}: share predicted at or below simulated", "almost all", most))
        points = Curve("subscribers", tuple(one.predicted[model].tolist()), tuple(one.simulated.tolist()), "points")
        plots.append(Plot(title=kind, x="predicted", y="simulated", curves=(points, _DIAGONAL)))
    curves = tuple(error_curve(f"{one}, {two}", each.errors(model)) for (one, two), each in found.items())
    cdf = Plot(title=f"errors of {model}", x="absolute error, points", y="share of subscribers", curves=curves)
    return Figure(name=name, title=title, findings=tuple(findings), plots=(*plots, cdf))


_DIAGONAL: Final = Curve("equal", (0.0, 1.0), (0.0, 1.0))


def skewed_knowledge(truth: Compared) -> Figure:
    """Fig. 3.7: errors by α, for each model."""
    findings, curves, plots = [], [], []
    low, high = SKEWS[0], SKEWS[-1]
    for model in MODELS[1:]:
        names = [name_of(model, skew) for skew in SKEWS]
        sizes = [100 * np.abs(truth.errors(name)) for name in names]
        for name, size in zip(names, sizes, strict=True):
            findings.append(Finding(f"{name}: mean error, points", None, float(size.mean())))
            findings.append(Finding(f"{name}: worst subscriber, points", None, float(size.max())))
        worse = "yes" if sizes[0].mean() > sizes[-1].mean() else "no"
        findings.append(Finding(f"{model}: α = {low:g} hurts more than α = {high:g}", "yes", worse))
        curves.append(Curve(model, SKEWS, tuple(float(size.mean()) for size in sizes)))
        each = tuple(error_curve(name, truth.errors(name)) for name in names)
        plots.append(Plot(title=f"errors, {model}", x="absolute error, points", y="share of subscribers", curves=each))
    plots.append(Plot(title="mean error", x="α", y="points", curves=tuple(curves)))
    return Figure(name="fig3.7", title="publishers badly known", findings=tuple(findings), plots=tuple(plots))


def _along(run: StudyRun, name: str, title: str, axis: str, key: str, values: Sequence[float]) -> Figure:
    found = _many(run, [{key: value} for value in values])
    findings = [
        finding
        for value, one in zip(values, found, strict=True)
        for model in (MODELS[1], OURS)
        for finding in error_findings(f"{axis} {value:g}", one, model)
    ]
    shares = Curve("simulated", tuple(values), tuple(float(one.simulated.mean()) for one in found))
    errors = tuple(
        Curve(model, tuple(values), tuple(float(100 * np.abs(one.errors(model)).mean()) for one in found))
        for model in (MODELS[1], OURS)
    )
    plots = (
        Plot(title="mean reliability", x=axis, y="share on time", curves=(shares,)),
        Plot(title="mean error", x=axis, y="points", curves=errors),
        *(
            Plot(
                title=f"errors of {model}",
                x="absolute error, points",
                y="share of subscribers",
                curves=tuple(
                    error_curve(f"{value:g}", one.errors(model)) for value, one in zip(values, found, strict=True)
                ),
            )
            for model in (MODELS[1], OURS)
        ),
    )
    return Figure(name=name, title=title, findings=tuple(findings), plots=plots)
