"""Matrices of round-trip times: entry j of line i is the time from i to j and back, in milliseconds."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pyspark.sql import SparkSession
from pyspark.sql import functions as fn

from tidings.profiling.lines import lines
from tidings.profiling.normalised import Part, judged

FILES: Final = r"(^|/)PlanetLab\w*(-\w+)*\.tar\.gz$"
_HALF_MS: Final = 500_000.0


def read(spark: SparkSession, files: Sequence[Path]) -> Part:
    """One delay for each entry above or below the diagonal: half of the round trip. An entry of 0 is no measurement."""
    numbered = lines(spark, files).select(
        "file", "place", fn.col("text").alias("row"), "reason", fn.posexplode(fn.split(fn.trim("text"), r"\s+"))
    )
    entries = numbered.where("pos != place - 1").withColumn("text", fn.concat_ws(" ", fn.lit("column"), "pos", "col"))
    trip = fn.col("col").try_cast("double")
    columns = {
        "one": fn.concat(fn.lit("n"), fn.col("place") - 1),
        "other": fn.concat(fn.lit("n"), fn.col("pos")),
        "delay_ns": fn.round(trip * _HALF_MS).cast("bigint"),
        "deviation_ns": fn.lit(0).cast("bigint"),
        "lost": fn.lit(False),
        "at_ns": fn.lit(None).cast("bigint"),
    }
    wrong = (
        fn.when(trip.isNull() | fn.isnan(trip), fn.lit("is no number"))
        .when(trip < 0, fn.lit("is negative"))
        .when(trip == 0, fn.lit("is 0, which no round trip takes"))
    )
    return Part(judged(entries, columns, fn.coalesce("reason", wrong)), lambda good: {"delays": good})
