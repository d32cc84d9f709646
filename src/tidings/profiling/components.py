"""Components that were down: how long they work, how long repairs take, and which of them fail together."""

from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from tidings.pipeline.workspace import Workspace
from tidings.profiling.moments import moments

TOGETHER_NS: Final = 60 * 10**9
"""Failures that begin within so long of the one before, in one group, are one episode."""
LISTED_MAX: Final = 100
"""Components of an episode that are named."""


def spell_stage(space: Workspace, outages: DataFrame) -> DataFrame:
    """`component, group, down_ns, up_ns, since_ns, until_ns, reports, episode, together`.

    Overlapping outages of a component are one spell, made of so many `reports`. The component was watched from
    `since_ns` to `until_ns`: as the record says, else from the first failure of its group to the last repair. `together`
    is the number of components whose failures are of the same `episode`.
    """
    return space.stage("spells", lambda: _episodes(_merged(outages)))


def episodes(spells: DataFrame) -> DataFrame:
    """Failures of several components at about the same time: when, how many, which."""
    found = (
        spells.where("together > 1")
        .groupBy("group", "episode")
        .agg(
            fn.min("down_ns").alias("down_ns"),
            fn.max("up_ns").alias("up_ns"),
            fn.first("together").alias("components"),
            fn.slice(fn.sort_array(fn.collect_set("component")), 1, LISTED_MAX).alias("names"),
        )
    )
    return found.drop("episode").orderBy("group", "down_ns")


def components(spells: DataFrame, watched: DataFrame | None = None) -> DataFrame:
    """One row for each component: means of the times up and down, their scv, and what was noticed on the way.

    Those of `watched` that never failed have no means, and an availability of 1.
    """
    own = Window.partitionBy("component").orderBy("down_ns")
    timed = spells.withColumn("down", fn.expr("up_ns - down_ns")).withColumn(
        "up", fn.lead("down_ns").over(own) - fn.col("up_ns")
    )
    found = timed.groupBy("component").agg(
        fn.first("group").alias("group"),
        fn.count("*").alias("failures"),
        (fn.max("until_ns") - fn.min("since_ns")).alias("watched_ns"),
        fn.sum("down").alias("lost_ns"),
        _scv("up").alias("up_scv"),
        _scv("down").alias("down_scv"),
        fn.expr("sum(reports) - count(1)").alias("overlapping"),
        fn.count_if(fn.expr("up_ns = down_ns")).alias("without_length"),
        fn.count_if(fn.expr("together > 1")).alias("correlated"),
    )
    if watched is not None:
        idle = watched.select("component", fn.col("group").alias("of"), fn.expr("until_ns - since_ns as only_ns"))
        found = (
            found.join(idle, "component", "full")
            .withColumn("group", fn.coalesce("group", "of", fn.lit("")))
            .withColumn("watched_ns", fn.coalesce("watched_ns", "only_ns"))
            .na.fill(0, ["failures", "lost_ns", "overlapping", "without_length", "correlated"])
        )
    uptime = fn.col("watched_ns") - fn.col("lost_ns")
    failed = fn.col("failures") > 0
    return found.select(
        "component",
        "group",
        "failures",
        fn.when(failed, uptime / fn.col("failures")).alias("mtbf_ns"),
        fn.when(failed, fn.col("lost_ns") / fn.col("failures")).alias("mttr_ns"),
        fn.when(fn.col("watched_ns") > 0, uptime / fn.col("watched_ns")).alias("availability"),
        "watched_ns",
        "up_scv",
        "down_scv",
        "overlapping",
        "without_length",
        "correlated",
    ).orderBy("component")


def _merged(outages: DataFrame) -> DataFrame:
    own = Window.partitionBy("component").orderBy("down_ns", "up_ns")
    before = own.rowsBetween(Window.unboundedPreceding, -1)
    mine, ours = Window.partitionBy("component"), Window.partitionBy("group")
    known = outages.withColumn("group", fn.coalesce("group", fn.lit("")))
    fresh = fn.coalesce(fn.col("down_ns") > fn.max("up_ns").over(before), fn.lit(True)).cast("int")
    since = fn.coalesce(fn.min("since_ns").over(mine), fn.min("down_ns").over(ours))
    until = fn.coalesce(fn.max("until_ns").over(mine), fn.max("up_ns").over(ours))
    return (
        known.withColumn("fresh", fresh)
        .withColumn("spell", fn.sum("fresh").over(own))
        .withColumn("since_ns", fn.least(since, fn.min("down_ns").over(mine)))
        .withColumn("until_ns", fn.greatest(until, fn.max("up_ns").over(mine)))
        .groupBy("component", "spell")
        .agg(
            *(fn.first(name).alias(name) for name in ("group", "since_ns", "until_ns")),
            fn.min("down_ns").alias("down_ns"),
            fn.max("up_ns").alias("up_ns"),
            fn.count("*").alias("reports"),
        )
        .drop("spell")
    )


def _episodes(spells: DataFrame) -> DataFrame:
    ours = Window.partitionBy("group").orderBy("down_ns", "component")
    late = fn.col("down_ns") - fn.lag("down_ns").over(ours) > TOGETHER_NS
    begins = fn.coalesce(late, fn.lit(True)).cast("int")
    numbered = spells.withColumn("begins", begins).withColumn("episode", fn.sum("begins").over(ours)).drop("begins")
    sizes = numbered.groupBy("group", "episode").agg(fn.count_distinct("component").alias("together"))
    return numbered.join(sizes, ["group", "episode"])


def _scv(name: str) -> Column:
    """Null below two values, and where all are 0."""
    return fn.when(fn.count(name) > 1, moments(fn.col(name), per=1_000).scv)
