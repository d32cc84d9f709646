"""Filters taken apart, the quick way and the thorough way."""

import math

import pytest
from hypothesis import given

from strategies import filters
from tidings.matching.conjunctions import conjunctions
from tidings.matching.records import (
    ABSENT,
    FALSE,
    NUMBER,
    NUMBER_PART,
    OTHER,
    STRING,
    STRING_PART,
    TRUE,
    Records,
    bounds,
)
from tidings.vocabulary.filter import And, Between, Compare, Everything, Nothing, Or
from tidings.vocabulary.filter_parser import parsed

ALL = ABSENT | OTHER | FALSE | TRUE | NUMBER | STRING
UP, DOWN = math.nextafter(1, math.inf), math.nextafter(1, -math.inf)


def collected(*wishes) -> Records:
    """Records of these filters, keys from 0."""
    records = Records()
    records.collect(enumerate(wishes))
    return records


@pytest.mark.parametrize(
    ("text", "passes", "low", "high"),
    [
        ("a between 1 and 2", NUMBER_PART, 1, 2),
        ("a between 1.5 and 2.5", NUMBER_PART, 1.5, 2.5),
        ("a == 1", NUMBER_PART, 1, 1),
        ("a < 1", NUMBER_PART, -math.inf, DOWN),
        ("a <= 1", NUMBER_PART, -math.inf, 1),
        ("a > 1", NUMBER_PART, UP, math.inf),
        ("a >= 1", NUMBER_PART, 1, math.inf),
        ("not a < 1", ALL - NUMBER + NUMBER_PART, 1, math.inf),
        (f"a <= {2**53 + 1}", NUMBER_PART, -math.inf, 2**53),
        (f"a >= {2**53 + 1}", NUMBER_PART, 2**53 + 2, math.inf),
        ("a == true", TRUE, -math.inf, math.inf),
        ("a == false", FALSE, -math.inf, math.inf),
        ("a >= false", TRUE + FALSE, -math.inf, math.inf),
        ("a != true", FALSE, -math.inf, math.inf),
        ("exists(a)", ALL - ABSENT, -math.inf, math.inf),
        ("not exists(a)", ABSENT, -math.inf, math.inf),
        ("a in (1, 5)", NUMBER_PART, 1, 5),
        ("a != 1", NUMBER_PART + OTHER, -math.inf, math.inf),
        ("a < 1 or a > 5", NUMBER_PART, -math.inf, math.inf),
        ("a in (1, 5) or a > 7", NUMBER_PART, 1, math.inf),
        ("a in (1, true)", NUMBER_PART + TRUE, 1, 1),
    ],
)
def test_one_comparison_is_one_record(text, passes, low, high):
    """What passes, and the bounds of numbers."""
    records = collected(parsed(text))
    assert (records.passes, records.lows, records.highs) == ([passes], [low], [high])
    assert (records.keys, records.counts, records.attributes, records.doubtful) == ([0], [1], [0], [])


@pytest.mark.parametrize(
    ("text", "passes", "sets"),
    [
        ('a == "x"', STRING_PART, 0),
        ('a < "x"', STRING_PART, 0),
        ('a startswith "x"', STRING_PART, 0),
        ('a startswith ""', STRING, 0),
        ('a in ("x", "y")', STRING_PART, 1),
        ('a != "x"', STRING_PART, 1),
        ('a in ("x", "y", true)', STRING_PART + TRUE, 1),
    ],
)
def test_strings_are_named_and_placed_later(text, passes, sets):
    """All strings of cuts need places."""
    records = collected(parsed(text))
    assert (records.passes, len(records.sets)) == ([passes], sets)
    named = {name for names in records.texts().values() for name in names}
    assert named >= ({"x"} if '"x"' in text else set())


def test_numbers_need_no_names():
    """Sets of numbers are places already."""
    records = collected(parsed("a in (1, 5)"))
    assert len(records.sets) == 1
    assert records.texts() == {}


def test_two_families_in_one_attribute_are_doubtful():
    """There is one pair of bounds."""
    records = collected(parsed('a > 1 or a > "x"'))
    assert records.passes == [NUMBER_PART + STRING_PART]
    assert (records.lows, records.highs, records.doubtful) == ([-math.inf], [math.inf], [0])


def test_constraints_that_the_filter_must_decide_are_doubtful():
    """A wildcard in the middle, of an attribute that is no topic."""
    assert collected(parsed('a matches "x/+/y"')).doubtful == [0]
    assert collected(parsed('topic matches "x/+/y"')).doubtful == []


def test_filters_without_records():
    """Everything has a slot and asks nothing; nothing has no slot; too many conjunctions have a doubtful slot."""
    pairs = [Or((Compare(f"a{number}", "<", 1), Compare(f"b{number}", ">", 9))) for number in range(10)]
    records = collected(Everything(), Nothing(), And(tuple(pairs)), And(()))
    assert (records.keys, records.counts, records.doubtful) == ([0, 2, 3], [0, 0, 0], [1])
    assert records.passes == []


def test_what_was_begun_the_quick_way_is_forgotten():
    """The last term is not simple; nothing of the first ones stays twice."""
    text = 'a == "x" and b in ("x", "y") and c startswith "z" and d between 1 and 2 and not e == 1'
    records = collected(parsed(text))
    assert records.counts == [5]
    assert len(records.passes) == len(records.lows) == len(records.highs) == len(records.attributes) == 5
    assert len(records.sets) == 2  # Two values, and all but one.
    assert len(records.text_spans) == 3


def test_quick_ways_do_not_take_what_is_not_short():
    """Long integers, booleans and strings as ends of ranges go the thorough way."""
    huge = 2**53 + 1
    assert collected(Between("a", 1.0, huge)).highs == [2.0**53]
    assert collected(Between("a", huge, 1e300)).lows == [2.0**53 + 2]
    assert collected(Between("a", 1.0, True)).keys == []
    assert collected(Between("a", "b", "c")).passes == [STRING_PART]


def test_bounds_of_intervals():
    """The first and the last double."""
    assert bounds([1.0, 2.0], begins=False) == (1.0, math.nextafter(2, -math.inf))
    assert bounds([1.0], begins=False) == (1.0, math.inf)
    assert bounds([1.0], begins=True) == (-math.inf, DOWN)
    assert bounds([], begins=True) == (-math.inf, math.inf)


@given(filters)
def test_columns_fit_each_other(wish):
    """As many slots as conjunctions, or one."""
    records = collected(wish)
    alternatives = conjunctions(wish)
    assert len(records.keys) == len(records.counts)
    if alternatives is None:
        assert records.counts == [0]
    elif sum(records.counts) and len(records.keys) > 1:
        assert records.counts == [len(one) for one in alternatives]
    assert sum(records.counts) == len(records.lows) == len(records.highs)
    assert len(records.attributes) == len(records.passes) == len(records.lows)
