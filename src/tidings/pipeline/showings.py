"""What was shown to whom, joined with what was published: the stages that every check reads.

Names become numbers, as in `tidings.checking.history`; events keep their identities and get a place in one *reference
order*, by the mean instant at which they were shown. Any order would do; this one agrees with most subscribers.
"""

from collections.abc import Callable
from typing import TypeAlias

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from tidings.errors import InputError
from tidings.pipeline.tables import ROW, numbered
from tidings.pipeline.workspace import Workspace
from tidings.vocabulary.instant import FOREVER

ReadTable: TypeAlias = Callable[[str], DataFrame]
"""From the name of a log table to the table."""


def client_stage(space: Workspace, read: ReadTable) -> DataFrame:
    """`name, client`: everyone who published, wanted or was shown something, numbered."""
    named = {"publications": "publisher", "interests": "subscriber", "deliveries": "subscriber"}

    def make() -> DataFrame:
        columns = [read(table).select(fn.col(column).alias("name")).distinct() for table, column in named.items()]
        return numbered(columns[0].union(columns[1]).union(columns[2]).distinct(), "client")

    return space.stage("clients", make)


def event_stage(space: Workspace, read: ReadTable, clients: DataFrame) -> DataFrame:
    """One row for each event that was published or shown.

    `rank` counts a publisher's events from 1 by time; `straight` says that its numbers ascend with them; `reference` is
    the place in the reference order. Raises InputError when an event was published twice.
    """
    made = space.stage("events", lambda: _events(read, clients))
    twice = made.groupBy("event").count().where("count > 1").orderBy("event").head()
    if twice is not None:
        raise InputError(f"publications: event {twice['event']} has more than one row; each event is published once")
    return made


def showing_stage(space: Workspace, read: ReadTable, clients: DataFrame, events: DataFrame) -> DataFrame:
    """One row for each showing, with its event's facts.

    `place` numbers a subscriber's showings as they were shown; `first` marks where it was first shown the event,
    `ordered` the showings that order is judged by: untagged, each event once.
    """

    def make() -> DataFrame:
        names = clients.withColumnRenamed("name", "subscriber")
        columns = ("client", "event", "incarnation", "position", ROW, "delivered_ns", "out_of_order")
        known = read("deliveries").join(names, "subscriber").select(*columns).repartition("client")
        mine = Window.partitionBy("client").orderBy("incarnation", "position", ROW)
        same = Window.partitionBy("client", "event").orderBy("place")
        tagged = fn.col("out_of_order")
        untagged = fn.count(fn.when(~tagged, 1)).over(same.rowsBetween(Window.unboundedPreceding, 0))
        marked = (
            known.withColumn("place", fn.row_number().over(mine))
            .withColumn("first", fn.row_number().over(same) == 1)
            .withColumn("ordered", ~tagged & (untagged == 1))
            .drop("incarnation", "position", ROW)
            .withColumnRenamed("out_of_order", "tagged")
        )
        return marked.join(events, "event")

    return space.stage("showings", make)


def _events(read: ReadTable, clients: DataFrame) -> DataFrame:
    shown = (
        read("deliveries")
        .groupBy("event")
        .agg(
            # Whole microseconds add up without overflow for centuries, and in any order to the same sum.
            fn.expr("try_sum(delivered_ns div 1000) div count(1)").alias("mean_us")
        )
    )
    facts = _publications(read, clients).join(shown, "event", "full")
    order = (fn.coalesce("mean_us", fn.lit(0)), fn.col("event"))
    return facts.select("*", fn.row_number().over(Window.orderBy(*order)).cast("long").alias("reference")).drop(
        "mean_us"
    )


def _publications(read: ReadTable, clients: DataFrame) -> DataFrame:
    published = read("publications")
    topics = numbered(published.select("topic").distinct(), "topic_number")
    everyone = read("drops").where("reason = 'expired' and subscriber is null").select("event").distinct()
    own = Window.partitionBy("publisher").orderBy("published_ns", "number", "event")
    return (
        published.join(clients.select(fn.col("name").alias("publisher"), fn.col("client").alias("author")), "publisher")
        .join(topics, "topic")
        .join(everyone.withColumn("given_up", fn.lit(True)), "event", "left")
        .select(
            "event",
            fn.lit(True).alias("published"),
            fn.col("author").alias("publisher"),
            fn.col("incarnation").alias("started"),
            fn.col("topic_number").alias("topic"),
            "number",
            "published_ns",
            # The plain audit reads a negative instant as never, too.
            (fn.coalesce("acknowledged_ns", fn.lit(-1)) >= 0).alias("acknowledged"),
            fn.coalesce("expires_ns", fn.lit(FOREVER)).alias("expires_ns"),
            fn.coalesce("given_up", fn.lit(False)).alias("given_up"),
        )
        .withColumn("rank", fn.row_number().over(own).cast("long"))
        .withColumn("straight", fn.coalesce(fn.col("number") > fn.lag("number").over(own), fn.lit(True)))
    )
