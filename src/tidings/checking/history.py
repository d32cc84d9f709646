"""What a run's logs say, as arrays.

Clients and topics become numbers (a client that publishes and subscribes is one client), events become positions in the
ascending list of their identities. A log may claim anything; nothing here judges.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tidings.errors import InputError
from tidings.vocabulary.instant import FOREVER
from tidings.vocabulary.records import NULL_NS, TABLES

Integers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
ReadTable: TypeAlias = Callable[[str, Sequence[str]], pa.Table]
"""From the name of a log table and the columns needed to those columns."""


@dataclass(frozen=True, kw_only=True)
class Events:
    """All events that were published or shown, by ascending identity."""

    ids: Integers
    published: Flags
    """False for what was shown and never published; the columns below then mean nothing."""
    publisher: Integers
    incarnation: Integers
    topic: Integers
    number: Integers
    published_ns: Integers
    acknowledged: Flags
    expires_ns: Integers
    """FOREVER for events that never expire."""
    rows: Integers
    """For each row of `attributes` the event that it belongs to."""
    attributes: pa.MapArray

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, kw_only=True)
class Showings:
    """What applications were shown: by subscriber, then in the order shown."""

    subscriber: Integers
    event: Integers
    delivered_ns: Integers
    tagged: Flags

    def __len__(self) -> int:
        return len(self.event)

    def of(self, subscriber: int) -> slice:
        """Where the rows of `subscriber` are."""
        first, last = np.searchsorted(self.subscriber, [subscriber, subscriber + 1])
        return slice(int(first), int(last))

    @cached_property
    def ordered(self) -> "Showings":
        """What order is judged by: without tagged rows, each event where a subscriber was first shown it."""
        rows = np.flatnonzero(~self.tagged)
        pairs = np.stack([self.subscriber[rows], self.event[rows]], axis=1)
        first = np.sort(_first_of_each(pairs))
        return self.take(rows[first])

    def take(self, rows: Integers | Flags) -> "Showings":
        """Some of the rows, in their order."""
        return Showings(
            subscriber=self.subscriber[rows],
            event=self.event[rows],
            delivered_ns=self.delivered_ns[rows],
            tagged=self.tagged[rows],
        )


@dataclass(frozen=True, kw_only=True)
class Interests:
    """Who wanted what, and when; null instants are FOREVER."""

    subscriber: Integers
    filter: Integers
    """Position in `texts`."""
    texts: tuple[str, ...]
    requested_ns: Integers
    effective_ns: Integers
    until_ns: Integers


@dataclass(frozen=True, kw_only=True)
class Deadlines:
    """Longest delays that are on time; publisher -1 stands for every one that has no row of its own."""

    subscriber: Integers
    publisher: Integers
    deadline_ns: Integers


@dataclass(frozen=True, kw_only=True)
class Expirations:
    """Events that were given up as expired; subscriber -1 stands for everyone."""

    event: Integers
    subscriber: Integers


@dataclass(frozen=True, kw_only=True)
class History:
    """One run, as far as checks need it."""

    clients: tuple[str, ...]
    topics: tuple[str, ...]
    events: Events
    showings: Showings
    interests: Interests
    deadlines: Deadlines
    expirations: Expirations

    @cached_property
    def subscribers(self) -> tuple[int, ...]:
        """Everyone who wanted something or was shown something, in the order of the interests."""
        seen = np.concatenate([self.interests.subscriber, self.showings.subscriber])
        return tuple(dict.fromkeys(seen.tolist()))


def read_history(read: ReadTable) -> History:
    """The history in the tables that `read` gives, for example `Folder.table`."""
    clients: dict[str, int] = {}
    topics: dict[str, int] = {}
    interests = _interests(_Columns(read, "interests"), clients)
    deadlines = _deadlines(_Columns(read, "deadlines"), clients)
    publications = _Columns(read, "publications", without=("payload_bytes",))
    deliveries = _Columns(read, "deliveries", without=("arrived_ns", "version"))
    drops = _Columns(read, "drops", without=("component", "dropped_ns"))
    ids = np.union1d(publications.integers("event"), deliveries.integers("event"))
    return History(
        events=_events(ids, publications, clients, topics),
        showings=_showings(ids, deliveries, clients),
        interests=interests,
        deadlines=deadlines,
        expirations=_expirations(ids, drops, clients),
        clients=tuple(clients),
        topics=tuple(topics),
    )


class _Columns:
    """The columns of one table, as arrays."""

    def __init__(self, read: ReadTable, table: str, without: tuple[str, ...] = ()) -> None:
        self._table = read(table, [name for name in TABLES[table].names if name not in without]).unify_dictionaries()

    def array(self, name: str) -> pa.Array:
        column = self._table.column(name)
        return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks or [_empty(column.type)])

    def integers(self, name: str, null: int = NULL_NS) -> Integers:
        array = self.array(name)
        numbers: Integers = (array.fill_null(null) if array.null_count else array).to_numpy()
        return numbers

    def flags(self, name: str) -> Flags:
        flags: Flags = self.array(name).to_numpy(zero_copy_only=False)
        return flags

    def codes(self, name: str, book: dict[str, int]) -> Integers:
        """Names as the numbers that `book` gives them, growing where needed; null is -1."""
        array = self.array(name)
        numbers = [book.setdefault(text, len(book)) for text in array.dictionary.to_pylist()]
        lookup = np.array([*numbers, -1], np.int64)
        codes: Integers = lookup[array.indices.fill_null(-1).to_numpy(zero_copy_only=False)]
        return codes


def _empty(kind: pa.DataType) -> pa.Array:
    return pa.array([], kind)


def _interests(table: _Columns, clients: dict[str, int]) -> Interests:
    texts: dict[str, int] = {}
    return Interests(
        subscriber=table.codes("subscriber", clients),
        filter=table.codes("filter", texts),
        texts=tuple(texts),
        requested_ns=table.integers("requested_ns"),
        effective_ns=table.integers("effective_ns", FOREVER),
        until_ns=table.integers("until_ns", FOREVER),
    )


def _deadlines(table: _Columns, clients: dict[str, int]) -> Deadlines:
    return Deadlines(
        subscriber=table.codes("subscriber", clients),
        publisher=table.codes("publisher", clients),
        deadline_ns=table.integers("deadline_ns"),
    )


def _events(ids: Integers, table: _Columns, clients: dict[str, int], topics: dict[str, int]) -> Events:
    rows = np.searchsorted(ids, table.integers("event"))
    published = np.zeros(len(ids), np.bool_)
    published[rows] = True
    if published.sum() != len(rows):
        twice = ids[np.flatnonzero(np.bincount(rows) > 1)[0]]
        raise InputError(f"publications: event {twice} has more than one row; each event is published once")

    def spread(values: Integers) -> Integers:
        whole = np.full(len(ids), -1, np.int64)
        whole[rows] = values
        return whole

    return Events(
        ids=ids,
        published=published,
        publisher=spread(table.codes("publisher", clients)),
        incarnation=spread(table.integers("incarnation")),
        topic=spread(table.codes("topic", topics)),
        number=spread(table.integers("number")),
        published_ns=spread(table.integers("published_ns")),
        acknowledged=spread(table.integers("acknowledged_ns")) >= 0,
        expires_ns=spread(table.integers("expires_ns", FOREVER)),
        rows=rows,
        attributes=table.array("attributes"),
    )


def _showings(ids: Integers, table: _Columns, clients: dict[str, int]) -> Showings:
    subscriber = table.codes("subscriber", clients)
    showings = Showings(
        subscriber=subscriber,
        event=np.searchsorted(ids, table.integers("event")),
        delivered_ns=table.integers("delivered_ns"),
        tagged=table.flags("out_of_order"),
    )
    return showings.take(np.lexsort((table.integers("position"), table.integers("incarnation"), subscriber)))


def _expirations(ids: Integers, table: _Columns, clients: dict[str, int]) -> Expirations:
    reasons: dict[str, int] = {}
    reason = table.codes("reason", reasons)
    event = table.integers("event")
    place = np.minimum(np.searchsorted(ids, event), max(len(ids) - 1, 0))
    known = ids[place] == event if len(ids) else np.zeros(len(event), np.bool_)
    chosen = known & (reason == reasons.get("expired", -2))
    return Expirations(event=place[chosen], subscriber=table.codes("subscriber", clients)[chosen])


def _first_of_each(pairs: Integers) -> Integers:
    """The first row of each distinct pair of small numbers that are not negative."""
    width = int(pairs[:, 1].max(initial=0)) + 1
    first: Integers = np.unique(pairs[:, 0] * width + pairs[:, 1], return_index=True)[1]
    return first


def grouped(*columns: Integers) -> Integers:
    """Numbers from 0 that are equal where all `columns` are equal."""
    groups: Integers = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        _, codes = np.unique(column, return_inverse=True)
        width = int(codes.max(initial=0)) + 1
        _, groups = np.unique(groups * width + codes, return_inverse=True)
    return groups


def by_subscriber(history: History, subscribers: Integers) -> Mapping[int, int]:
    """How often each client occurs among `subscribers`; those who do not are left out."""
    counts = np.bincount(subscribers, minlength=len(history.clients))
    return {int(one): int(counts[one]) for one in np.flatnonzero(counts)}
