"""Filters over columns agree with filters over single events."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checking.histories import history_of, interest, publication, shown, tables
from strategies import events, events_near, filters, narrow_filters
from tidings.checking.evaluate import wants
from tidings.checking.history import read_history
from tidings.checking.selection import RECENT_MAX, Selection
from tidings.errors import InputError
from tidings.vocabulary.filter_parser import parse_filter
from tidings.vocabulary.filter_text import format_filter
from tidings.vocabulary.value import format_literal


def selection(said, texts):
    """A selection over these events."""
    publications = [
        publication(
            number,
            topic=event.topic,
            attributes=[(name, format_literal(value)) for name, value in event.attributes.items()],
        )
        for number, event in enumerate(said)
    ]
    history = history_of(publications=publications)
    return Selection(history.events, history.topics, texts)


def check(said, wishes):
    """Compare every filter on every event with the single evaluation."""
    texts = [format_filter(wish) for wish in wishes]
    found = selection(said, texts)
    for position, text in enumerate(texts):
        expected = [wants(parse_filter(text), event.topic, event.attributes) for event in said]
        assert found.holds(position).tolist() == expected, text


@given(st.lists(events, max_size=8), st.lists(filters, min_size=1, max_size=4))
def test_agrees_on_any_filters(said, wishes):
    """Values of all families, exact numbers of any size, odd topics."""
    check(said, wishes)


@given(st.data(), st.lists(narrow_filters, min_size=1, max_size=3))
def test_agrees_near_the_constants(data, wishes):
    """Events at the boundaries that the filters draw."""
    check(data.draw(st.lists(events_near(*wishes), max_size=8)), wishes)


@pytest.mark.parametrize(
    ("pattern", "topic", "expected"),
    [
        ("a/#", "a", True),
        ("a/#", "a/b\nc/d", True),
        ("a/#", "ab", False),
        ("+/b", "$s/b", False),
        ("#", "$s", False),
        ("#", "a//b", True),
        ("a/+", "a/", True),
        ("a/+", "a/b/c", False),
        ("a.c", "abc", False),
        ("$s/#", "$s", True),
    ],
)
def test_patterns(pattern, topic, expected):
    """MQTT's wildcards, whole levels only."""
    history = history_of(publications=[publication(0, topic=topic)])
    found = Selection(history.events, history.topics, [f'topic matches "{pattern}"'])
    assert found.holds(0).tolist() == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x == 1", [1]),
        ("x != 1", [0, 2]),
        ("x < 1", [0]),
        ("x <= 1", [0, 1]),
        ("x > 1", [2]),
        ("x >= 1", [1, 2]),
        ("x between 1 and 2", [1, 2]),
        ("x in (0, 2)", [0, 2]),
        ("x != 7", [0, 1, 2]),
        ('x != "1"', [3]),
        ("not x == 1", [0, 2, 3, 4]),
        ("exists(x)", [0, 1, 2, 3]),
        ('x startswith "I"', [3]),
        ("true", [0, 1, 2, 3, 4]),
        ("false", []),
    ],
)
def test_each_comparison(text, expected):
    """On 0, 1, 2, a string and nothing."""
    values = ["0", "1", "2", '"IBM"']
    said = [publication(number, x=value) for number, value in enumerate([*values, None])]
    history = history_of(publications=said)
    assert np.flatnonzero(Selection(history.events, history.topics, [text]).holds(0)).tolist() == expected


def test_more_filters_than_answers_kept():
    """Answers that were forgotten are worked out again."""
    history = history_of(publications=[publication(number, x=number) for number in range(RECENT_MAX + 2)])
    found = Selection(history.events, history.topics, [f"x == {number}" for number in range(RECENT_MAX + 2)])
    for _ in range(2):
        for number in range(RECENT_MAX + 2):
            assert np.flatnonzero(found.holds(number)).tolist() == [number]


def test_what_was_never_published_has_no_attributes():
    """It stands among the events without content."""
    history = history_of(publications=[publication(5, x=1)], deliveries=shown("s", 3))
    assert Selection(history.events, history.topics, ["x == 1"]).holds(0).tolist() == [False, True]


@pytest.mark.parametrize("pieces", [[(2, 3)], [(4, 2), (1, 2)], [(0, 0), (3, 3)]])
def test_attributes_may_be_a_part_of_a_longer_column(pieces):
    """Arrow's columns may begin anywhere in their memory."""
    made = tables(publications=[publication(number, x=number) for number in range(6)])
    whole = made["publications"]
    made["publications"] = pa.concat_tables([whole.slice(begin, length) for begin, length in pieces])
    history = read_history(lambda name, columns: made[name].select(columns))
    holds = Selection(history.events, history.topics, ["x >= 2 and x <= 4"]).holds(0)
    assert holds.tolist() == [2 <= event <= 4 for event in history.events.ids]


@pytest.mark.parametrize("literal", ["nan", "IBM", '"open', "[1]", ""])
def test_attributes_that_are_no_literals_are_refused(literal):
    """With their name."""
    history = history_of(publications=[publication(0, attributes=[("x", literal)])], interests=[interest("s")])
    with pytest.raises(InputError, match="attribute x"):
        Selection(history.events, history.topics, ["x == 1"])
