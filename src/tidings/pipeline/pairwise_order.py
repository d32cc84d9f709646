"""Pairs of events in conflict, exact without joining showings with showings.

Each subscriber emits the pairs that it was shown against the reference order. `reversed` subscribers did so, of `both`
who were shown both events: the pair is in conflict exactly when 0 < reversed < both. Most pairs are decided by how many
subscribers each event has; for the rest `both` is counted from bitsets of receivers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from tidings.checking.history import Integers
from tidings.checking.reversed_pairs import reversed_pairs
from tidings.pipeline.sequences import integers, whole_groups
from tidings.pipeline.workspace import Workspace

PAIR_SCHEMA: Final = "lower bigint, higher bigint, span boolean, overflow boolean"


@dataclass(frozen=True, kw_only=True)
class PairLimits:
    """Where exact counting ends; beyond, counts are lower bounds."""

    pairs_max: int = 20_000_000
    """Reversed pairs in one piece of work (a million showings, or one subscriber's if they are more)."""
    words_max: int = 400_000_000
    """Words of 64 receivers that are compared for pairs which sizes alone do not decide."""


@dataclass(frozen=True)
class Conflicts:
    """How many pairs are in conflict; without `exact`, at least so many."""

    pairs: int
    exact: bool


def pair_stage(space: Workspace, showings: DataFrame, limits: PairLimits) -> tuple[DataFrame, bool]:
    """`lower, higher, span`: reversed pairs, once for each subscriber; and whether they are all.

    Rows with `span` are no pairs but stretches of the reference order that reversed pairs cover: all of them, even when
    the pairs had to be cut. Pairs are cut to the events at the beginning of the reference order, the same for all.
    """
    sequences = showings.where("ordered").select("client", "place", "reference")
    rows = sequences.repartition("client").sortWithinPartitions("client", "place")
    end = None
    attempt = 0
    while True:
        made = space.stage(f"pairs-{attempt}", _maker(rows, end, limits.pairs_max))
        if not made.where("overflow").limit(1).count():
            return made.drop("overflow"), attempt == 0
        top = sequences.agg(fn.max("reference")).head()
        assert top is not None, "an aggregate has one row"
        attempt += 1
        end = int(top[0]) >> attempt


def order_conflicts(showings: DataFrame, pairs: DataFrame, limits: PairLimits) -> Conflicts:
    """Count the pairs in conflict, given all reversed pairs."""
    ordered = showings.where("ordered")
    disputed = pairs.where("not span").groupBy("lower", "higher").agg(fn.count("*").alias("reversed"))
    receivers = ordered.groupBy("reference").agg(fn.count("*").alias("receivers"))
    lower = receivers.select(fn.col("reference").alias("lower"), fn.col("receivers").alias("lower_receivers"))
    higher = receivers.select(fn.col("reference").alias("higher"), fn.col("receivers").alias("higher_receivers"))
    everyone = ordered.select("client").distinct().count()
    sized = disputed.join(lower, "lower").join(higher, "higher")
    least = fn.expr(f"lower_receivers + higher_receivers - {everyone}")
    most = fn.expr("least(lower_receivers, higher_receivers)")
    kind = fn.when(least > fn.col("reversed"), "conflict").when(most > fn.col("reversed"), "open").otherwise("agreed")
    marked = sized.withColumn("kind", kind).persist()
    try:
        counted = {
            row["kind"]: row
            for row in marked.groupBy("kind")
            .agg(fn.count("*").alias("n"), fn.sum("lower_receivers").alias("words"))
            .collect()
        }
        sure = counted["conflict"]["n"] if "conflict" in counted else 0
        if "open" not in counted:
            return Conflicts(sure, True)
        share = -(-int(counted["open"]["words"]) // limits.words_max)
        looked_at = marked.where("kind = 'open'").where(fn.expr(f"pmod(hash(lower, higher), {share}) = 0"))
        return Conflicts(sure + _shown_more_often(ordered, looked_at), share == 1)
    finally:
        marked.unpersist()


def _shown_more_often(ordered: DataFrame, pairs: DataFrame) -> int:
    """For how many pairs more than `reversed` subscribers were shown both: 64 subscribers at a time, as bits."""
    events = pairs.select(fn.col("lower").alias("reference")).union(pairs.select("higher")).distinct()
    words = (
        ordered.join(events, "reference", "left_semi")
        .groupBy("reference", fn.expr("client div 64").alias("word"))
        .agg(fn.expr("bit_or(shiftleft(1L, cast(client % 64 as int)))").alias("bits"))
    )
    lower = words.select(fn.col("reference").alias("lower"), "word", fn.col("bits").alias("lower_bits"))
    higher = words.select(fn.col("reference").alias("higher"), "word", fn.col("bits").alias("higher_bits"))
    both = (
        pairs.join(lower, "lower")
        .join(higher, ["higher", "word"])
        .groupBy("lower", "higher")
        .agg(fn.expr("sum(bit_count(lower_bits & higher_bits))").alias("both"), fn.first("reversed").alias("reversed"))
    )
    return both.where("both > reversed").count()


def _maker(rows: DataFrame, end: int | None, pairs_max: int) -> Callable[[], DataFrame]:
    return lambda: rows.mapInArrow(whole_groups(_finder(end, pairs_max)), PAIR_SCHEMA)


def _finder(end: int | None, pairs_max: int) -> Callable[[pa.Table], pa.Table]:
    """What finds the reversed pairs of whole sequences, below `end` in the reference order."""

    def find(table: pa.Table) -> pa.Table:
        subscriber, rank = integers(table, "client"), integers(table, "reference")
        low, high = merged_spans(*_steps_back(subscriber, rank))
        if end is not None:
            subscriber, rank = subscriber[rank < end], rank[rank < end]
        pairs = reversed_pairs(subscriber, rank, limit=pairs_max)
        lower, higher = pairs or (rank[:0], rank[:0])
        overflow = pairs is None
        flags = np.zeros(len(lower) + len(low) + overflow, np.bool_)
        span, over = flags.copy(), flags
        span[len(lower) : len(lower) + len(low)] = True
        over[len(lower) + len(low) :] = True
        nothing = np.zeros(int(overflow), np.int64)
        return pa.table(
            {
                "lower": np.concatenate([lower, low, nothing]),
                "higher": np.concatenate([higher, high, nothing]),
                "span": span,
                "overflow": over,
            }
        )

    return find


def _steps_back(subscriber: Integers, rank: Integers) -> tuple[Integers, Integers]:
    back = (subscriber[1:] == subscriber[:-1]) & (rank[1:] < rank[:-1])
    return rank[1:][back], rank[:-1][back]


def merged_spans(low: Integers, high: Integers) -> tuple[Integers, Integers]:
    """Closed intervals as the fewest that cover the same; those that share an end become one."""
    if not len(low):
        return low, high
    order = np.argsort(low, kind="stable")
    low, reach = low[order], np.maximum.accumulate(high[order])
    begins = np.concatenate([[True], low[1:] > reach[:-1]])
    ends = np.concatenate([begins[1:], [True]])
    return low[begins], reach[ends]
