"""Which filters hold for which events, by the definitions of `tidings.checking`, many events and filters at a time."""

from typing import Final

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from tidings.checking.history import Events
from tidings.checking.selection import Selection

EVENTS_AT_ONCE: Final = 50_000
ANSWERS_AT_ONCE: Final = 20_000_000
"""Bounds on the events, and on the events × filters, that one call holds in memory."""


def holding(publications: DataFrame, filters: DataFrame) -> DataFrame:
    """`event, filter` for every published event and every filter (`filter, text`) that holds for it."""
    events, texts = publications.count(), filters.count()
    if not events or not texts:
        return publications.select("event", fn.lit(0).cast("long").alias("filter")).limit(0)
    pieces = max(-(-events // EVENTS_AT_ONCE), -(-events * texts // ANSWERS_AT_ONCE))
    contents = publications.select(
        fn.expr(f"pmod(xxhash64(event), {pieces})").alias("piece"), "event", "topic", "attributes"
    )
    everywhere = filters.crossJoin(publications.sparkSession.range(pieces).withColumnRenamed("id", "piece"))
    pairs = contents.groupBy("piece").cogroup(everywhere.groupBy("piece"))
    return pairs.applyInArrow(held, "event bigint, filter bigint")


def held(contents: pa.Table, filters: pa.Table) -> pa.Table:
    """The pairs among these events (`event, topic, attributes`) and filters (`filter, text`)."""
    ids = contents.column("event").to_numpy()
    topics = contents.column("topic").combine_chunks().dictionary_encode()
    selection = Selection(_events(contents, topics), topics.dictionary.to_pylist(), filters.column("text").to_pylist())
    empty = np.zeros(0, np.int64)
    events, numbers = [empty], [empty]
    for position, number in enumerate(filters.column("filter").to_pylist()):
        chosen = ids[selection.holds(position)]
        events.append(chosen)
        numbers.append(np.full(len(chosen), number))
    return pa.table({"event": np.concatenate(events), "filter": np.concatenate(numbers)})


def _events(contents: pa.Table, topics: pa.DictionaryArray) -> Events:
    """Only content matters here; the rest of a history is not looked at."""
    nothing = np.zeros(contents.num_rows, np.int64)
    return Events(
        ids=contents.column("event").to_numpy(),
        published=np.ones(contents.num_rows, np.bool_),
        publisher=nothing,
        incarnation=nothing,
        topic=topics.indices.to_numpy().astype(np.int64),
        number=nothing,
        published_ns=nothing,
        acknowledged=np.zeros(contents.num_rows, np.bool_),
        expires_ns=nothing,
        rows=np.arange(contents.num_rows),
        attributes=contents.column("attributes").combine_chunks(),
    )
