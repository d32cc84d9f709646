"""How late the late ones are (Fig. 7), and what waiting for answers costs, which the paper does not show."""

from bisect import bisect_right
from dataclasses import replace
from typing import Final

import numpy as np

from tidings.studies.dcrd_setting import ONE_WAY, ROUND_TRIP, Contender, Outcome, Setting, outcome_of
from tidings.studies.figure import Curve, Figure, Finding, Plot, Value
from tidings.studies.intervals import finding_of_mean, finding_of_share
from tidings.studies.study_run import StudyRun

MESHES: Final[tuple[tuple[str, int | None], ...]] = (("fully meshed", None), ("degree 8", 8))
SAID: Final[dict[tuple[str, float], Value]] = {
    ("fully meshed", 1.25): "about 0.5",
    ("fully meshed", 1.5): "0.78",
    ("degree 8", 1.25): "about 0.5",
    ("degree 8", 1.5): "0.70",
    ("degree 8", 1.75): "0.80",
}
MARKS: Final = (1.25, 1.5, 1.75)


def lateness(run: StudyRun) -> Figure:
    """Fig. 7: delays of what missed its deadline, in deadlines; P_f = 0.06."""
    findings: list[Finding] = []
    curves: list[Curve] = []
    for where, degree in MESHES:
        for contender in (ONE_WAY, ROUND_TRIP):
            found = _outcomes(run, contender, degree, 0.06, run.sized(quick=20, full=7_200))
            late = sorted(one for outcome in found for one in outcome.late)
            name = f"{where}, {contender.name}"
            for mark in MARKS:
                paper = SAID.get((where, mark)) if contender is ONE_WAY else None
                hits = bisect_right(late, mark)
                findings.append(finding_of_share(f"late ones within {mark} deadlines, {name}", paper, hits, len(late)))
            curves.append(_distribution(name, late))
    plot = Plot(title="delays of late ones", x="delay, deadlines", y="share of late ones", curves=tuple(curves))
    return Figure(name="fig7", title="how late the late ones are, P_f = 0.06", findings=tuple(findings), plots=(plot,))


def waiting(run: StudyRun) -> Figure:
    """What waiting for a round trip costs: by whether the shortest way is a single link, whose failure is noticed too late.

    With a deadline of three shortest ways and a link for the shortest, a failure noticed after its delay leaves twice the delay for
    another way; noticed after its round trip, it leaves one, in which no other way can do it.
    """
    findings: list[Finding] = []
    for where, degree in (("fully meshed", None), ("degree 5", 5)):
        for contender in (ONE_WAY, ROUND_TRIP):
            found = _outcomes(run, contender, degree, 0.1, run.sized(quick=12, full=7_200))
            name = f"{where}, {contender.name}"
            shares = [
                (
                    "on time where the shortest way is one link",
                    [one.direct_on_time / one.direct_wanted for one in found],
                ),
                ("on time where it is longer", [_longer(one) for one in found]),
            ]
            findings += [finding_of_mean(f"{what}, {name}", None, values) for what, values in shares]
        wanted = [one.direct_wanted / one.wanted for one in found]
        findings.append(finding_of_mean(f"share whose shortest way is one link, {where}", None, wanted))
    return Figure(name="waiting", title="one-way and round-trip answers, P_f = 0.1", findings=tuple(findings))


def _longer(one: Outcome) -> float:
    wanted = one.wanted - one.direct_wanted
    return (one.on_time - one.direct_on_time) / wanted if wanted else 1.0


def _outcomes(run: StudyRun, contender: Contender, degree: int | None, failure: float, seconds: int) -> list[Outcome]:
    base = Setting(protocol=contender, seed=run.seed, seconds=seconds, degree=degree, failure=failure)
    count = run.sized(quick=4, full=10)
    return run.map(outcome_of, [replace(base, seed=run.seed + number) for number in range(count)])


def _distribution(name: str, late: list[float]) -> Curve:
    places = np.linspace(1.0, 3.0, 81).tolist()
    shares = [bisect_right(late, place) / max(1, len(late)) for place in places]
    return Curve(name, tuple(places), tuple(shares), "steps")
