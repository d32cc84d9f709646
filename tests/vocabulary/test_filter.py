"""The meaning of each kind of filter, as the contract's sentences say it."""

import pytest
from hypothesis import given

from strategies import events, filters
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import (
    OPERATIONS,
    Among,
    And,
    Between,
    Compare,
    Everything,
    Exists,
    Matches,
    Not,
    Nothing,
    Or,
    StartsWith,
    attribute_of,
    compare,
    holds,
)

EVENT = Event(
    0,
    "p",
    "a/b",
    0,
    {"one": 1, "big": 2**53 + 1, "zero": -0.0, "half": 0.5, "yes": True, "word": "IBM", "last": "\U00010000"},
)


@pytest.mark.parametrize(
    "wish",
    [
        Everything(),
        Compare("one", "==", 1.0),
        Compare("one", "!=", 2),
        Compare("one", "<", 1.5),
        Compare("one", "<=", 1),
        Compare("one", ">", 0.5),
        Compare("one", ">=", 1),
        Compare("big", ">", float(2**53)),
        Compare("big", "!=", float(2**53)),
        Compare("zero", "==", 0),
        Compare("yes", ">", False),
        Compare("word", "<", "IC"),
        Compare("last", ">", "\uffff"),
        Compare("topic", "==", "a/b"),
        Among("one", ("1", True, 1.0)),
        Between("half", 0, 1),
        Between("half", 0.5, 0.5),
        Between("word", "I", "J"),
        StartsWith("word", "IB"),
        StartsWith("word", ""),
        StartsWith("topic", "a/"),
        Exists("yes"),
        Exists("topic"),
        Matches("topic", "+/b"),
        Matches("word", "+"),
        Not(Nothing()),
        And(()),
        And((Exists("one"), Exists("half"))),
        Or((Nothing(), Exists("one"))),
    ],
    ids=repr,
)
def test_what_holds_and_its_negation_does_not(wish):
    """Each filter holds for the event; the same in a `Not` does not."""
    assert holds(wish, EVENT)
    assert not holds(Not(wish), EVENT)


@pytest.mark.parametrize(
    "wish",
    [
        Nothing(),
        Compare("one", "==", True),
        Compare("yes", "==", 1),
        Compare("one", "!=", "1"),
        Compare("one", "<", "2"),
        Compare("big", "==", float(2**53)),
        Compare("zero", "<", 0),
        Among("one", ()),
        Among("yes", (1, "true")),
        Between("half", 1, 0),
        Between("half", 0, "1"),
        Between("half", "0", 1),
        StartsWith("one", ""),
        StartsWith("word", "ib"),
        Matches("one", "#"),
        Matches("topic", "a"),
        And((Exists("one"), Exists("none"))),
        Or(()),
        Or((Nothing(), Exists("none"))),
    ],
    ids=repr,
)
def test_what_does_not_hold_and_its_negation_does(wish):
    """Other families, empty ranges and lists, code points."""
    assert not holds(wish, EVENT)
    assert holds(Not(wish), EVENT)


@pytest.mark.parametrize(
    "wish",
    [
        *(Compare("none", operator, value) for operator in OPERATIONS for value in (0, "", False)),
        Among("none", (0, "")),
        Between("none", 0, 1),
        StartsWith("none", ""),
        Exists("none"),
        Matches("none", "#"),
    ],
    ids=repr,
)
def test_nothing_holds_for_a_missing_attribute(wish):
    """Not even `!=`; and `not` of each holds."""
    assert not holds(wish, EVENT)
    assert holds(Not(wish), EVENT)


def test_an_attribute_called_topic_cannot_hide_the_topic():
    """The name is reserved."""
    event = Event(0, "p", "real", 0, {"topic": "forged"})
    assert attribute_of(event, "topic") == "real"
    assert not holds(Compare("topic", "==", "forged"), event)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_families_are_never_compared(operation):
    """Whatever the operation, the answer is no."""
    for left, right in [(1, True), (0, False), ("1", 1), ("True", True), (1.0, "1.0")]:
        assert not compare(left, operation, right)
        assert not compare(right, operation, left)


@given(filters, filters, events)
def test_and_or_not_are_the_logic_of_python(left, right, event):
    """Two-valued: there is no third answer for missing attributes."""
    first, second = holds(left, event), holds(right, event)
    assert holds(And((left, right)), event) == (first and second)
    assert holds(Or((left, right)), event) == (first or second)
    assert holds(Not(left), event) == (not first)
