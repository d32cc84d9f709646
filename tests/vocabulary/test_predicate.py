"""Closures against the plain evaluation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import events, events_near, filters
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import Among, Between, Compare, Exists, Filter, Matches, Not, Or, StartsWith, holds
from tidings.vocabulary.filter_parser import parse_filter
from tidings.vocabulary.predicate import predicate


@given(st.data(), filters)
def test_a_predicate_equals_the_plain_evaluation(data: st.DataObject, wish: Filter) -> None:
    """For any filter, on events near its own constants and on any others."""
    test = predicate(wish)
    for event in (data.draw(events_near(wish)), data.draw(events)):
        assert test(event) is holds(wish, event)


@pytest.mark.parametrize(
    "text",
    [
        "true",
        "false",
        "x == 1",
        "x == true",
        'x == "1"',
        "x != 1",
        "x < 9007199254740993",
        'x in (1, true, "1")',
        "x between 0 and 2",
        'x between "a" and 2',
        'x startswith "1"',
        'x matches "1/+"',
        "exists(x)",
        "exists(topic)",
        "not exists(x)",
        'topic == "t"',
        "topic == 1",
        'topic in ("t", "u")',
        'topic between "s" and "u"',
        'topic startswith "t"',
        'topic matches "#"',
        "x == 1 and y == 2 and z == 3",
        "x == 1 or y == 2",
        "not (x == 1 and topic == 2)",
    ],
)
@pytest.mark.parametrize("value", [None, 1, 1.0, -0.0, 0, True, False, "1", "1/a", "", 2**53 + 1, float(2**53)])
def test_each_kind_of_node_on_each_family(text: str, value: object) -> None:
    """1, 1.0, true and "1" are told apart, and an absent attribute from all of them."""
    attributes = {"y": 2} if value is None else {"x": value, "y": 2, "z": 3}
    event = Event(0, "p", "t", 0, attributes)  # type: ignore[arg-type]  # values are drawn as objects
    wish = parse_filter(text)
    assert predicate(wish)(event) is holds(wish, event)


def test_nodes_that_the_parser_would_not_build() -> None:
    """Mixed families in one node, and `or` of a single term."""
    event = Event(0, "p", "t", 0, {"x": 1})
    odd = [Between("x", 0, "b"), Among("x", (True, "1")), Or((Compare("x", "==", 1),)), Not(Exists("x"))]
    odd += [StartsWith("topic", "t"), Matches("topic", "+")]
    assert [predicate(wish)(event) for wish in odd] == [holds(wish, event) for wish in odd]
