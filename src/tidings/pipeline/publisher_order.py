"""Inversions of publishers' orders: running maxima over each subscriber's showings of one publisher.

One window over (subscriber, publisher) finds the *suspects*: groups in which anything came behind a later event, or
whose publisher numbers its events against time. Only there the finer questions are asked.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from tidings.pipeline.workspace import Workspace

GROUP = ("client", "publisher")


def ordered_showings(showings: DataFrame) -> DataFrame:
    """What order is judged by, of events that were published."""
    return showings.where("ordered and published")


def suspect_stage(space: Workspace, showings: DataFrame) -> DataFrame:
    """`client, publisher`: groups in which some order may be broken."""

    def make() -> DataFrame:
        behind = fn.col("rank") < _highest("rank", *GROUP)
        marked = ordered_showings(showings).select(*GROUP, (behind | ~fn.col("straight")).alias("suspect"))
        return marked.where("suspect").select(*GROUP).distinct()

    return space.stage("suspects", make)


def inversions(showings: DataFrame, suspects: DataFrame) -> DataFrame:
    """`client, fifo_inversions, topic_inversions`, of subscribers that have any."""
    fifo = fn.col("number") < _highest("number", *GROUP, "started")
    in_topic = fn.col("number") < _highest("number", *GROUP, "started", "topic")
    marked = (
        ordered_showings(showings)
        .join(suspects, list(GROUP), "left_semi")
        .select("client", fifo.alias("fifo"), in_topic.alias("in_topic"))
    )
    return marked.groupBy("client").agg(
        fn.count_if("fifo").alias("fifo_inversions"), fn.count_if("in_topic").alias("topic_inversions")
    )


def chances(showings: DataFrame) -> DataFrame:
    """One row: how many showings had one of the same publisher and incarnation before them."""
    groups = ordered_showings(showings).groupBy(*GROUP, "started").count()
    return groups.agg(fn.coalesce(fn.sum(fn.col("count") - 1), fn.lit(0)).alias("fifo_chances"))


def _highest(number: str, *group: str) -> Column:
    """The highest `number` in the group so far; the showing itself does not change what is below it."""
    window = Window.partitionBy(*group).orderBy("place").rowsBetween(Window.unboundedPreceding, Window.currentRow)
    return fn.max(number).over(window)
