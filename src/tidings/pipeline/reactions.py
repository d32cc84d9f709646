"""What publishers had been shown before they published: the causes that reactions carry into events.

Only clients that publish and are shown something carry anything. Their inboxes and events are few beside the rest, but
must be followed in the order of time, by one process; where that would be too much, program order alone counts and the
result is a lower bound.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from tidings.checking.history import Integers
from tidings.pipeline.sequences import Batches, integers
from tidings.pipeline.workspace import Workspace

CELLS_MAX: Final = 100_000_000
"""Counts of causes that are kept (events of reacting clients × publishers), four bytes each."""
PUBLISHED: Final = 1
SHOWN: Final = 2
_STEP: Final = ("client", "event", "publisher", "rank", "at")
STEPS_MAX: Final = 3_000_000_000
"""Counts of causes that are looked at (showings to reacting clients × publishers)."""


def causes_carried(
    space: Workspace, showings: DataFrame, events: DataFrame, *, cells_max: int = CELLS_MAX, steps_max: int = STEPS_MAX
) -> tuple[DataFrame | None, bool]:
    """`event, publisher, seen`: of which other publishers an event's author had seen how many, where it is any.

    None where nobody reacts. False beside it when that was too much to follow.
    """
    authors = events.where("published").select("publisher").distinct()
    inbox = showings.where("published").join(authors.withColumnRenamed("publisher", "client"), "client")
    reacting = inbox.select("client").distinct()
    publishers, shown = authors.count(), inbox.count()
    if not shown:
        return None, True
    told = events.where("published").join(reacting.withColumnRenamed("client", "publisher"), "publisher")
    if told.count() * publishers > cells_max or shown * publishers > steps_max:
        return None, False
    published = told.select(fn.col("publisher").alias("client"), "event", "publisher", "rank", "published_ns")
    heard = inbox.select("client", "event", "publisher", "rank", "delivered_ns")
    steps = (
        published.toDF(*_STEP)
        .withColumn("kind", fn.lit(PUBLISHED))
        .union(
            # Shown at the very instant of publishing is too late to be a cause: publications go first.
            heard.toDF(*_STEP).withColumn("kind", fn.lit(SHOWN))
        )
    )
    ordered = steps.repartition(1).sortWithinPartitions("at", "kind", "rank", "event")
    schema = "event bigint, publisher bigint, seen bigint"
    return space.stage("carried", lambda: ordered.mapInArrow(_follower(publishers), schema)), True


def _follower(publishers: int) -> Callable[[Batches], Batches]:
    """What follows clients' knowledge through time. `kind` 1: the client published the event; 2: it was shown it."""

    def run(batches: Batches) -> Batches:
        knowledge = _Knowledge(publishers)
        for batch in batches:
            table = pa.Table.from_batches([batch])
            columns = (integers(table, name).tolist() for name in ("client", "event", "publisher", "rank", "kind"))
            for client, event, publisher, rank, kind in zip(*columns, strict=True):
                if kind == PUBLISHED:
                    knowledge.publish(client, event, rank)
                else:
                    knowledge.learn(client, event, publisher, rank)
            yield from knowledge.carried().to_batches()

    return run


class _Knowledge:
    """How many events of each publisher each reacting client knows to be past, and what its events carry."""

    def __init__(self, publishers: int) -> None:
        self._publishers = publishers
        self._columns: dict[int, int] = {}
        self._known: dict[int, Integers] = {}
        self._carried: dict[int, Integers] = {}
        self._new: list[tuple[int, int]] = []

    def publish(self, client: int, event: int, rank: int) -> None:
        """The client's knowledge goes with its event."""
        known = self._of(client)
        column = self._column(client)
        known[column] = max(int(known[column]), rank)
        self._carried[event] = known.copy()
        self._new.append((event, client))

    def learn(self, client: int, event: int, publisher: int, rank: int) -> None:
        """What the event carries becomes the client's knowledge, and the event itself."""
        known = self._of(client)
        if event in self._carried:
            np.maximum(known, self._carried[event], out=known)
        column = self._column(publisher)
        known[column] = max(int(known[column]), rank)

    def carried(self) -> pa.Table:
        """What the events since the last call carry of publishers other than their own."""
        names = np.fromiter(self._columns, np.int64, len(self._columns))
        empty = np.zeros(0, np.int64)
        events, publishers, seen = [empty], [empty], [empty]
        for event, client in self._new:
            known = self._carried[event]
            others = np.flatnonzero(known)
            others = others[others != self._columns[client]]
            events.append(np.full(len(others), event))
            publishers.append(names[others])
            seen.append(known[others])
        self._new = []
        columns = (np.concatenate(one) for one in (events, publishers, seen))
        return pa.table(dict(zip(("event", "publisher", "seen"), columns, strict=True)))

    def _of(self, client: int) -> Integers:
        if client not in self._known:
            self._known[client] = np.zeros(self._publishers, np.int64)
        return self._known[client]

    def _column(self, publisher: int) -> int:
        return self._columns.setdefault(publisher, len(self._columns))
