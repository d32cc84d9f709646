"""Events become rows and places, alike one by one and by columns."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import topics, values
from tidings.matching.encode import Encoder
from tidings.matching.layout import SINGLE_ROWS, lay_out
from tidings.matching.levels import LEVEL_COUNT, LEVEL_NAMES
from tidings.matching.texts import TextLine
from tidings.vocabulary.event import Event

NUMBERS, TEXTS = [0.0, 1.0, 2.5, 2.0**53], ["", "a", "ab", "b"]
ATTRIBUTES = ("a", "b", "topic", LEVEL_COUNT, LEVEL_NAMES[1])


def encoder() -> Encoder:
    """All attributes have four places for numbers and four for strings."""
    lines = [TextLine(TEXTS) for _ in ATTRIBUTES]
    ends = [ends for line in lines for ends in (np.array(NUMBERS), np.array([line.place(text) for text in TEXTS]))]
    return Encoder(ATTRIBUTES, lines, lay_out(ends, 1_000))


ROWS = SINGLE_ROWS + len(NUMBERS) + len(TEXTS) + 2


def event(topic: str = "x/y", **attributes) -> Event:
    """An event of no interest otherwise."""
    return Event(0, "p", topic, 0, attributes)


@pytest.mark.parametrize(
    ("value", "row", "place"),
    [
        (None, 0, 0.0),
        ((1, 2), 1, 0.0),
        (False, 2, 0.0),
        (True, 3, 0.0),
        (-5, 4, -5.0),
        (0, 5, 0.0),
        (-0.0, 5, 0.0),
        (1.5, 6, 1.5),
        (3, 7, 3.0),
        (2**53, 8, 2.0**53),
        (2**53 + 1, 8, math.nan),
        (10**400, 8, math.nan),
        (-(10**400), 4, math.nan),
        (math.inf, 8, math.inf),
        ("", 10, 0.0),
        ("a", 11, 1.0),
        ("aa", 11, 1.5),
        ("c", 13, 4.0),
    ],
)
@pytest.mark.parametrize("count", [1, 10])
def test_rows_and_places_of_values(value, row, place, count):
    """Single rows first, then cells of numbers, then cells of strings."""
    rows, places = encoder().encode([event(a=value)] * count)
    assert rows[:, 0].tolist() == [row] * count
    assert rows[:, 1].tolist() == [ROWS] * count
    np.testing.assert_array_equal(places[:, 0], [place] * count)


@pytest.mark.parametrize("count", [1, 10])
def test_nan_has_a_row_of_no_family(count):
    """It should not come, and does no harm."""
    rows, _ = encoder().encode([event(a=math.nan)] * count)
    assert rows[:, 0].tolist() == [1] * count


@pytest.mark.parametrize("count", [1, 10])
def test_topics_and_their_levels_are_attributes(count):
    """The topic, the number of levels, the second level."""
    rows, places = encoder().encode([event("a/b")] * count)
    assert places[0, 2:].tolist() == [1.5, 2.0, 3.0]
    assert (rows[0, 2:] - np.arange(2, 5) * ROWS).tolist() == [11, 6, 13]
    rows, _ = encoder().encode([event("a")] * count)
    assert rows[0, 4] == 4 * ROWS


@given(st.lists(st.tuples(st.none() | values, topics), min_size=5, max_size=12))
def test_columns_equal_single_values(contents):
    """Whatever is mixed."""
    known = encoder()
    events = [event(topic, **({} if value is None else {"a": value})) for value, topic in contents]
    rows, places = known.encode(events)
    for position, one in enumerate(events):
        single_rows, single_places = known.encode([one])
        assert rows[position].tolist() == single_rows[0].tolist()
        np.testing.assert_array_equal(places[position], single_places[0])
