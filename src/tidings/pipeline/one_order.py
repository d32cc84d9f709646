"""Whether one order exists: strongly connected sets, found within stretches of the reference order.

Only a step back against the reference order can close a cycle, so each strongly connected set lies within one
*island*: a stretch that steps back cover without a gap. Showings outside islands are left out, which changes nothing
about who is behind whom inside.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from tidings.pipeline.sequences import integers, whole_groups
from tidings.pipeline.workspace import Workspace

EDGES_MAX: Final = 20_000_000
"""Edges of one island that one process looks at; a larger island counts as one set, if a part of it has a cycle."""


@dataclass(frozen=True)
class Cycles:
    """How many strongly connected sets there are; without `exact`, at least so many."""

    sets: int
    exact: bool


def order_cycles(space: Workspace, showings: DataFrame, pairs: DataFrame, *, edges_max: int = EDGES_MAX) -> Cycles:
    """Count the strongly connected sets of more than one event. `pairs` are those of `pair_stage`."""
    inside = space.stage("islands", lambda: _islands(pairs))
    if not inside.limit(1).count():
        return Cycles(0, True)
    mine = Window.partitionBy("client", "island").orderBy("place")
    steps = (
        showings.where("ordered")
        .join(inside, "reference")
        .select("island", fn.lag("reference").over(mine).alias("one"), fn.col("reference").alias("other"))
        .where("one is not null")
        .distinct()
    )
    rows = steps.repartition("island").sortWithinPartitions("island")
    found = rows.mapInArrow(whole_groups(_counter(edges_max)), "sets bigint, exact boolean")
    total = found.agg(fn.coalesce(fn.sum("sets"), fn.lit(0)), fn.coalesce(fn.min("exact"), fn.lit(True))).head()
    assert total is not None, "an aggregate has one row"
    return Cycles(int(total[0]), bool(total[1]))


def _islands(pairs: DataFrame) -> DataFrame:
    """`reference, island` for every event inside an island."""
    spans = pairs.where("span").groupBy("lower").agg(fn.max("higher").alias("higher"))
    before = Window.orderBy("lower").rowsBetween(Window.unboundedPreceding, -1)
    begins = fn.coalesce(fn.col("lower") > fn.max("higher").over(before), fn.lit(True))
    whole = Window.orderBy("lower").rowsBetween(Window.unboundedPreceding, Window.currentRow)
    merged = (
        spans.withColumn("begins", begins.cast("long"))
        .withColumn("island", fn.sum("begins").over(whole))
        .groupBy("island")
        .agg(fn.min("lower").alias("low"), fn.max("higher").alias("high"))
    )
    return merged.select(fn.explode(fn.sequence("low", "high")).alias("reference"), "island")


def _counter(edges_max: int) -> Callable[[pa.Table], pa.Table]:
    """What counts the strongly connected sets in whole islands."""

    def count(table: pa.Table) -> pa.Table:
        cut = table.num_rows > edges_max and table.column("island")[0] == table.column("island")[-1]
        table = table.slice(0, edges_max) if cut else table
        one, other = integers(table, "one"), integers(table, "other")
        events, places = np.unique(np.concatenate([one, other]), return_inverse=True)
        edges = (places[: len(one)], places[len(one) :])
        graph = csr_array((np.ones(len(one), np.int8), edges), shape=(len(events), len(events)))
        _, members = connected_components(graph, directed=True, connection="strong")
        sets = int((np.bincount(members) > 1).sum())
        return pa.table({"sets": [min(sets, 1) if cut else sets], "exact": [not cut]})

    return count
