"""The events of one stretch of time, all publishers' together: columns, and objects for whoever asks for some."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from tidings.simulation.columns import Block, Ints, joined, literals
from tidings.simulation.publishing import Drawn, Topics
from tidings.vocabulary.event import NUMBER_BITS, NUMBERS_MAX, Event
from tidings.vocabulary.instant import FOREVER
from tidings.vocabulary.records import NULL_NS
from tidings.vocabulary.value import Value


@dataclass(frozen=True, slots=True)
class Cast:
    """Who publishes, on what, over which tree: the same for all stretches of a run."""

    publishers: Sequence[str]
    topics: Topics
    tree_of: Mapping[str, int]
    """Number of a topic's tree; a topic that is not here has none."""

    def trees(self, topics: Ints) -> Ints:
        """Numbers of the trees of topics, given by place; -1 where there is none."""
        return np.array([self.tree_of.get(name, -1) for name in self.topics.names], np.int64)[topics]


class Stretch:
    """Columns by place, which counts the events in the order of publication, from 0."""

    def __init__(self, drawn: Sequence[Drawn], *, first: int, cast: Cast) -> None:
        counts = [len(one.instants) for one in drawn]
        self.first = first
        """Events of the run before these."""
        self._cast = cast
        self._starts = np.cumsum([0, *counts])
        self._firsts = [one.first for one in drawn]
        instants = np.concatenate([one.instants for one in drawn])
        order = np.argsort(instants, kind="stable")
        self._ranks = np.empty_like(order)
        self._ranks[order] = np.arange(len(order))
        numbers = np.concatenate(
            [np.arange(one.first, one.first + count) for one, count in zip(drawn, counts, strict=True)]
        )
        self.publishers: Ints = np.repeat(np.arange(len(drawn)), counts)[order]
        self.ids: Ints = self.publishers << NUMBER_BITS | numbers[order]
        self.published_ns: Ints = instants[order]
        self.expires_ns: Ints = np.concatenate([one.expires for one in drawn])[order]
        self.topics: Ints = np.concatenate([one.topics for one in drawn])[order]
        self.sizes: Ints = np.concatenate([one.sizes for one in drawn])[order]
        self.trees: Ints = cast.trees(self.topics)
        blocks = [
            Block(self._ranks[start + block.places], block.columns)
            for start, one in zip(self._starts[:-1].tolist(), drawn, strict=True)
            for block in one.blocks
            if len(block.places)
        ]
        self.blocks = joined(blocks)
        """What the events say."""
        self.acknowledged: Ints = np.full(len(order), NULL_NS)
        self._decided = np.zeros(len(order), np.bool_)
        self.undecided = len(order)
        """Events of which nobody knows yet whether they will be acknowledged."""
        self._made: list[Event | None] = [None] * len(order)

    def __len__(self) -> int:
        return len(self.ids)

    # ---- which event is where

    def place(self, event_id: int) -> int | None:
        """The place of an event, None when it belongs to another stretch, or to no publisher of the scenario."""
        publisher, number = event_id >> NUMBER_BITS, event_id & (NUMBERS_MAX - 1)
        if publisher >= len(self._firsts):
            return None
        row = self._starts_list[publisher] + number - self._firsts[publisher]
        inside = self._starts_list[publisher] <= row < self._starts_list[publisher + 1]
        return self._ranks_list[row] if inside else None

    @cached_property
    def _starts_list(self) -> list[int]:
        starts: list[int] = self._starts.tolist()
        return starts

    @cached_property
    def _ranks_list(self) -> list[int]:
        ranks: list[int] = self._ranks.tolist()
        return ranks

    def ahead(self, place: int, count: int) -> list[Event]:
        """The event at `place` and those after it in its tree, `count` of them at most."""
        places, positions = self._in_trees
        position = positions[place]
        return self.at(places[self.trees[place].item()][position : position + count])

    @cached_property
    def _in_trees(self) -> tuple[dict[int, Ints], list[int]]:
        """By tree the places of its events; by place the position among these."""
        positions = np.zeros(len(self), np.int64)
        places = {tree: np.flatnonzero(self.trees == tree) for tree in np.unique(self.trees).tolist()}
        for inside in places.values():
            positions[inside] = np.arange(len(inside))
        return places, positions.tolist()

    # ---- events as objects

    @property
    def events(self) -> list[Event]:
        """All of them."""
        return self.at(np.arange(len(self)))

    def at(self, places: Ints) -> list[Event]:
        """The events at these places; each is made once."""
        made = self._made
        missing = [place for place in places.tolist() if made[place] is None]
        if missing:
            self._make(np.array(missing))
        return [event for event in map(made.__getitem__, places.tolist()) if event is not None]

    def _make(self, places: Ints) -> None:
        names, topics, made = self._cast.publishers, self._cast.topics.names, self._made
        columns = (self.ids, self.publishers, self.topics, self.published_ns, self.expires_ns, self.sizes)
        rows = zip(
            places.tolist(), *(column[places].tolist() for column in columns), self._records(places), strict=True
        )
        for place, identity, publisher, topic, at, expires, size, record in rows:
            made[place] = Event(identity, names[publisher], topics[topic], at, record, expires, 0, size)

    def _records(self, places: Ints) -> list[Mapping[str, Value]]:
        numbers, rows = self._in_blocks
        if len(self.blocks) == 1:
            return self.blocks[0].records(rows[places])
        found: dict[int, Mapping[str, Value]] = {}
        for number in np.unique(numbers[places]).tolist():
            inside = places[numbers[places] == number]
            found.update(zip(inside.tolist(), self.blocks[number].records(rows[inside]), strict=True))
        return [found[place] for place in places.tolist()]

    @cached_property
    def _in_blocks(self) -> tuple[Ints, Ints]:
        """By place the number of its block, and the row in it."""
        numbers, rows = np.empty(len(self), np.int64), np.empty(len(self), np.int64)
        for number, block in enumerate(self.blocks):
            numbers[block.places], rows[block.places] = number, np.arange(len(block.places))
        return numbers, rows

    # ---- what becomes of them

    def decide(self, places: Ints, instants: Ints) -> None:
        """These were acknowledged then, or never (`NULL_NS`); hearing it twice changes nothing, but hearing better does."""
        new = ~self._decided[places]
        self._decided[places] = True
        self.undecided -= int(np.count_nonzero(new))
        unheard = self.acknowledged[places] == NULL_NS
        self.acknowledged[places[unheard]] = instants[unheard]

    def decide_one(self, place: int, instant: int) -> None:
        """The same for a single event."""
        if not self._decided[place]:
            self._decided[place] = True
            self.undecided -= 1
        if self.acknowledged[place] == NULL_NS:
            self.acknowledged[place] = instant

    def rows(self, publishers: Ints, topics: Ints) -> dict[str, Ints | pa.MapArray]:
        """The log table's columns; `publishers` and `topics` give codes of names by number."""
        return {
            "event": self.ids,
            "publisher": publishers[self.publishers],
            "incarnation": np.zeros(len(self), np.int64),
            "topic": topics[self.topics],
            "number": self.ids & (NUMBERS_MAX - 1),
            "published_ns": self.published_ns,
            "acknowledged_ns": self.acknowledged,
            "expires_ns": np.where(self.expires_ns == FOREVER, NULL_NS, self.expires_ns),
            "attributes": literals(self.blocks, len(self)),
            "payload_bytes": self.sizes,
        }
