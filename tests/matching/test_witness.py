"""Corners are wanted by the filter, and found for most filters."""

import pytest
from hypothesis import given

from matching.bulk import Bulk
from strategies import filters, narrow_filters
from tidings.matching.witness import witnesses
from tidings.vocabulary.extent import extent
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.streams import Streams


def corners(wish):
    """At most two events."""
    boxes = extent(wish)
    return () if boxes is None else witnesses(wish, boxes)


@given(filters | narrow_filters)
def test_witnesses_are_wanted(wish):
    """They prove something only then."""
    found = corners(wish)
    assert len(found) <= 2
    assert all(holds(wish, event) for event in found)


def test_most_filters_have_witnesses():
    """Whoever has none is never compared."""
    bulk = Bulk(Streams(1)("witnesses"))
    wanted = [wish for wish in (bulk.narrow() for _ in range(500)) if extent(wish)]
    assert sum(bool(corners(wish)) for wish in wanted) > 0.97 * len(wanted)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("price between 1 and 5", 1, 5),
        ("price > 1 and price < 5", 1.0000000000000002, 4.999999999999999),
        ("price >= 3", 3, 4.0),
        ("price < 3", 2, 2.9999999999999996),
        (f"price > {2**60} and price < {2**60 + 10}", 2**60 + 1, 2**60 + 9),
        ("exists(price)", -1.0, 1.0),
        ('price > "a"', "a\0", "a\0"),
        ('price < "a"', "", ""),
        ('price in ("a", "b")', "a", "b"),
        ("price >= false", False, True),
        ("price == true", True, True),
        ("not price == 1", None, 2.0),
        ("not exists(price)", None, None),
        ('price matches "a/+/b"', "a/x/b", "a/x/b"),
    ],
)
def test_corners_are_the_first_and_last_values(text, first, last):
    """Numbers, strings, booleans, missing ones."""
    one, two = corners(parsed(text))
    assert (one.attributes.get("price"), two.attributes.get("price")) == (first, last)
    assert type(one.attributes.get("price")) is type(first)


def test_nothing_has_no_corners():
    """Nobody wants it."""
    assert corners(parsed("false")) == ()
