"""Posts with tags, and threads with users: files of one number a line that belong together by their places.

`nverts` says how many of the numbers in `simplices` each post has; `times`, in milliseconds, when it was written;
`node-labels` what the numbers are called; `simplex-labels` its own number, the same in tags and in threads.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as fn

from tidings.errors import InputError
from tidings.profiling.lines import lines
from tidings.profiling.normalised import Part, Tables, judged

_NAME: Final = r"(tags|threads)-([a-z-]+?)-(nverts|simplices|times|simplex-labels|node-labels)\.txt\.gz$"
FILES: Final = rf"(^|/){_NAME}"
_NEEDED: Final = ("tags-{}-nverts", "tags-{}-simplices", "tags-{}-times", "tags-{}-node-labels")
_THREADS: Final = ("tags-{}-simplex-labels", "threads-{}-nverts", "threads-{}-simplices", "threads-{}-simplex-labels")
_MS: Final = 1_000_000


def read(spark: SparkSession, files: Sequence[Path]) -> Part:
    """An event for each post and each of its tags; how many posts with each tag a user took part in."""
    names = {file.name.removesuffix(".txt.gz") for file in files}
    sites = {match[2] for name in sorted(names) if (match := re.search(_NAME, f"{name}.txt.gz"))}
    for site in sorted(sites):
        for one in _NEEDED:
            if one.format(site) not in names:
                raise InputError(f"{one.format(site)}.txt.gz is missing beside the other files of {site}; name it, too")
    threaded = all(one.format(site) in names for site in sites for one in _THREADS)
    words = fn.split("text", r"\s+", 2)
    number = words[0].try_cast("bigint")
    columns = {
        "what": fn.regexp_extract("file", _NAME, 1),
        "site": fn.regexp_extract("file", _NAME, 2),
        "part": fn.regexp_extract("file", _NAME, 3),
        "place": fn.col("place"),
        "number": number,
        "label": fn.get(words, fn.lit(1)),
    }
    wrong = fn.when(number.isNull(), fn.lit("does not begin with a whole number"))
    rows = judged(lines(spark, files), columns, fn.coalesce("reason", wrong))
    return Part(rows, lambda good: _tables(good, threaded=threaded))


def _tables(numbers: DataFrame, *, threaded: bool) -> Tables:
    tags = _listed(numbers, "tags", "node-labels").select(
        "site", fn.col("number").alias("member"), _topic().alias("topic")
    )
    posts = _members(numbers, "tags").join(tags, ["site", "member"])
    times = _listed(numbers, "tags", "times").select("site", "place", fn.col("number").alias("ms"))
    events = posts.join(times, ["site", "place"]).select(
        fn.col("site").alias("publisher"),
        (fn.col("ms") * _MS).alias("at_ns"),
        "topic",
        fn.create_map(fn.lit("tags"), fn.col("members").cast("string")).alias("attributes"),
        fn.lit(0).cast("bigint").alias("payload_bytes"),
        fn.lit(None).cast("bigint").alias("lifetime_ns"),
        fn.col("site").alias("file"),
        "place",
    )
    return {"events": events, "interests": _interests(numbers, posts)} if threaded else {"events": events}


def _interests(numbers: DataFrame, posts: DataFrame) -> DataFrame:
    """By user and tag."""
    own, labels = (
        _listed(numbers, what, "simplex-labels").select("site", "place", fn.col("number").alias("post"))
        for what in ("threads", "tags")
    )
    users = _members(numbers, "threads").join(own, ["site", "place"]).select("site", "post", "member")
    tagged = posts.join(labels, ["site", "place"]).select("site", "post", "topic")
    return (
        users.join(tagged, ["site", "post"])
        .groupBy(fn.concat(fn.lit("u"), fn.col("member")).alias("subject"), "topic")
        .agg(fn.count("*").cast("double").alias("weight"))
    )


def _members(numbers: DataFrame, what: str) -> DataFrame:
    """`site, place, members, member`: what each post (or thread) has, a row for each."""
    counts = _listed(numbers, what, "nverts").where("number > 0")
    before = fn.sum("number").over(Window.partitionBy("site").orderBy("place")) - fn.col("number")
    placed = counts.select("site", "place", fn.col("number").alias("members"), before.alias("first"))
    each = placed.withColumn("at", fn.explode(fn.expr("sequence(first + 1, first + members)"))).drop("first")
    listed = _listed(numbers, what, "simplices").select(
        "site", fn.col("place").alias("at"), fn.col("number").alias("member")
    )
    return each.join(listed, ["site", "at"]).drop("at")


def _listed(numbers: DataFrame, what: str, part: str) -> DataFrame:
    return numbers.where((fn.col("what") == what) & (fn.col("part") == part))


def _topic() -> Column:
    """A tag as a topic, which may hold no wildcards."""
    return fn.replace(fn.replace("label", fn.lit("+"), fn.lit("p")), fn.lit("#"), fn.lit("sharp"))
