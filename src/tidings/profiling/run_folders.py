"""Folders that `simulate` and `run` wrote, as recorded traffic: what was published, what failed, what was shown when."""

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from tidings.logs import Folder, runs_of
from tidings.pipeline.tables import log_table
from tidings.profiling.normalised import Tables, union
from tidings.vocabulary.instant import parse_duration


def read(spark: SparkSession, folders: Sequence[Path]) -> Tables:
    """The tables of every run; runs after the first are laid behind each other in time."""
    parts, begin_ns = [], 0
    for folder in [folder for path in folders for folder in runs_of(path)]:
        length_ns = parse_duration(str(folder.scenario()["duration"]))
        parts.append(_run(spark, folder, begin_ns, length_ns))
        begin_ns += length_ns
    return {kind: union([part[kind] for part in parts]) for kind in parts[0]}


def _run(spark: SparkSession, folder: Folder, begin_ns: int, length_ns: int) -> Tables:
    events = log_table(spark, folder, "publications").select(
        "publisher",
        (fn.col("published_ns") + begin_ns).alias("at_ns"),
        "topic",
        "attributes",
        "payload_bytes",
        (fn.col("expires_ns") - fn.col("published_ns")).alias("lifetime_ns"),
        fn.lit(str(folder.path)).alias("file"),
        fn.col("row").alias("place"),
    )
    outages = log_table(spark, folder, "outages").select(
        "component",
        (fn.col("down_ns") + begin_ns).alias("down_ns"),
        (fn.coalesce("up_ns", fn.greatest(fn.lit(length_ns), "down_ns")) + begin_ns).alias("up_ns"),
        fn.lit(None).cast("string").alias("cause"),
        fn.lit(None).cast("string").alias("group"),
        fn.lit(begin_ns).cast("bigint").alias("since_ns"),
        fn.lit(begin_ns + length_ns).cast("bigint").alias("until_ns"),
    )
    copies = _copies(spark, folder, begin_ns)
    return {"events": events, "outages": outages, "delays": copies, "showings": _showings(spark, folder)}


def _copies(spark: SparkSession, folder: Folder, begin_ns: int) -> DataFrame:
    """What became of each copy over a link; how long it took stands nowhere."""
    return log_table(spark, folder, "transmissions").select(
        fn.col("sender").alias("one"),
        fn.col("receiver").alias("other"),
        fn.lit(None).cast("bigint").alias("delay_ns"),
        fn.lit(0).cast("bigint").alias("deviation_ns"),
        (fn.col("outcome") != "arrived").alias("lost"),
        (fn.col("sent_ns") + begin_ns).alias("at_ns"),
    )


def _showings(spark: SparkSession, folder: Folder) -> DataFrame:
    """How long each event took to each endpoint, before any latch held it."""
    published = log_table(spark, folder, "publications").select("event", "publisher", "number", "published_ns")
    arrived = (
        log_table(spark, folder, "deliveries")
        .select("event", "subscriber", "arrived_ns")
        .dropDuplicates(["event", "subscriber"])
    )
    return arrived.join(published, "event").select(
        "publisher", "subscriber", "number", (fn.col("arrived_ns") - fn.col("published_ns")).alias("delay_ns")
    )
