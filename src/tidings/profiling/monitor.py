"""What a monitor wrote about sites: seconds since 1970, the same as text, and a sentence; tabs between them.

Only changes and now and then a confirmation are written. A site is taken as down from the first message that says so to
the next one that says otherwise, or to the last message about it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as fn

from tidings.profiling.lines import lines
from tidings.profiling.normalised import Part, judged

FILES: Final = r"(^|/)status\.tsv$"
_SENTENCE: Final = r"^\S+\s+(.+) (?:is|has) (up|down|degraded)\b"
_RESPONSE: Final = r"\(\d+ in (\d+) ?ms\)"
_HALF_MS: Final = 500_000.0


def read(spark: SparkSession, files: Sequence[Path]) -> Part:
    """Outages of each site, and half of its response times as delays from the monitor."""
    parts = fn.split("text", "\t")
    said = fn.get(parts, fn.lit(2))
    seconds = fn.get(parts, fn.lit(0)).try_cast("bigint")
    columns = {
        "at_ns": seconds * 1_000_000_000,
        "component": fn.regexp_extract(said, _SENTENCE, 1),
        "state": fn.regexp_extract(said, _SENTENCE, 2),
        "response_ms": fn.regexp_extract(said, _RESPONSE, 1).try_cast("double"),
        "place": fn.col("place"),
    }
    wrong = fn.when(seconds.isNull(), fn.lit("does not begin with seconds")).when(
        fn.coalesce(columns["state"], fn.lit("")) == "", fn.lit("does not say that something is up or down")
    )
    rows = judged(lines(spark, files), columns, fn.coalesce("reason", wrong))
    return Part(rows, lambda good: {"outages": _outages(good), "watched": _watched(good), "delays": _delays(good)})


def _outages(messages: DataFrame) -> DataFrame:
    mine = Window.partitionBy("component")
    by_time = mine.orderBy("at_ns", "place")
    down = fn.col("state") == "down"
    changes = (
        messages.withColumn("since_ns", fn.min("at_ns").over(mine))
        .withColumn("until_ns", fn.max("at_ns").over(mine))
        .withColumn("before", fn.lag(down).over(by_time))
        .where(down != fn.coalesce("before", fn.lit(False)))
        .withColumn("up_ns", fn.coalesce(fn.lead("at_ns").over(by_time), "until_ns"))
    )
    return changes.where(down).select(
        "component",
        fn.col("at_ns").alias("down_ns"),
        "up_ns",
        fn.lit(None).cast("string").alias("cause"),
        fn.lit(None).cast("string").alias("group"),
        "since_ns",
        "until_ns",
    )


def _watched(messages: DataFrame) -> DataFrame:
    """Every site, from the first word about it to the last."""
    group = fn.lit("").alias("group")
    return messages.groupBy("component", group).agg(
        fn.min("at_ns").alias("since_ns"), fn.max("at_ns").alias("until_ns")
    )


def _delays(messages: DataFrame) -> DataFrame:
    return messages.where("state != 'down' and response_ms > 0").select(
        fn.lit("monitor").alias("one"),
        fn.col("component").alias("other"),
        (fn.col("response_ms") * _HALF_MS).cast("bigint").alias("delay_ns"),
        fn.lit(0).cast("bigint").alias("deviation_ns"),
        fn.lit(False).alias("lost"),
        "at_ns",
    )
