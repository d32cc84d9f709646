"""What became of every wanted event, and what was shown that should not have been.

Showings are judged one by one; what was not shown is counted by subtraction: what a class of subscribers wants, less
what came to each.
"""

from functools import reduce
from operator import or_
from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from tidings.checking.delays import KEPT_BITS
from tidings.checking.outcomes import QUANTILES
from tidings.pipeline.showings import ReadTable
from tidings.pipeline.wishes import Wishes
from tidings.pipeline.workspace import Workspace
from tidings.vocabulary.instant import FOREVER

COUNTS: Final = ("wanted", "on_time", "late", "expired", "lost", "acknowledged_lost", "duplicates", "unexpected")
BATCHED: Final = ("wanted_in", "on_time_in")
"""Maps: the counts of those parts of the run that have any; null without any."""


def judged_stage(
    space: Workspace, read: ReadTable, clients: DataFrame, showings: DataFrame, wishes: Wishes
) -> DataFrame:
    """One row for each showing: `client, event, came` (wanted, and the first time), `late`, `unexpected`, and times."""

    def make() -> DataFrame:
        asked = showings.join(wishes.classes, "client", "left").join(
            wishes.wanted.drop("given_up"), ["class", "event"], "left"
        )
        allowed = (
            fn.col("published")
            & (fn.col("asked_ns") <= fn.col("delivered_ns"))
            & (fn.col("delivered_ns") <= fn.col("expires_ns"))
        )
        came = fn.col("first") & fn.coalesce("wanted", fn.lit(False))
        with_limits = asked.join(_deadlines(read, clients, general=False), ["client", "publisher"], "left").join(
            _deadlines(read, clients, general=True), "client", "left"
        )
        return (
            with_limits.withColumn("limit_ns", _limit())
            .withColumn("came", came)
            .select(
                "client",
                "event",
                "first",
                "came",
                (came & (fn.col("delivered_ns") > fn.col("limit_ns"))).alias("late"),
                (~fn.coalesce(allowed, fn.lit(False))).alias("unexpected"),
                fn.when(fn.col("came"), fn.col("delivered_ns") - fn.col("published_ns")).alias("delay_ns"),
                fn.when(
                    fn.col("came") & (fn.col("delivered_ns") > fn.col("limit_ns")),
                    fn.col("delivered_ns") - fn.col("limit_ns"),
                ).alias("late_by_ns"),
                fn.coalesce("owed", fn.lit(False)).alias("owed"),
                fn.coalesce("given_up", fn.lit(False)).alias("given_up"),
                "batch",
            )
        )

    return space.stage("judged", make)


def counts(read: ReadTable, clients: DataFrame, judged: DataFrame, wishes: Wishes) -> DataFrame:
    """`client`, `COUNTS` and `BATCHED`, for everyone who wanted something or was shown something."""
    owed = _summed(
        wishes.wanted.where("wanted"),
        "class",
        wanted=fn.count("*"),
        owed_given_up=fn.count_if("given_up"),
        owed_acknowledged=fn.count_if(fn.expr("owed and not given_up")),
    )
    shown = _summed(
        judged.withColumn("on_time", fn.expr("came and not late")),
        "client",
        on_time=fn.count_if("on_time"),
        late=fn.count_if("late"),
        unexpected=fn.count_if("unexpected"),
        duplicates=fn.count_if(~fn.col("first")),
        came_given_up=fn.count_if(fn.expr("came and given_up")),
        came_acknowledged=fn.count_if(fn.expr("came and owed and not given_up")),
    )
    own = _own_expirations(read, clients, judged, wishes)
    sums = (
        wishes.classes.join(owed, "class", "left")
        .drop("class")
        .join(shown, "client", "full")
        .join(own, "client", "left")
        .na.fill(0)
        .withColumn("came", fn.expr("on_time + late"))
    )
    expired = fn.expr("owed_given_up - came_given_up + own_expired")
    return sums.select(
        "client",
        "wanted",
        "on_time",
        "late",
        expired.alias("expired"),
        (fn.expr("wanted - came") - expired).alias("lost"),
        fn.expr("owed_acknowledged - came_acknowledged - own_acknowledged").alias("acknowledged_lost"),
        "duplicates",
        "unexpected",
        *BATCHED,
    )


def _summed(rows: DataFrame, key: str, **sums: Column) -> DataFrame:
    """`key` and the counts, of which the first comes by batch, too: a map under its name and `_in`."""
    by_batch = rows.groupBy(key, "batch").agg(*(count.alias(name) for name, count in sums.items()))
    first = next(iter(sums))
    entry = fn.when(fn.col("batch").isNotNull(), fn.struct("batch", first))
    return by_batch.groupBy(key).agg(
        *(fn.sum(name).alias(name) for name in sums),
        fn.map_from_entries(fn.collect_list(entry)).alias(f"{first}_in"),
    )


def quantiles(judged: DataFrame, column: str) -> DataFrame:
    """`client` and an array: values of `column` that occur, at each of `QUANTILES`."""
    values = judged.where(fn.col(column).isNotNull()).select("client", fn.col(column).alias("value"))
    sizes = values.groupBy("client").agg(fn.count("*").cast("double").alias("size"))
    place = fn.row_number().over(Window.partitionBy("client").orderBy("value"))
    ranked = values.withColumn("place", place).join(sizes, "client")
    picked = [fn.max(fn.when(fn.col("place") == _place(share), fn.col("value"))) for share in QUANTILES]
    kept = ranked.where(reduce(or_, [fn.col("place") == _place(share) for share in QUANTILES]))
    return kept.groupBy("client").agg(fn.array(*picked).alias(column))


def delay_classes(showings: DataFrame) -> DataFrame:
    """`least, count`: how often a published event was first shown to somebody after so long, in classes."""
    delay = fn.greatest(fn.col("delivered_ns") - fn.col("published_ns"), fn.lit(0))
    bits = fn.greatest(fn.length(fn.bin("delay")) - KEPT_BITS, fn.lit(0))
    least = fn.call_function("shiftleft", fn.call_function("shiftright", "delay", bits), bits)
    first = showings.where("first and published").select(delay.alias("delay"))
    return first.groupBy(least.alias("least")).agg(fn.count("*").alias("count"))


def _place(share: float) -> Column:
    """As NumPy's inverted distribution function has it, rounding of products included; places count from 1."""
    at = fn.col("size") * fn.lit(share)
    return fn.greatest(fn.ceil(at), fn.lit(1))


def _limit() -> Column:
    """The last instant at which a showing is on time."""
    longest = fn.coalesce("own_ns", "general_ns", fn.lit(FOREVER))
    beyond = longest >= fn.lit(FOREVER) - fn.greatest("published_ns", fn.lit(0))
    return fn.least(fn.when(~beyond, fn.col("published_ns") + longest).otherwise(FOREVER), fn.col("expires_ns"))


def _deadlines(read: ReadTable, clients: DataFrame, *, general: bool) -> DataFrame:
    """The shortest deadline of each subscriber, for everyone or for single publishers."""
    rows = read("deadlines").join(clients.withColumnRenamed("name", "subscriber"), "subscriber")
    if general:
        return rows.where("publisher is null").groupBy("client").agg(fn.min("deadline_ns").alias("general_ns"))
    authors = clients.select(fn.col("name").alias("publisher"), fn.col("client").alias("author"))
    single = rows.join(authors, "publisher").drop("publisher").withColumnRenamed("author", "publisher")
    return single.groupBy("client", "publisher").agg(fn.min("deadline_ns").alias("own_ns"))


def _own_expirations(read: ReadTable, clients: DataFrame, judged: DataFrame, wishes: Wishes) -> DataFrame:
    """Wanted events that were given up for one subscriber alone, and did not come."""
    dropped = (
        read("drops")
        .where("reason = 'expired' and subscriber is not null")
        .join(clients.withColumnRenamed("name", "subscriber"), "subscriber")
        .select("client", "event")
        .distinct()
        .join(wishes.classes, "client")
        .join(wishes.wanted.where("wanted and not given_up"), ["class", "event"])
    )
    missing = dropped.join(judged.where("first").select("client", "event"), ["client", "event"], "left_anti")
    return missing.groupBy("client").agg(
        fn.count("*").alias("own_expired"), fn.count_if("owed").alias("own_acknowledged")
    )
