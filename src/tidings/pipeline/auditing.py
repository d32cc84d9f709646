"""All checks over one run, on Spark: the same report as `tidings.checking.audit`, for tables of any size."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from pyspark.sql import DataFrame, SparkSession

from tidings.checking import AuditReport, SubscriberReport
from tidings.checking.batches import BATCHES, Batch
from tidings.checking.report import summed
from tidings.logs import Folder
from tidings.pipeline.causal_order import causal_order
from tidings.pipeline.complaints import complaining
from tidings.pipeline.one_order import order_cycles
from tidings.pipeline.outcomes import BATCHED, COUNTS, counts, delay_classes, judged_stage, quantiles
from tidings.pipeline.pairwise_order import PairLimits, order_conflicts, pair_stage
from tidings.pipeline.publisher_order import chances, inversions, suspect_stage
from tidings.pipeline.showings import client_stage, event_stage, showing_stage
from tidings.pipeline.tables import log_table
from tidings.pipeline.wishes import wishes
from tidings.pipeline.workspace import Workspace, workspace

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told the check that begins, and how many are done of how many."""
STEPS: Final = ("reading", "publishers' order", "pairs", "one order", "causes", "outcomes", "delays")


def audit_runs(
    spark: SparkSession, folders: Sequence[Folder], *, work: Path | None = None, progress: Progress | None = None
) -> AuditReport:
    """The report of one finished run, or of several. `work` keeps the stages, so that a killed audit goes on.

    Raises InputError for logs that cannot be judged, WorldError when Spark fails.
    """
    reports = {}
    for folder in folders:
        place = None if work is None else work / folder.name
        inputs = hashlib.sha256((folder.path / "run.json").read_bytes()).hexdigest()
        with complaining(str(folder.path)), workspace(spark, place, inputs) as space:
            reports[folder.name] = audit_run(space, folder, progress)
    return summed(reports) if len(reports) != 1 else next(iter(reports.values()))


def audit_run(space: Workspace, folder: Folder, progress: Progress | None = None) -> AuditReport:
    """Every check on one run."""
    steps = iter(enumerate(STEPS))

    def begin() -> None:
        done, step = next(steps)
        if progress is not None:
            progress(step, done, len(STEPS))

    def read(table: str) -> DataFrame:
        return log_table(space.spark, folder, table)

    begin()
    clients = client_stage(space, read)
    events = event_stage(space, read, clients)
    showings = showing_stage(space, read, clients, events)
    begin()
    suspects = suspect_stage(space, showings)
    fifo = inversions(showings, suspects).collect()
    begin()
    limits = PairLimits()
    pairs, whole = pair_stage(space, showings, limits)
    conflicts = order_conflicts(showings, pairs, limits)
    begin()
    cycles = order_cycles(space, showings, pairs)
    begin()
    causal = causal_order(space, showings, events, suspects)
    begin()
    wanted = wishes(space, read, clients, events)
    judged = judged_stage(space, read, clients, showings, wanted)
    rows = counts(read, clients, judged, wanted).join(clients, "client").collect()
    begin()
    delays, late = (
        {row["client"]: row[name] for row in quantiles(judged, name).collect()} for name in ("delay_ns", "late_by_ns")
    )
    inverted = {row["client"]: row["fifo_inversions"] for row in fifo}
    return AuditReport(
        fifo_inversions=sum(inverted.values()),
        order_conflicts=conflicts.pairs,
        order_cycles=cycles.sets,
        causal_inversions=causal.inversions,
        tagged=showings.where("tagged").count(),
        fifo_chances=_one(chances(showings)),
        topic_inversions=sum(row["topic_inversions"] for row in fifo),
        delays={row["least"]: row["count"] for row in delay_classes(showings).collect()},
        exact=whole and conflicts.exact and cycles.exact and causal.exact,
        subscribers={
            row["name"]: SubscriberReport(
                **{name: row[name] for name in COUNTS},
                fifo_inversions=inverted.get(row["client"], 0),
                delay_ns=tuple(delays.get(row["client"], ())),
                late_by_ns=tuple(late.get(row["client"], ())),
                batches=_batches(*(row[name] or {} for name in BATCHED)),
            )
            for row in sorted(rows, key=lambda row: str(row["name"]))
        },
    )


def _batches(wanted: Mapping[int, int], on_time: Mapping[int, int]) -> tuple[Batch, ...]:
    return tuple((wanted.get(one, 0), on_time.get(one, 0)) for one in range(BATCHES))


def _one(frame: DataFrame) -> Any:
    row = frame.head()
    assert row is not None, "an aggregate has one row"
    return row[0]
