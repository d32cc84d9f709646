"""Round trips between cities: a destination is written with its country, a source is not."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from tidings.profiling.normalised import Part


def named_alike(part: Part) -> Part:
    """Destinations by the name that they have as a source; those that never are one keep theirs."""
    return Part(part.judged, lambda good: {"delays": _renamed(part.tables(good)["delays"])})


def _renamed(delays: DataFrame) -> DataFrame:
    sources = delays.select(fn.col("one").alias("source")).distinct()
    names = delays.select("other").distinct().join(sources, fn.expr("startswith(other, concat(source, ' '))"))
    longest = names.groupBy("other").agg(fn.max_by("source", fn.length("source")).alias("source"))
    return delays.join(longest, "other", "left").withColumn("other", fn.coalesce("source", "other")).drop("source")
