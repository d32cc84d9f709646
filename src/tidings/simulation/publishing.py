"""One publisher's events, as columns: drawn from its laws, or replayed from a trace."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol, TypeAlias

import numpy as np
import pyarrow.parquet as pq

from tidings.errors import ScenarioError
from tidings.scenario.world import Choice, Profile, Publisher, World
from tidings.simulation.columns import FLOAT, WHOLE, Block, Column, Ints, choice_kind
from tidings.vocabulary.distribution import Distribution
from tidings.vocabulary.event import NUMBERS_MAX
from tidings.vocabulary.instant import FOREVER
from tidings.vocabulary.laws import Zipf
from tidings.vocabulary.streams import Streams
from tidings.vocabulary.value import Value, parse_literal

BLOCK: Final = 1_024
"""Intervals drawn at once."""

INTERVAL_NS_MAX: Final = 2**51
"""Longest interval between two events, some 26 days: a block of them stays far below the end of time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Events of one publisher, ascending in time; all arrays are of one length."""

    first: int
    """The publisher's own number of the first of them."""
    instants: Ints
    expires: Ints
    topics: Ints
    """Places in the topics that all sources share."""
    sizes: Ints
    blocks: Sequence[Block]
    """What they say; every event stands in one of them."""


class Topics:
    """The names of topics by place; a trace may bring new ones."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self._places = {name: place for place, name in enumerate(names)}

    def place(self, name: str) -> int:
        """The place of a topic."""
        if name not in self._places:
            self._places[name] = len(self.names)
            self.names.append(name)
        return self._places[name]


def expected_events(publisher: Publisher, duration_ns: int) -> float:
    """How many events a publisher will have, roughly."""
    if publisher.trace is not None:
        return float(pq.read_metadata(publisher.trace.path).num_rows)
    assert publisher.every is not None
    return duration_ns / publisher.every.mean


class Source(Protocol):
    """Where a publisher's events come from."""

    def until(self, end: int) -> Drawn:
        """The next events, all those published before `end`."""


def source_of(world: World, index: int, topics: Topics, streams: Streams) -> Source:
    """The source of the world's publisher number `index`."""
    if world.publishers[index].trace is not None:
        return TraceSource(world.publishers[index], topics)
    return DrawnSource(world, index, topics, streams)


class DrawnSource:
    """Events at drawn intervals, with drawn topics, attributes and sizes."""

    def __init__(self, world: World, index: int, topics: Topics, streams: Streams) -> None:
        publisher = world.publishers[index]
        assert publisher.every is not None
        self._every, self._lifetime_ns = publisher.every, publisher.lifetime_ns
        self._intervals = streams(f"every {publisher.id}")
        self._last_ns = first_instant(publisher.every, streams(f"phase {publisher.id}"))
        self._pending = np.array([self._last_ns], np.int64)
        self._number = 0
        self._words: _Words = (
            DrawnWords(world, publisher, topics, streams)
            if publisher.profile is None
            else ProfiledWords(publisher.profile, topics, streams(f"content {publisher.id}"))
        )

    def until(self, end: int) -> Drawn:
        """The next events, all those published before `end`."""
        while len(self._pending) == 0 or self._pending[-1] < end:
            self._draw_block()
        count = int(np.searchsorted(self._pending, end, side="left"))
        instants, self._pending = self._pending[:count], self._pending[count:]
        first, self._number = self._number, self._number + count
        assert self._number <= NUMBERS_MAX
        topics, sizes, blocks = self._words.next(first, count)
        return Drawn(
            first=first,
            instants=instants,
            expires=instants + np.minimum(self._lifetime_ns, FOREVER - instants),
            topics=topics,
            sizes=sizes,
            blocks=blocks,
        )

    def _draw_block(self) -> None:
        intervals = np.clip(np.rint(self._every.sample(self._intervals, BLOCK)), 1, INTERVAL_NS_MAX).astype(np.int64)
        block = np.minimum(self._last_ns + np.cumsum(intervals), FOREVER // 2)
        self._last_ns = int(block[-1])
        self._pending = np.concatenate([self._pending, block])


class _Words(Protocol):
    """What events say."""

    def next(self, first: int, count: int) -> tuple[Ints, Ints, Sequence[Block]]:
        """Topics, sizes and blocks of the events from number `first` on."""


class DrawnWords:
    """Topics in turn or by popularity; attributes and sizes, each by its own law."""

    def __init__(self, world: World, publisher: Publisher, topics: Topics, streams: Streams) -> None:
        self._topics = _topics(world, publisher, topics, streams)
        self._columns = [
            _column(name, law, streams(f"attribute {publisher.id} {name}"))
            for name, law in publisher.attributes.items()
        ]
        self._sizes = _sizes(publisher.payload, streams(f"payload {publisher.id}"))

    def next(self, first: int, count: int) -> tuple[Ints, Ints, Sequence[Block]]:
        """Each drawn by itself."""
        block = Block(np.arange(count), tuple(column(count) for column in self._columns))
        return self._topics(first, count), self._sizes(count), (block,)


class ProfiledWords:
    """What was recorded, all of an event together, as often as it was."""

    def __init__(self, profile: Profile, topics: Topics, generator: np.random.Generator) -> None:
        self._generator = generator
        weights = np.array([one.weight for one in profile.contents])
        self._shares = np.cumsum(weights / weights.sum())
        self._topics = np.array([topics.place(one.topic) for one in profile.contents], np.int64)
        self._sizes = np.array([one.payload_bytes for one in profile.contents], np.int64)
        self._blocks = _blocks([one.attributes for one in profile.contents], (profile.file.name, profile.name))

    def next(self, _first: int, count: int) -> tuple[Ints, Ints, Sequence[Block]]:
        """Drawn by weight."""
        drawn = np.searchsorted(self._shares, self._generator.random(count), side="right")
        chosen = np.minimum(drawn, len(self._shares) - 1)
        return self._topics[chosen], self._sizes[chosen], [_drawn_from(block, chosen) for block in self._blocks]


def _drawn_from(block: Block, chosen: Ints) -> Block:
    """Of events with contents `chosen`, those whose content stands in `block`."""
    places = np.searchsorted(block.places, chosen)
    inside = np.flatnonzero(block.places[np.minimum(places, len(block.places) - 1)] == chosen)
    columns = [replace(column, numbers=column.numbers[places[inside]]) for column in block.columns]
    return Block(inside, tuple(columns))


class TraceSource:
    """Events replayed from a Parquet table `published_ns, topic, attributes, payload_bytes`, read a batch at a time."""

    def __init__(self, publisher: Publisher, topics: Topics) -> None:
        self._id, self._lifetime_ns = publisher.id, publisher.lifetime_ns
        self._topics = topics
        self._rows = _rows_of(publisher)
        self._next = next(self._rows, None)
        self._number = 0

    def until(self, end: int) -> Drawn:
        """The next events, all those published before `end`."""
        rows: list[_Row] = []
        while self._next is not None and self._next[0] < end:
            rows.append(self._next)
            self._next = next(self._rows, None)
        first, self._number = self._number, self._number + len(rows)
        instants = np.array([at for at, *_ in rows], np.int64)
        return Drawn(
            first=first,
            instants=instants,
            expires=instants + np.minimum(self._lifetime_ns, FOREVER - instants),
            topics=np.array([self._topics.place(topic) for _, topic, _, _ in rows], np.int64),
            sizes=np.array([size for *_, size in rows], np.int64),
            blocks=_blocks([attributes for _, _, attributes, _ in rows], (self._id, first)),
        )


_Row: TypeAlias = tuple[int, str, Mapping[str, Value], int]


def _blocks(records: Sequence[Mapping[str, Value]], kind: Hashable) -> list[Block]:
    """Records that have the same names stand in one block; nothing else than `kind` says whose numbers these are."""
    places: dict[tuple[str, ...], list[int]] = {}
    for place, record in enumerate(records):
        places.setdefault(tuple(record), []).append(place)
    return [
        Block(np.array(group), tuple(_counted(name, kind, [records[place][name] for place in group]) for name in names))
        for names, group in places.items()
    ]


def _counted(name: str, kind: Hashable, column: Sequence[Value]) -> Column:
    numbers: dict[tuple[type, Value], int] = {}
    counted = [numbers.setdefault((type(value), value), len(numbers)) for value in column]
    return Column(name, kind, np.array(counted, np.int64), [value for _, value in numbers])


def first_instant(every: Distribution, generator: np.random.Generator) -> int:
    """When the first event comes, as if the publisher had been at it for ever: in the stationary state.

    Time 0 falls into an interval with a chance that grows with its length, and anywhere within it.
    """
    intervals = every.sample(generator, BLOCK)
    total = np.cumsum(intervals)
    chosen = int(np.searchsorted(total, generator.random() * total[-1], side="right"))
    return round(float(generator.random() * min(intervals[min(chosen, BLOCK - 1)], INTERVAL_NS_MAX)))


def _topics(world: World, publisher: Publisher, topics: Topics, streams: Streams) -> Callable[[int, int], Ints]:
    """Topics of so many events from a number on: round and round, or drawn by popularity."""
    if publisher.topics:
        rounds = np.array([topics.place(topic) for topic in publisher.topics], np.int64)
        return lambda first, count: rounds[np.arange(first, first + count) % len(rounds)]
    places = np.array([topics.place(topic.name) for topic in world.topics], np.int64)
    site = publisher.site or ""
    weights = np.array([topic.popularity.get(site, 0.0) for topic in world.topics])
    shares = np.cumsum(weights / weights.sum())
    generator = streams(f"topic {publisher.id}")

    def drawn(_first: int, count: int) -> Ints:
        return places[np.minimum(np.searchsorted(shares, generator.random(count), side="right"), len(places) - 1)]

    return drawn


def _column(name: str, law: Distribution | Choice, generator: np.random.Generator) -> Callable[[int], Column]:
    if isinstance(law, Choice):
        values, kind = law.values, choice_kind(law.values)
        return lambda count: Column(name, kind, generator.integers(len(values), size=count), values)
    if isinstance(law, Zipf):
        return lambda count: Column(name, WHOLE, law.sample(generator, count).astype(np.int64))
    return lambda count: Column(name, FLOAT, law.sample(generator, count).view(np.int64))


def _sizes(law: Distribution | None, generator: np.random.Generator) -> Callable[[int], Ints]:
    if law is None:
        return lambda count: np.zeros(count, np.int64)
    return lambda count: np.maximum(np.rint(law.sample(generator, count)), 0).astype(np.int64)


def _rows_of(publisher: Publisher) -> Iterator[_Row]:
    """Rows of the trace, checked: ascending in time, with values that are literals."""
    assert publisher.trace is not None
    path = publisher.trace.path
    last = number = 0
    for batch in pq.ParquetFile(path).iter_batches(columns=["published_ns", "topic", "attributes", "payload_bytes"]):
        for row in batch.to_pylist():
            number += 1
            try:
                last = _instant(row["published_ns"], last)
                values = _attributes(row["attributes"] or ())
                size = _size(row["payload_bytes"] or 0)
            except _Wrong as wrong:
                raise ScenarioError(str(path), f"row {number}, {wrong.column}", wrong.value, str(wrong)) from None
            yield last, row["topic"], values, size


class _Wrong(ValueError):
    """What is wrong with one value of a trace; which value, and in which column."""

    def __init__(self, column: str, value: object, remedy: str) -> None:
        self.column, self.value = column, value
        super().__init__(remedy)


def _instant(published_ns: int | None, last: int) -> int:
    if published_ns is None or published_ns < last:
        raise _Wrong("published_ns", published_ns, "a trace must ascend in time from 0")
    return published_ns


def _size(payload_bytes: int) -> int:
    if payload_bytes < 0:
        raise _Wrong("payload_bytes", payload_bytes, "a payload has 0 bytes or more")
    return payload_bytes


def _attributes(pairs: Sequence[tuple[str, str | None]]) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for name, text in pairs:
        if name == "topic" or name in values:
            remedy = "is reserved for the topic itself" if name == "topic" else "must not stand there twice"
            raise _Wrong("attributes", name, remedy)
        try:
            values[name] = parse_literal(text or "")
        except ValueError as problem:
            raise _Wrong(f"attributes.{name}", text, str(problem)) from None
    return values
