"""Who wants what: subscribers with the same interests form one *class*, and classes × events say what is wanted.

What should have come is decided here, from the interests, and not by the protocol. Most subscribers share a class with
others or have one of their own; either way there are never more rows than wanted pairs.
"""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from tidings.checking.batches import span_of
from tidings.pipeline.holding import holding
from tidings.pipeline.showings import ReadTable
from tidings.pipeline.tables import numbered
from tidings.pipeline.workspace import Workspace
from tidings.vocabulary.instant import FOREVER


@dataclass(frozen=True)
class Wishes:
    """Two tables."""

    classes: DataFrame
    """`client, class`: every client that ever wanted something."""
    wanted: DataFrame
    """`class, event, wanted, asked_ns, owed`, and of the event `given_up, batch`: every event that an interest of the class
    holds for and that was published before the interest was taken back. `wanted` says whether one was effective,
    `asked_ns` since when such an interest had been requested, `owed` that the event was acknowledged and one was
    effective that was never taken back."""


def wishes(space: Workspace, read: ReadTable, clients: DataFrame, events: DataFrame) -> Wishes:
    """The classes of subscribers, and what each wants."""
    filters = space.stage(
        "filters", lambda: numbered(read("interests").select(fn.col("filter").alias("text")).distinct(), "filter")
    )
    rows = space.stage("wish_rows", lambda: _rows(read, clients, filters))
    classes = space.stage("classes", lambda: _classes(rows))
    holds = space.stage("holds", lambda: holding(read("publications"), filters))
    return Wishes(classes, space.stage("wanted", lambda: _wanted(rows, classes, holds, events)))


def _rows(read: ReadTable, clients: DataFrame, filters: DataFrame) -> DataFrame:
    return (
        read("interests")
        .select(
            fn.col("subscriber").alias("name"),
            fn.col("filter").alias("text"),
            "requested_ns",
            fn.coalesce("effective_ns", fn.lit(FOREVER)).alias("effective_ns"),
            fn.coalesce("until_ns", fn.lit(FOREVER)).alias("until_ns"),
        )
        .join(clients, "name")
        .join(filters, "text")
        .drop("name", "text")
        .distinct()
    )


def _classes(rows: DataFrame) -> DataFrame:
    wish = fn.struct("filter", "requested_ns", "effective_ns", "until_ns")
    sets = rows.groupBy("client").agg(fn.sort_array(fn.collect_list(wish)).alias("wishes"))
    # Equal sets get the number of their first client: no shuffle to one place.
    return sets.select("client", fn.min("client").over(Window.partitionBy("wishes")).alias("class"))


def _wanted(rows: DataFrame, classes: DataFrame, holds: DataFrame, events: DataFrame) -> DataFrame:
    of_class = rows.join(classes.where("client = class"), "client").drop("client")
    facts = events.where("published").select(
        "event", "published_ns", "acknowledged", "given_up", _batch(events).alias("batch")
    )
    matched = holds.join(facts, "event").join(of_class, "filter").where("published_ns < until_ns")
    effective = fn.col("published_ns") >= fn.col("effective_ns")
    return matched.groupBy("class", "event").agg(
        fn.max(effective).alias("wanted"),
        fn.min("requested_ns").alias("asked_ns"),
        fn.max(effective & fn.col("acknowledged") & (fn.col("until_ns") == FOREVER)).alias("owed"),
        fn.first("given_up").alias("given_up"),
        fn.first("batch").alias("batch"),
    )


def _batch(events: DataFrame) -> Column:
    """Which part of the run an event was published in; in decimals, since differences of instants may be too large."""
    ends = events.agg(fn.min("published_ns"), fn.max("published_ns")).head()
    assert ends is not None, "an aggregate has one row"
    span = span_of(int(ends[0] or 0), int(ends[1] or 0))
    return fn.expr(f"cast((cast(published_ns as decimal(20)) - {span.first}) div {span.width} as int)")
