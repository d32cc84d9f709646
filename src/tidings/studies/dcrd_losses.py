"""Packets that links lose, and links that are tried twice (Fig. 8).

The paper's text has P_f = 0.1 and its caption 0.01; the text is followed. It also tries links twice under the schemes that know
no answers, without saying how they learn that a copy was lost; here they send each copy once.
"""

from dataclasses import replace
from typing import Final

from tidings.studies.dcrd_setting import (
    D_TREE,
    MULTIPATH,
    ONE_WAY,
    R_TREE,
    ROUND_TRIP,
    Contender,
    Outcome,
    Setting,
    outcome_of,
)
from tidings.studies.figure import Curve, Figure, Finding, Plot
from tidings.studies.intervals import finding_of_mean, mean_interval
from tidings.studies.study_run import StudyRun

LOSSES: Final = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
TRIED: Final[tuple[tuple[Contender, int], ...]] = (
    (ONE_WAY, 1),
    (ONE_WAY, 2),
    (ROUND_TRIP, 1),
    (ROUND_TRIP, 2),
    (R_TREE, 1),
    (D_TREE, 1),
    (MULTIPATH, 1),
)


def losses(run: StudyRun) -> Figure:
    """Fig. 8."""
    base = Setting(protocol=ONE_WAY, seed=run.seed, seconds=run.sized(quick=10, full=7_200), degree=8, failure=0.1)
    count = run.sized(quick=4, full=10)
    keys = [(loss, contender, times) for loss in LOSSES for contender, times in TRIED]
    found = run.map(
        outcome_of,
        [
            replace(base, protocol=contender, loss=loss, transmissions=times, seed=run.seed + number)
            for loss, contender, times in keys
            for number in range(count)
        ],
    )
    outcomes = {key: found[place * count : (place + 1) * count] for place, key in enumerate(keys)}
    curves = tuple(_curve(outcomes, contender, times) for contender, times in TRIED)
    plot = Plot(title="share on time", x="P_l", y="share on time", curves=curves, x_log=True)
    return Figure(name="fig8", title="lost packets, P_f = 0.1, degree 8", findings=_findings(outcomes), plots=(plot,))


def _findings(outcomes: dict[tuple[float, Contender, int], list[Outcome]]) -> tuple[Finding, ...]:
    rows = []
    for loss in (1e-3, 1e-1):
        for contender, times in TRIED:
            values = [one.punctuality for one in outcomes[loss, contender, times]]
            rows.append(finding_of_mean(f"on time, P_l {loss:g}, {contender.name}, m = {times}", None, values))
        for contender in (ONE_WAY, ROUND_TRIP):
            pairs = zip(outcomes[loss, contender, 1], outcomes[loss, contender, 2], strict=True)
            gains = [once.punctuality - twice.punctuality for once, twice in pairs]
            paper = {1e-3: "0.005", 1e-1: "about 0"}[loss] if contender is ONE_WAY else None
            rows.append(finding_of_mean(f"on time, P_l {loss:g}: m = 1 above m = 2, {contender.name}", paper, gains))
    return tuple(rows)


def _curve(outcomes: dict[tuple[float, Contender, int], list[Outcome]], contender: Contender, times: int) -> Curve:
    found = [mean_interval([one.punctuality for one in outcomes[loss, contender, times]]) for loss in LOSSES]
    mean, low, high = (tuple(one) for one in zip(*found, strict=True))
    return Curve(f"{contender.name}, m = {times}", LOSSES, mean, "line", low, high)
