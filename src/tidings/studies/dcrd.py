"""The evaluation of DCRD (Guo, Karenos, Kim, Lei, Reason): every figure of its section IV, and what the paper does not show.

The paper gives most numbers as differences; they stand beside ours as they are said. Its acknowledgements are awaited for
the delay of a link, which no network can do: `dcrd, one-way` is the paper's, `dcrd, round-trip` what can be had.
"""

from collections.abc import Iterator
from dataclasses import replace

from tidings.studies.dcrd_delays import lateness, waiting
from tidings.studies.dcrd_losses import losses
from tidings.studies.dcrd_setting import (
    CONTENDERS,
    D_TREE,
    MULTIPATH,
    ONE_WAY,
    ORACLE,
    R_TREE,
    ROUND_TRIP,
    Setting,
)
from tidings.studies.dcrd_sweeps import Sweep, sweep
from tidings.studies.dcrd_tradeoff import tradeoff
from tidings.studies.figure import Figure
from tidings.studies.study_run import StudyRun


def figures(run: StudyRun) -> Iterator[Figure]:
    """Fig. 2 to 8 of the paper, then ours."""
    yield fully_meshed(run)
    yield degree_five(run)
    yield degrees(run)
    yield sizes(run)
    yield deadlines(run)
    yield lateness(run)
    yield losses(run)
    yield waiting(run)
    yield tradeoff(run)


def base(run: StudyRun) -> Setting:
    """The paper's run of two hours, or a quarter of a minute."""
    return Setting(protocol=ORACLE, seed=run.seed, seconds=run.sized(quick=12, full=7_200))


def failures(run: StudyRun) -> tuple[float, ...]:
    """P_f from 0 to 0.1."""
    return run.sized(quick=(0.0, 0.04, 0.06, 0.1), full=(0.0, 0.02, 0.04, 0.06, 0.08, 0.1))


def topologies(run: StudyRun) -> int:
    """The paper has ten."""
    return run.sized(quick=4, full=10)


def fully_meshed(run: StudyRun) -> Figure:
    """Fig. 2."""
    swept = sweep(
        run,
        Sweep(
            name="fig2",
            title="fully meshed",
            axis="P_f",
            points=failures(run),
            at=lambda base, point: replace(base, failure=point),
            contenders=CONTENDERS,
            shown=(0.04, 0.1),
            said={
                ("delivered", 0.1, ONE_WAY): "1.00",
                ("delivered", 0.1, ORACLE): "1.00",
                ("delivered", 0.1, MULTIPATH): "0.95",
                ("on time", 0.04, ONE_WAY): "> 0.98",
                ("on time", 0.1, ONE_WAY): "0.967",
                ("on time", 0.1, ORACLE): "0.996",
                ("packets", 0.1, R_TREE): "1",
            },
        ),
        base(run),
        topologies(run),
    )
    return swept.figure(
        [
            swept.gap("on time, P_f 0.1: dcrd, one-way, above d-tree", "0.15 (delivered)", 0.1, ONE_WAY, D_TREE),
            swept.gap("on time, P_f 0.1: dcrd, one-way, above r-tree", "0.11 (delivered)", 0.1, ONE_WAY, R_TREE),
            swept.ratio("packets, P_f 0.1: dcrd, one-way / oracle", "1.2", 0.1, ONE_WAY, ORACLE),
            swept.ratio("packets, P_f 0.1: dcrd, one-way / d-tree", "1.2", 0.1, ONE_WAY, D_TREE),
            swept.ratio("packets, P_f 0.1: dcrd, one-way / multipath", "< 0.5", 0.1, ONE_WAY, MULTIPATH),
            swept.gap("on time, P_f 0.1: dcrd, one-way, above round-trip", None, 0.1, ONE_WAY, ROUND_TRIP),
        ]
    )


def degree_five(run: StudyRun) -> Figure:
    """Fig. 3."""
    swept = sweep(
        run,
        Sweep(
            name="fig3",
            title="degree 5",
            axis="P_f",
            points=failures(run),
            at=lambda base, point: replace(base, failure=point, degree=5),
            contenders=CONTENDERS,
            shown=(0.06, 0.1),
            said={
                ("delivered", 0.1, ONE_WAY): "1.00",
                ("on time", 0.1, ONE_WAY): "0.947",
                ("on time", 0.06, ONE_WAY): "> 0.96",
            },
        ),
        base(run),
        topologies(run),
    )
    return swept.figure(
        [
            swept.gap("on time, P_f 0.1: dcrd, one-way, above r-tree", "0.10", 0.1, ONE_WAY, R_TREE),
            swept.gap("on time, P_f 0.1: dcrd, one-way, above d-tree", "0.15", 0.1, ONE_WAY, D_TREE),
            swept.gap("on time, P_f 0.1: dcrd, one-way, above multipath", "0.05", 0.1, ONE_WAY, MULTIPATH),
            swept.ratio("packets, P_f 0.1: dcrd, one-way / oracle", "1.25", 0.1, ONE_WAY, ORACLE),
            swept.ratio("packets, P_f 0.1: dcrd, one-way / d-tree", "1.4", 0.1, ONE_WAY, D_TREE),
            swept.ratio("packets, P_f 0.1: dcrd, one-way / multipath", "0.6", 0.1, ONE_WAY, MULTIPATH),
            swept.gap("on time, P_f 0.1: dcrd, one-way, above round-trip", None, 0.1, ONE_WAY, ROUND_TRIP),
        ]
    )


def degrees(run: StudyRun) -> Figure:
    """Fig. 4."""
    swept = sweep(
        run,
        Sweep(
            name="fig4",
            title="degrees, P_f = 0.06",
            axis="degree",
            points=run.sized(quick=(3, 4, 5, 8, 10), full=(3, 4, 5, 6, 7, 8, 9, 10)),
            at=lambda base, point: replace(base, failure=0.06, degree=int(point)),
            contenders=CONTENDERS,
            shown=(3, 4, 5, 10),
            said={
                ("delivered", 3, ONE_WAY): "< 0.85",
                ("on time", 3, ONE_WAY): "< 0.85",
                ("on time", 3, ORACLE): "< 0.85",
                ("delivered", 4, ONE_WAY): "0.98",
                ("on time", 4, ONE_WAY): "0.94",
                ("on time", 5, ONE_WAY): "> 0.96",
                ("on time", 10, ONE_WAY): "> 0.96",
            },
        ),
        base(run),
        topologies(run),
    )
    return swept.figure(
        [
            swept.gap("on time, degree 5: oracle above dcrd, one-way", "0.03", 5, ORACLE, ONE_WAY),
            swept.ratio("packets, degree 4: dcrd, one-way / oracle", "1.25", 4, ONE_WAY, ORACLE),
        ]
    )


def sizes(run: StudyRun) -> Figure:
    """Fig. 5. The paper runs P_f = 0.06 and speaks of 0.1."""
    points = run.sized(quick=(10.0, 20.0, 40.0), full=(10.0, 20.0, 40.0, 80.0, 120.0, 160.0))
    largest = points[-1]
    swept = sweep(
        run,
        Sweep(
            name="fig5",
            title="brokers, degree 8, P_f = 0.06",
            axis="brokers",
            points=points,
            at=lambda base, point: replace(
                base, failure=0.06, degree=8, brokers=int(point), seconds=run.sized(quick=5, full=base.seconds)
            ),
            contenders=CONTENDERS,
            shown=(points[0], largest),
            said={},
            x_log=True,
        ),
        base(run),
        topologies(run),
    )
    return swept.figure(
        [
            swept.gap(f"on time, {largest:g} brokers: oracle above dcrd, one-way", "0.05", largest, ORACLE, ONE_WAY),
            swept.ratio(f"packets, {largest:g} brokers: dcrd, one-way / oracle", "1.33", largest, ONE_WAY, ORACLE),
            swept.ratio(f"packets, {largest:g} brokers: dcrd, one-way / d-tree", "1.6", largest, ONE_WAY, D_TREE),
        ]
    )


def deadlines(run: StudyRun) -> Figure:
    """Fig. 6."""
    swept = sweep(
        run,
        Sweep(
            name="fig6",
            title="deadlines in shortest ways, degree 8, P_f = 0.06",
            axis="factor",
            points=(1.5, 2, 3, 4),
            at=lambda base, point: replace(base, failure=0.06, degree=8, factor=point),
            contenders=CONTENDERS,
            shown=(1.5, 2, 3, 4),
            said={
                ("on time", 1.5, ONE_WAY): "> 0.90",
                ("on time", 4, ONE_WAY): "almost 1",
            },
        ),
        base(run),
        topologies(run),
    )
    return swept.figure(
        [
            swept.gap("on time, factor 1.5: multipath above dcrd, one-way", "0.05", 1.5, MULTIPATH, ONE_WAY),
        ]
    )
