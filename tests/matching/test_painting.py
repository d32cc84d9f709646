"""Bits of rows say what slots let through, never too little, and *full* never too much."""

import math

import numpy as np

from matching.bulk import Bulk
from tidings.matching.painting import fold, ranges
from tidings.matching.records import NUMBER_PART, STRING_PART, UNASKED
from tidings.matching.table import Table
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import Among, And, Between, Compare, Not, Or, holds
from tidings.vocabulary.streams import Streams


def bits(table: Table, slot: int, row: int) -> tuple[bool, bool]:
    """Cover and full."""
    words = table._table.shape[2] // 2
    block, word, bit = slot // 64 // words, slot // 64 % words, slot % 64
    cover, full = (int(table._table[block, row, 2 * word + odd]) >> bit & 1 for odd in (0, 1))
    assert cover <= int(table._summary[block, row]) >> word & 1
    return bool(cover), bool(full)


def check(wishes, values) -> tuple[int, int]:
    """All rows of `x` against all values in them; how many were full or covered."""
    table = Table(enumerate(wishes))
    slots = {key: slot for slot, key in enumerate(table.slots.key_of.tolist()) if key >= 0}
    counts = [0, 0]
    for value in values:
        event = Event(0, "p", "t", 0, {} if value is None else {"x": value})
        ((row, *_),) = table.encoder.encode([event])[0].tolist()
        for key, slot in slots.items():
            cover, full = bits(table, slot, row)
            assert full <= holds(wishes[key], event) <= cover, (wishes[key], value)
            counts[0] += full
            counts[1] += cover
    return counts[0], counts[1]


def test_cells_of_many_intervals():
    """More ends than cells: edges are covered, not full."""
    random = Streams(1)("intervals")
    lows = random.normal(0, 10, 900)
    wishes = [Between("x", float(low), float(low + width)) for low, width in zip(lows, random.random(900), strict=True)]
    full, covered = check(wishes, [float(value) for value in random.normal(0, 10, 40)])
    assert 0 < full < covered


def test_few_ends_leave_no_edges():
    """Every cell is full or not covered."""
    wishes = [Between("x", low, low + 2) for low in range(20)] + [Not(Compare("x", ">", 3)), Compare("x", "!=", 4)]
    wishes += [Among("x", (1, 2, 7)), Compare("x", "==", True), Not(Compare("x", "==", "a"))]
    full, covered = check(wishes, [None, True, False, "a", "b", *range(-1, 23), 0.5, 1e300])
    assert full == covered


def test_huge_integers_are_neither_lost_nor_taken_for_their_neighbours():
    """Beyond 2**53 there are integers between doubles."""
    numbers = [sign * (2**power + near) for sign in (1, -1) for power in (53, 54, 60, 1024) for near in (-1, 0, 1, 2)]
    numbers += [10**400, -(10**400), int(1.7976931348623157e308), -int(1.7976931348623157e308)]
    operators = ("==", "!=", "<", "<=", ">", ">=")
    wishes = [Compare("x", operator, number) for operator in operators for number in numbers]
    wishes += [Between("x", low, low + 4) for low in numbers]
    wishes += [Among("x", tuple(numbers[start : start + 3])) for start in range(len(numbers))]
    wishes += [Or((Compare("x", "<", low), Compare("x", ">", low + 1))) for low in numbers]
    check(wishes, [*numbers, *(float(number) for number in numbers if abs(number) < 1e300), math.inf, -math.inf])


def test_sets_of_strings():
    """Points, prefixes and holes, more than there are cells."""
    bulk = Bulk(Streams(2)("sets"))
    words = [f"{bulk.pick('abc')}{number:03}" for number in range(900)]
    wishes = [Among("x", tuple(bulk.pick(words) for _ in range(3))) for _ in range(400)]
    wishes += [Not(Among("x", (bulk.pick(words), bulk.pick(words)))) for _ in range(400)]
    wishes += [Compare("x", "!=", bulk.pick(words)) for _ in range(100)]
    check(wishes, [*words[:60], "zzz", "", None, 1])


def test_records_of_one_attribute_narrow_each_other():
    """Two families leave nothing."""
    passes, bounds = np.zeros((4, 2), np.uint8), np.zeros((4, 2, 2))
    columns = np.array([0, 0, 1, 1]), np.array([NUMBER_PART] * 3 + [STRING_PART], np.uint8)
    lows, highs = np.array([1.0, 2.0, 0.0, 0.0]), np.array([9.0, 8.0, 1.0, 1.0])
    fold(np.array([0, 0, 1, 1]), (*columns, lows, highs), np.array([3, 1]), passes, bounds)
    assert passes[[3, 1]].tolist() == [[NUMBER_PART, UNASKED], [UNASKED, 0]]
    assert bounds[3, 0].tolist() == [2.0, 8.0]
    assert passes[[0, 2]].tolist() == [[0, 0], [0, 0]]


def test_ranges_count_rows_within_each_attribute():
    """Numbers stand before strings; whole attributes and unasked ones have ranges too."""
    wishes = [And((Compare("x", "==", 1), Compare("y", "==", "b"))), Compare("y", "==", "a"), Compare("x", "==", True)]
    table = Table(enumerate(wishes))
    layout = table._layout.places, table._layout.place_starts, table._layout.row_starts
    slots = np.array([table.slots.key_of.tolist().index(key) for key in range(3)])
    found = ranges(table._passes, table._bounds, layout, slots).tolist()
    assert found[0] == [[5, 5], [8, 8]]
    assert found[1] == [[-1, -1], [6, 6]]
    assert found[2] == [[0, 7], [-1, -1]]
