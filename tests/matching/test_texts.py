"""Strings on a line keep their order."""

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from strategies import strings
from tidings.matching.limits import STRINGS_REMEMBERED_MAX
from tidings.matching.texts import TextLine


@given(st.lists(strings), st.lists(strings), st.lists(strings, min_size=1))
def test_places_ascend_as_strings_do(first, later, others):
    """Named strings have places of their own; others lie strictly between them."""
    line = TextLine(first)
    assert line.insert(later)
    named = sorted({*first, *later})
    for one, two in pairwise(named):
        assert math.nextafter(line.place(one), math.inf) < line.place(two)
    for other in others:
        for text in named:
            assert (line.place(other) < line.place(text)) == (other < text)
            if other != text:
                assert (line.place(other) < line.place_of_cut((text, 1))) == (other < text)
    assert [line.place(other) for other in others] == [line.place(other) for other in others]


def test_places_of_cuts_lie_at_and_just_above_a_label():
    """Nothing fits between."""
    line = TextLine(["a"])
    assert line.place_of_cut(("a", 0)) == line.place("a")
    assert line.place_of_cut(("a", 1)) == math.nextafter(line.place("a"), math.inf)


def test_room_between_two_strings_runs_out():
    """Then nothing is changed, and whoever asked must start anew."""
    line = TextLine(["a", "c"])
    low, count = "b", 0
    while line.insert([low]):
        low, count = f"{low}b", count + 1
        assert count < 100
    assert count > 20
    assert line.place("a") < line.place("b") < line.place("c")
    assert line.place(low) > line.place(low[:-1])
    assert line.insert(["d", "e", "0"])


def test_many_at_once_take_little_room():
    """They are spread evenly."""
    line = TextLine(["a", "c"])
    assert line.insert(f"b{number:05}" for number in range(50_000))
    assert line.place("b00001") < line.place("b00002")


def test_strings_of_events_are_forgotten_before_they_fill_the_memory():
    """And found again."""
    line = TextLine(["m"])
    first = line.place("x0")
    for number in range(STRINGS_REMEMBERED_MAX + 10):
        line.place(f"x{number}")
    assert len(line._remembered) <= STRINGS_REMEMBERED_MAX
    assert line.place("x0") == first
