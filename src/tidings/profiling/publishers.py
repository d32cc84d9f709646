"""One profile for each publisher: how often, how unevenly, what."""

from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from tidings.pipeline.workspace import Workspace
from tidings.profiling.counting import (
    BUCKETS_PER_E,
    SCHEMA,
    counted,
    index_of_dispersion,
    spread_evenly,
    window_ns,
)
from tidings.profiling.recorded_events import Hours
from tidings.vocabulary.profiles import CONTENT_TYPE, INDEX_TYPE, PROFILE_SCHEMA

Floats: TypeAlias = NDArray[np.float64]

CONTENTS_MAX: Final = 1_000
"""Contents that stand for all events of a publisher, evenly taken along its record."""
INTERVALS_MAX: Final = 500
"""Values that stand for all of its intervals."""
_SECOND: Final = 1_000_000_000
_CONTENT: Final = [field.name for field in CONTENT_TYPE]
_LAW: Final = (
    "publisher string, scv double, interval_ns array<double>, dispersion array<struct<window_ns:double,index:double>>"
)


def profile_stage(space: Workspace, events: DataFrame, hours: Hours | None) -> DataFrame:
    """A row for each publisher, as `PROFILE_SCHEMA` has it."""
    facts = space.stage("publisher_facts", lambda: _facts(events, hours))
    counts = space.stage("counts", lambda: _counts(events))
    extents = facts.select("publisher", "events", "span_ns")
    laws = counts.join(extents, "publisher").groupBy("publisher").applyInArrow(_law, _LAW)
    contents = _contents(events, facts)
    columns = [field.name for field in PROFILE_SCHEMA]
    return space.stage(
        "profiles",
        lambda: facts.join(laws, "publisher").join(contents, "publisher").select(*columns).orderBy("publisher"),
    )


def _facts(events: DataFrame, hours: Hours | None) -> DataFrame:
    """`publisher, events, span_ns, rate, lifetime_ns`.

    A record goes on for one mean interval after its last event; one without length is as long as all of them together.
    """
    found = events.groupBy("publisher").agg(
        fn.count("*").alias("events"),
        fn.expr("max(at_ns) - min(at_ns)").alias("extent_ns"),
        fn.count_distinct("segment").alias("segments"),
        fn.percentile("lifetime_ns", 0.5).cast("bigint").alias("lifetime_ns"),
    )
    if hours is None:
        whole = events.agg(fn.greatest(fn.max("at_ns"), fn.lit(_SECOND)).alias("all_ns"))
        span = "if(extent_ns > 0, (extent_ns div (events - 1)) * events, all_ns)"
        found = found.crossJoin(whole).withColumn("span_ns", fn.expr(span)).drop("all_ns")
    else:
        found = found.withColumn("span_ns", fn.col("segments") * hours.length_ns)
    return found.drop("extent_ns", "segments").withColumn("rate", fn.col("events") * float(_SECOND) / fn.col("span_ns"))


def _counts(events: DataFrame) -> DataFrame:
    """`publisher, what, key, n, total, square` over all pieces: `interval` by bucket, `windows` by level."""
    pieces = events.select("publisher", "segment", "at_ns", "rank").mapInArrow(counted, SCHEMA)
    inside = pieces.where("what = 'interval'").select("publisher", "key", "n", "total")
    intervals = inside.unionByName(_between(pieces)).groupBy("publisher", "key").agg(_sum("n"), _sum("total"))
    cut = pieces.where("what = 'window'").groupBy("publisher", "level", "key").agg(_sum("n"))
    joined = cut.select(
        "publisher", "level", fn.lit(1).alias("n"), fn.col("n").alias("total"), fn.expr("n * n as square")
    )
    whole = pieces.where("what = 'windows'").select("publisher", "level", "n", "total", "square")
    windows = whole.unionByName(joined).groupBy("publisher", fn.col("level").cast("bigint").alias("key"))
    return intervals.select(
        "publisher", fn.lit("interval").alias("what"), "key", "n", "total", fn.lit(0).cast("bigint").alias("square")
    ).unionByName(windows.agg(_sum("n"), _sum("total"), _sum("square")).withColumn("what", fn.lit("windows")))


def _between(pieces: DataFrame) -> DataFrame:
    """`publisher, key, n, total`: intervals from the end of one piece to the begin of the next."""
    own = Window.partitionBy("publisher").orderBy("key")
    ends = pieces.where("what = 'end'").select(
        "publisher",
        "total",
        (fn.col("n") - fn.lag("n").over(own)).alias("gap_ns"),
        (fn.col("level") == fn.lag("level").over(own)).alias("same"),
    )
    bucket = f"if(gap_ns > 0, cast(floor(ln(gap_ns) * {BUCKETS_PER_E}) as bigint), -1L)"
    return ends.where("total = 1 and same").select(
        "publisher", fn.expr(bucket).alias("key"), fn.lit(1).cast("bigint").alias("n"), fn.col("gap_ns").alias("total")
    )


def _sum(name: str) -> Column:
    return fn.sum(name).alias(name)


def _law(counts: pa.Table) -> pa.Table:
    """One publisher's intervals and dispersion, from its counts."""
    rows = counts.sort_by("key").to_pylist()
    events, span_ns = rows[0]["events"], rows[0]["span_ns"]
    intervals = [row for row in rows if row["what"] == "interval"]
    numbers = np.array([row["n"] for row in intervals], np.float64)
    means = np.array([row["total"] for row in intervals], np.float64) / numbers
    points = [
        {"window_ns": float(window_ns(row["key"])), "index": index}
        for row in rows
        if row["what"] == "windows"
        and (index := index_of_dispersion(span_ns, row["key"], (row["total"], row["square"]))) is not None
    ]
    return pa.table(
        {
            "publisher": [rows[0]["publisher"]],
            "scv": pa.array([_scv(numbers, means)], pa.float64()),
            "interval_ns": pa.array([_values(numbers, means, span_ns / events)], pa.list_(pa.float64())),
            "dispersion": pa.array([points], pa.list_(INDEX_TYPE)),
        }
    )


def _scv(numbers: Floats, means: Floats) -> float | None:
    """Of intervals in buckets; what they differ by within one does not count."""
    count = float(numbers.sum())
    mean = float(numbers @ means) / count if count > 1 else 0.0
    return float(numbers @ (means - mean) ** 2) / count / mean**2 if mean > 0 else None


def _values(numbers: Floats, means: Floats, mean_ns: float) -> list[float]:
    """Intervals that stand for all, with the mean that the rate asks for."""
    count = int(numbers.sum())
    if count == 0 or not means.any():
        return [mean_ns]
    values = spread_evenly(numbers, means, min(count, INTERVALS_MAX))
    scaled: list[float] = (values * (mean_ns / values.mean())).tolist()
    return scaled


def _contents(events: DataFrame, facts: DataFrame) -> DataFrame:
    """`publisher, contents`: every so many events of the record, equal ones together."""
    step = fn.greatest(fn.lit(1), fn.expr(f"(events + {CONTENTS_MAX - 1}) div {CONTENTS_MAX}"))
    taken = (
        events.join(facts.select("publisher", step.alias("step")), "publisher")
        .where("rank % step = step div 2")
        .withColumn("text", fn.to_json("attributes"))
    )
    alike = taken.groupBy("publisher", "topic", "text", "payload_bytes").agg(
        fn.first("attributes").alias("attributes"), fn.count("*").alias("n")
    )
    sizes = fn.sum("n").over(Window.partitionBy("publisher"))
    content = fn.struct("text", "topic", "attributes", "payload_bytes", (fn.col("n") / sizes).alias("weight"))
    listed = (
        alike.select("publisher", content.alias("content"))
        .groupBy("publisher")
        .agg(fn.collect_list("content").alias("all"))
    )
    ordered = fn.array_sort("all", _before)
    bare = fn.transform(ordered, lambda one: fn.struct(*(one[name].alias(name) for name in _CONTENT)))
    return listed.select("publisher", bare.alias("contents"))


def _before(one: Column, other: Column) -> Column:
    """By what they say: the same order whoever collected them."""
    keys = [fn.struct(side["topic"], side["text"], side["payload_bytes"]) for side in (one, other)]
    return fn.when(keys[0] < keys[1], fn.lit(-1)).when(keys[0] > keys[1], fn.lit(1)).otherwise(fn.lit(0))
