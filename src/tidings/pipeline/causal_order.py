"""Effects that were shown before their causes.

For one subscriber and one publisher, a showing *has seen* the first so many of the publisher's events: its own rank
where it is the publisher's event, and what reactions carried into it otherwise (`tidings.pipeline.reactions`). A pair is
inverted when the later showing is a publisher's event that the earlier one had seen.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from tidings.checking.history import Integers
from tidings.pipeline.publisher_order import GROUP, ordered_showings
from tidings.pipeline.reactions import causes_carried
from tidings.pipeline.sequences import integers, whole_groups
from tidings.pipeline.workspace import Workspace

NO_RANK: Final = 0
"""Ranks count from 1: this showing is no event of the publisher in question."""


@dataclass(frozen=True)
class CausalOrder:
    """Inversions, counted; without `exact`, there are at least so many."""

    inversions: int
    exact: bool


def causal_order(space: Workspace, showings: DataFrame, events: DataFrame, suspects: DataFrame) -> CausalOrder:
    """Count the pairs of showings of which the first is an effect of the second."""
    shown = ordered_showings(showings)
    backwards = shown.where("delivered_ns < published_ns").limit(1).count()
    carried, whole = causes_carried(space, showings, events)
    columns = (*GROUP, "place", "seen", "rank")
    own = shown.select(*GROUP, "place", fn.col("rank").alias("seen"), "rank")
    groups = suspects
    elements = own.join(groups, list(GROUP), "left_semi").select(*columns)
    if carried is not None:
        foreign = shown.select("client", "event", "place").join(carried, "event")
        marks = foreign.select(*GROUP, "place", "seen", fn.lit(NO_RANK).cast("long").alias("rank"))
        groups = suspects.union(marks.select(*GROUP)).distinct()
        elements = own.join(groups, list(GROUP), "left_semi").select(*columns).union(marks.select(*columns))
    rows = (
        elements.withColumn("row_group", fn.xxhash64(*GROUP))
        .select("row_group", *columns)
        .repartition("row_group")
        .sortWithinPartitions("row_group", *GROUP, "place")
    )
    found = rows.mapInArrow(whole_groups(_counter()), "inversions bigint")
    total = found.agg(fn.coalesce(fn.sum("inversions"), fn.lit(0))).head()
    assert total is not None, "an aggregate has one row"
    return CausalOrder(int(total[0]), whole and not backwards)


def _counter() -> Callable[[pa.Table], pa.Table]:
    """What counts the inverted pairs in whole groups, all at once."""

    def count(table: pa.Table) -> pa.Table:
        client, publisher = integers(table, "client"), integers(table, "publisher")
        begins = np.concatenate([[True], (client[1:] != client[:-1]) | (publisher[1:] != publisher[:-1])])
        group = np.cumsum(begins) - 1
        seen, rank = integers(table, "seen"), integers(table, "rank")
        # Each group is lifted above the one before: what one has seen is below every rank of the next.
        lift = group * (int(max(seen.max(initial=0), rank.max(initial=0))) + 1)
        return pa.table({"inversions": [inverted_pairs(seen + lift, np.where(rank == NO_RANK, -1, rank + lift))]})

    return count


def inverted_pairs(seen: Integers, rank: Integers) -> int:
    """Pairs i < j with seen[i] ≥ rank[j] ≥ 0, counted by merging halves: never by comparing pair by pair."""
    kept = _disordered(seen, rank)
    seen, rank = seen[kept], rank[kept]
    place = np.arange(len(seen))
    by_seen = np.argsort(seen, kind="stable")
    total, width = 0, 1
    span = int(seen.max(initial=0)) + 1
    judged = np.flatnonzero(rank >= 0)
    while width < len(seen):
        block = place // (2 * width)
        left = (place // width) % 2 == 0
        # Of each block the left half by what it has seen; sorted once, kept sorted by block.
        members = by_seen[left[by_seen]]
        members = members[np.argsort(block[members], kind="stable")]
        keys = block[members] * span + seen[members]
        right = judged[~left[judged]]
        end = np.searchsorted(keys, (block[right] + 1) * span)
        total += int((end - np.searchsorted(keys, block[right] * span + np.minimum(rank[right], span))).sum())
        width *= 2
    return total


def _disordered(seen: Integers, rank: Integers) -> Integers:
    """The rows left when the sequence is cut wherever nothing before has seen anything behind, and single ones go."""
    if not len(seen):
        return np.zeros(0, np.int64)
    top = np.iinfo(np.int64).max
    ranked = np.where(rank < 0, top, rank)
    apart = np.maximum.accumulate(seen)[:-1] < np.minimum.accumulate(ranked[::-1])[::-1][1:]
    runs = np.concatenate([[0], np.cumsum(apart)])
    return np.flatnonzero(np.bincount(runs)[runs] > 1)
