"""What second copies buy: on-time share against packets, for `dcrd+` with none to three guards (not in the paper).

The gap is that between `dcrd`, with answers that take a round trip, and the oracle, who knows all failures beforehand.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from tidings.studies.dcrd_setting import ORACLE, PLUS, ROUND_TRIP, Outcome, Setting, outcome_of
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.intervals import finding_of_mean, mean_interval
from tidings.studies.study_run import StudyRun

GUARDS: Final = (0, 1, 2, 3)
MESHES: Final[tuple[tuple[str, int | None], ...]] = (("fully meshed", None), ("degree 5", 5))


def tradeoff(run: StudyRun) -> Figure:
    """Both settings at P_f = 0.1."""
    findings: list[Finding] = []
    curves: list[Curve] = []
    for where, degree in MESHES:
        base = Setting(
            protocol=ORACLE, seed=run.seed, seconds=run.sized(quick=12, full=7_200), degree=degree, failure=0.1
        )
        settings = [base, replace(base, protocol=ROUND_TRIP)]
        settings += [replace(base, protocol=PLUS, guards=guards) for guards in GUARDS]
        oracle, dcrd, *plus = _outcomes(run, settings, run.sized(quick=4, full=10))
        findings.append(finding_of_mean(f"on time, {where}, oracle", None, [one.punctuality for one in oracle]))
        findings += _traffic(f"{where}, dcrd", dcrd, dcrd)
        for guards, found in zip(GUARDS, plus, strict=True):
            name = f"{where}, dcrd+ with {guards} guards"
            closed = [
                (mine.punctuality - old.punctuality) / (best.punctuality - old.punctuality)
                for mine, old, best in zip(found, dcrd, oracle, strict=True)
                if best.punctuality > old.punctuality
            ]
            findings += [finding_of_mean(f"share of the gap closed, {name}", None, closed)] if closed else []
            findings += _traffic(name, found, dcrd)
        curves.append(_curve(where, [dcrd, *plus], dcrd))
    plot = Plot(
        title="dcrd, then dcrd+ with 0 to 3 guards",
        x="packets for each of dcrd's",
        y="share on time",
        curves=tuple(curves),
    )
    return Figure(name="tradeoff", title="second copies, P_f = 0.1", findings=tuple(findings), plots=(plot,))


def _outcomes(run: StudyRun, settings: Sequence[Setting], count: int) -> list[list[Outcome]]:
    jobs = [replace(one, seed=run.seed + number) for one in settings for number in range(count)]
    found = run.map(outcome_of, jobs)
    return [found[place * count : (place + 1) * count] for place in range(len(settings))]


def _traffic(name: str, found: Sequence[Outcome], dcrd: Sequence[Outcome]) -> list[Finding]:
    measures: tuple[tuple[str, Callable[[Outcome], float]], ...] = (
        ("on time", lambda one: one.punctuality),
        ("delivered", lambda one: one.delivery),
        ("answers and news for each subscriber", lambda one: one.answers / one.wanted),
        ("other control traffic for each subscriber", lambda one: one.control / one.wanted),
    )
    rows = [finding_of_mean(f"{what}, {name}", None, [measure(one) for one in found]) for what, measure in measures]
    return [finding_of_mean(f"packets for each of dcrd's, {name}", None, _ratios(found, dcrd)), *rows]


def _ratios(found: Sequence[Outcome], dcrd: Sequence[Outcome]) -> list[float]:
    return [one.packets / other.packets for one, other in zip(found, dcrd, strict=True)]


def _curve(name: str, rows: Sequence[Sequence[Outcome]], dcrd: Sequence[Outcome]) -> Curve:
    x = tuple(mean_interval(_ratios(found, dcrd))[0] for found in rows)
    shares = [mean_interval([one.punctuality for one in found]) for found in rows]
    mean, low, high = (tuple(one) for one in zip(*shares, strict=True))
    return Curve(name, x, mean, "line", low, high)
