"""One of a filter's conjunctions holds where the filter does."""

import math

from hypothesis import given

from strategies import events, filters, narrow_filters
from tidings.matching.conjunctions import conjunctions
from tidings.matching.constraint import Constraint
from tidings.matching.levels import LEVEL_COUNT, LEVEL_NUMBERS
from tidings.matching.limits import CONJUNCTIONS_MAX
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import And, Compare, Everything, Filter, Not, Nothing, Or, attribute_of, holds
from tidings.vocabulary.spans import contains


def value_of(event: Event, attribute: str):
    """Also of a topic's levels."""
    levels = event.topic.split("/")
    if attribute == LEVEL_COUNT:
        return len(levels)
    if attribute in LEVEL_NUMBERS:
        number = LEVEL_NUMBERS[attribute]
        return levels[number] if number < len(levels) else None
    return attribute_of(event, attribute)


def passes(asked: Constraint, value) -> bool:
    """Whether a value passes."""
    if value is None:
        return asked.absent
    if isinstance(value, bool):
        return asked.true if value else asked.false
    if isinstance(value, str):
        return contains(asked.string, value)
    nan = isinstance(value, float) and math.isnan(value)
    return asked.other if nan else contains(asked.number, value)


def agree(wish: Filter, event: Event) -> None:
    """Exactly where nothing is doubtful, else at least."""
    alternatives = conjunctions(wish)
    if alternatives is None:
        return
    assert len(alternatives) <= CONJUNCTIONS_MAX
    found = [
        alternative
        for alternative in alternatives
        if all(passes(asked, value_of(event, name)) for name, asked in alternative.items())
    ]
    certain = [one for one in found if not any(asked.doubtful for asked in one.values())]
    assert bool(found) >= holds(wish, event) >= bool(certain)


@given(filters, events)
def test_conjunctions_of_any_filter(wish, event):
    """All kinds of nodes."""
    agree(wish, event)


@given(narrow_filters, events)
def test_conjunctions_of_narrow_filters(wish, event):
    """That contradict and overlap each other."""
    agree(wish, event)


def test_everything_and_nothing():
    """An empty conjunction, and no conjunction."""
    assert conjunctions(Everything()) == conjunctions(Not(Nothing())) == conjunctions(And(())) == [{}]
    assert conjunctions(Nothing()) == conjunctions(Not(Everything())) == conjunctions(Or(())) == []


def test_an_or_over_one_attribute_is_one_constraint():
    """And one over several stays several."""
    one = Or((Compare("a", "<", 1), Compare("a", ">", 9)))
    assert [list(each) for each in conjunctions(one)] == [["a"]]
    two = Or((one, Compare("b", ">", 9), And((Compare("a", "==", 3), Compare("b", "==", 3)))))
    assert [list(each) for each in conjunctions(two)] == [["a"], ["b"], ["a", "b"]]


def test_contradictions_are_left_out():
    """Nothing can be smaller and larger."""
    assert conjunctions(And((Compare("a", "<", 1), Compare("a", ">", 9)))) == []


def test_too_many_conjunctions_are_given_up():
    """As a product, and as a union."""
    pair = [Or((Compare(f"a{number}", "<", 1), Compare(f"b{number}", ">", 9))) for number in range(10)]
    assert conjunctions(And(tuple(pair))) is None
    assert conjunctions(And(tuple(pair[:4]))) is not None
    assert conjunctions(Or(tuple(Compare(f"a{number}", "<", 1) for number in range(CONJUNCTIONS_MAX + 1)))) is None
