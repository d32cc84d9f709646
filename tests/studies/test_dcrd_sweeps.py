"""Sweeps: the same worlds for all contenders, means over topologies, ratios topology by topology."""

from dataclasses import replace

import pytest

from studies.tiny import rows
from tidings.studies.dcrd_setting import D_TREE, ORACLE, Outcome, Setting, outcome_of
from tidings.studies.dcrd_sweeps import Sweep, Swept, sweep
from tidings.studies.study_run import StudyRun

SWEEP = Sweep(
    name="fig0",
    title="degrees",
    axis="degree",
    points=(3, 5),
    at=lambda base, point: replace(base, degree=int(point)),
    contenders=(ORACLE, D_TREE),
    shown=(5,),
    said={("on time", 5, ORACLE): "all"},
)
BASE = Setting(protocol=ORACLE, seed=9, seconds=2, failure=0.1)


def outcome(packets, on_time):
    """Of a hundred wanted."""
    return Outcome(wanted=100, delivered=90, on_time=on_time, packets=packets, answers=0, control=0, late=())


def test_every_contender_runs_at_every_point_on_every_topology():
    """Seeds count up from the study's."""
    swept = sweep(StudyRun(seed=4), SWEEP, BASE, 2)
    assert set(swept.outcomes) == {(point, who) for point in (3, 5) for who in (ORACLE, D_TREE)}
    expected = [outcome_of(replace(BASE, degree=5, protocol=D_TREE, seed=seed)) for seed in (4, 5)]
    assert swept.outcomes[5, D_TREE] == expected


def test_figures_show_measures_with_the_papers_words():
    """All points in the plots, some as findings."""
    outcomes = {
        key: [outcome(120, 80), outcome(140, 90)] for key in ((3, ORACLE), (3, D_TREE), (5, ORACLE), (5, D_TREE))
    }
    figure = Swept(SWEEP, outcomes).figure()
    found = rows(figure)
    assert list(found) == [
        f"{measure}, degree 5, {who}" for measure in ("delivered", "on time", "packets") for who in ("oracle", "d-tree")
    ]
    assert (found["on time, degree 5, oracle"].paper, found["on time, degree 5, d-tree"].paper) == ("all", None)
    assert found["packets, degree 5, oracle"].ours == pytest.approx(1.3)
    assert [(plot.title, len(plot.curves), plot.curves[0].x) for plot in figure.plots] == [
        ("share delivered", 2, (3, 5)),
        ("share on time", 2, (3, 5)),
        ("packets for each subscriber", 2, (3, 5)),
    ]


def test_ratios_and_gaps_are_taken_topology_by_topology():
    """Not of the means."""
    outcomes = {(5, ORACLE): [outcome(100, 90), outcome(200, 80)], (5, D_TREE): [outcome(50, 80), outcome(400, 75)]}
    swept = Swept(SWEEP, outcomes)
    assert swept.ratio("r", "1", 5, ORACLE, D_TREE).ours == pytest.approx((2 + 0.5) / 2)
    gap = swept.gap("g", None, 5, ORACLE, D_TREE)
    assert gap.ours == pytest.approx((0.10 + 0.05) / 2)
    assert gap.low < gap.ours < gap.high
