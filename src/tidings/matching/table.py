"""Many filters as slots of a table of bits, and which slots want an event.

The table is laid out for the filters that are there and stays right as others come and go; it becomes slower the more
newcomers differ from what it was laid out for, so the matcher builds a new one now and then. Memory for `s` slots, `a`
attributes and `r` rows: s × (r / 4 + 17 a + 16) bytes and never more than twice that, as slots double when they run
out; r ≤ ROWS_MAX + 8 a, a ≤ ATTRIBUTES_MAX. Strings and sets named in filters come on top.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidings.matching.clusters import clustered
from tidings.matching.doubles import place_of_cut
from tidings.matching.encode import Encoder
from tidings.matching.layout import lay_out
from tidings.matching.limits import ATTRIBUTES_MAX, BLOCK_WORDS_MAX, PAIRS_MAX, ROWS_MAX
from tidings.matching.painting import fold, open_up, paint, ranges, shut
from tidings.matching.records import NUMBER_PART, STRING_PART, UNASKED, Records, bounds
from tidings.matching.search import KEY_BITS, NO_PAIR, find_pairs
from tidings.matching.sets import SetPool, SlotSet
from tidings.matching.slots import Slots
from tidings.matching.texts import TextLine
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import Filter
from tidings.vocabulary.value import Family


class Table:
    """Slots for conjunctions. A filter under one key may have several slots, or none when it wants nothing.

    Matches are found in portions of `pairs_max`, or of one block's slots if that is more.
    """

    def __init__(self, items: Iterable[tuple[int, Filter]], pairs_max: int = PAIRS_MAX) -> None:
        records = Records()
        records.collect(items)
        self.inserted = 0
        """Slots that were filled since the table was laid out."""
        attributes = _most_asked(records)
        self._column_of = {attribute: column for column, attribute in enumerate(attributes)}
        self._lines = [TextLine() for _ in attributes]
        count = max(1, len(records.keys))
        self._block_words = min(BLOCK_WORDS_MAX, 1 << (2 * count // 64).bit_length())
        blocks = -(-count // (64 * self._block_words))
        self.slots = Slots(blocks * 64 * self._block_words)
        self._new_slot_state(self.slots.capacity)
        self._place_texts(records)
        slots = self.slots.take(len(records.keys))
        doubtful, sets = self._write_state(records, slots)
        self._layout = lay_out(self._interval_ends(slots, sets), ROWS_MAX)
        self.encoder = Encoder(attributes, self._lines, self._layout)
        """Turns events into rows and places of this table."""
        self._new_rows(blocks)
        self._settle(records.keys, slots, doubtful)
        room = max(pairs_max, 64 * self._block_words)
        self._out = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64), np.empty(1)

    def insert(self, items: Iterable[tuple[int, Filter]]) -> bool:
        """Give slots to more filters; False, and nothing is changed, when a new table must be built instead."""
        records = Records()
        records.collect(items)
        if self.slots.room < len(records.keys) and self._block_words < BLOCK_WORDS_MAX:
            return False
        if not self._place_texts(records):
            return False
        while self.slots.room < len(records.keys):
            self._grow()
        slots = self.slots.take(len(records.keys))
        doubtful, _ = self._write_state(records, slots)
        self._settle(records.keys, slots, doubtful)
        self.inserted += len(slots)
        return True

    def remove(self, keys: Iterable[int]) -> None:
        """Take the slots of these filters back."""
        shut(self._gate, self.slots.release(keys))

    def find(self, events: Sequence[Event], decides: Callable[[int, Event], bool]) -> list[NDArray[np.int64]]:
        """For each event the ascending keys of the filters that hold; `decides` is asked where bits are not enough."""
        columns = self.encoder.encode(events)
        place = (0, 0)
        portions = []
        while place[0] < self._gate.shape[0]:
            portion, place = self._portion(columns, place, events, decides)
            portions.append(portion if place[0] == self._gate.shape[0] else portion.copy())
        return _by_event(portions[0] if len(portions) == 1 else np.concatenate(portions), len(events))

    def _portion(
        self,
        columns: tuple[NDArray[np.int32], NDArray[np.float64]],
        start: tuple[int, int],
        events: Sequence[Event],
        decides: Callable[[int, Event], bool],
    ) -> tuple[NDArray[np.int64], tuple[int, int]]:
        """Pairs from block and event `start` on, which the next portion overwrites; and where that begins."""
        found, doubtful, *place = find_pairs(self._bits, self._state, self.slots.key_of, columns, start, self._out)
        pairs, unsure_at, *_ = self._out
        for at in unsure_at[:doubtful].tolist():
            position, key = divmod(int(pairs[at]), 1 << KEY_BITS)
            if not decides(key, events[position]):
                pairs[at] = NO_PAIR
        return pairs[:found], (place[0], place[1])

    @property
    def _bits(self) -> tuple[Any, ...]:
        return self._table, self._summary, self._asking, self._gate

    @property
    def _state(self) -> tuple[Any, ...]:
        return self._passes, self._bounds, self._pool.starts, self._pool.values

    def _new_slot_state(self, capacity: int) -> None:
        attributes = len(self._column_of)
        self._passes = np.full((capacity, attributes), UNASKED, np.uint8)
        self._bounds = np.empty((capacity, attributes, 2))
        self._pool = SetPool(capacity)

    def _new_rows(self, blocks: int) -> None:
        rows = int(self._layout.row_starts[-1])
        self._table = np.zeros((blocks, rows, 2 * self._block_words), np.uint64)
        """By block and row, for each word which slots may pass (cover) and which surely do (full), in turn."""
        self._summary = np.zeros((blocks, rows), np.uint64)
        """By block and row, which words have any bit in cover."""
        self._gate = np.zeros((blocks, 2 * self._block_words), np.uint64)
        """Like a row: cover where a slot is in use, full where bits are enough."""
        self._asking = np.zeros((blocks, len(self._column_of)), np.bool_)

    def _grow(self) -> None:
        """Double the slots."""
        self.slots.double()
        self._passes = _doubled(self._passes)
        self._bounds = _doubled(self._bounds)
        self._pool.double()
        self._table = _doubled(self._table)
        self._summary = _doubled(self._summary)
        self._gate = _doubled(self._gate)
        self._asking = _doubled(self._asking)

    def _place_texts(self, records: Records) -> bool:
        names = list(records.attribute_numbers)
        for attribute, texts in records.texts().items():
            column = self._column_of.get(names[attribute])
            if column is not None and not self._lines[column].insert(texts):
                return False
        return True

    def _write_state(self, records: Records, slots: NDArray[np.int64]) -> tuple[NDArray[np.bool_], list[SlotSet]]:
        """What the slots ask, as the kernels read it; gives who is doubtful and the sets by slot and line."""
        columns = np.array([self._column_of.get(name, -1) for name in records.attribute_numbers], np.int64)
        self._resolve_texts(records, columns)
        attributes = columns[np.array(records.attributes, np.int64)]
        positions = np.repeat(np.arange(slots.size), records.counts)
        known = attributes >= 0
        passes = np.array(records.passes, np.uint8)
        lows, highs = np.array(records.lows, np.float64), np.array(records.highs, np.float64)
        fold(
            positions[known],
            (attributes[known], passes[known], lows[known], highs[known]),
            slots,
            self._passes,
            self._bounds,
        )
        doubtful = np.zeros(slots.size, np.bool_)
        doubtful[positions[~known]] = True
        doubtful[records.doubtful] = True
        sets = self._sets(records, slots, columns)
        self._pool.write(slots, [(slot, line // 2, cuts) for slot, line, cuts in sets])
        return doubtful, sets

    def _resolve_texts(self, records: Records, columns: NDArray[np.int64]) -> None:
        """Put places where bounds are strings."""
        column_of = columns.tolist()
        for record, text in zip(records.point_records, records.point_texts, strict=True):
            column = column_of[records.attributes[record]]
            if column >= 0:
                records.lows[record] = records.highs[record] = self._lines[column].place(text)
        for record, spans in records.text_spans:
            column = column_of[records.attributes[record]]
            if column >= 0:
                places = [self._lines[column].place_of_cut(cut) for cut in spans.cuts]
                records.lows[record], records.highs[record] = bounds(places, begins=spans.begins)

    def _sets(self, records: Records, slots: NDArray[np.int64], columns: NDArray[np.int64]) -> list[SlotSet]:
        """Slot, line of the layout, cuts."""
        found = []
        for position, attribute, family, spans in records.sets:
            column = int(columns[attribute])
            if column >= 0:
                text = family is Family.STRING
                place = self._lines[column].place_of_cut if text else place_of_cut
                cuts = [-math.inf] * spans.begins + [place(cut) for cut in spans.cuts]
                found.append((int(slots[position]), 2 * column + text, np.array(cuts)))
        return found

    def _interval_ends(self, slots: NDArray[np.int64], sets: list[SlotSet]) -> list[NDArray[np.float64]]:
        """Where what the slots ask begins and ends, by line of the layout."""
        ends = []
        for line in range(2 * len(self._column_of)):
            passes = self._passes[slots, line // 2]
            part = STRING_PART if line % 2 else NUMBER_PART
            chosen = self._bounds[slots[(passes != UNASKED) & (passes & part != 0)], line // 2]
            cuts = [cuts for _, of_line, cuts in sets if of_line == line]
            with np.errstate(over="ignore"):  # Beyond the largest double comes infinity, which is left out.
                beyond = np.nextafter(chosen[:, 1], math.inf)
            ends.append(np.concatenate([chosen[:, 0], beyond, *cuts]))
        return ends

    def _settle(self, keys: list[int], slots: NDArray[np.int64], doubtful: NDArray[np.bool_]) -> None:
        """Put alike slots side by side, write their bits into all rows, and open them."""
        layout = self._layout.places, self._layout.place_starts, self._layout.row_starts
        if slots.size > BLOCK_WORDS_MAX:
            order = clustered(ranges(self._passes, self._bounds, layout, slots), np.diff(self._layout.row_starts))
            for state in (self._passes, self._bounds, self._pool.starts):
                state[slots] = state[slots[order]]
            doubtful = doubtful[order]
            keys = np.array(keys)[order].tolist()
        self.slots.assign(keys, slots)
        masks = np.zeros(self.slots.capacity // 64, np.uint64)
        np.bitwise_or.at(masks, slots >> 6, np.uint64(1) << (slots & 63).astype(np.uint64))
        paint(self._bits[:3], self._state, layout, masks)
        open_up(self._gate, slots, doubtful)


def _most_asked(records: Records) -> list[str]:
    """The attributes that get cells, in the order in which they were met."""
    counts = np.bincount(np.array(records.attributes, np.int64), minlength=len(records.attribute_numbers))
    chosen = np.sort(np.argsort(-counts, kind="stable")[:ATTRIBUTES_MAX])
    names = list(records.attribute_numbers)
    return [names[number] for number in chosen]


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    """The array with as many zeros behind it."""
    return np.concatenate([array, np.zeros_like(array)])


def _by_event(pairs: NDArray[np.int64], events: int) -> list[NDArray[np.int64]]:
    """The keys of each event, ascending and each once; the pairs are sorted in place."""
    pairs.sort()
    again = pairs[1:] == pairs[:-1]
    if again.any():
        pairs = pairs[np.concatenate([[True], ~again])]
    starts = np.searchsorted(pairs, np.arange(events + 1) << KEY_BITS).tolist()
    keys = pairs & ((1 << KEY_BITS) - 1)
    return [keys[start:end] for start, end in pairwise(starts)]
