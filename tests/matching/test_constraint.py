"""A constraint lets through what its filter wants, and the algebra keeps it so."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import leaves, numbers, patterns, strings, values
from tidings.matching.constraint import ALL, Constraint, complement, constraint, intersect, unite
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import Compare, Everything, Exists, Matches, Not, Nothing, holds
from tidings.vocabulary.spans import contains

simple = leaves(st.just("a"), values, chosen_patterns=patterns).filter(
    lambda leaf: not isinstance(leaf, Everything | Nothing) and leaf.attribute == "a"
)
contents = st.none() | values | st.just(math.nan)


def passes(asked: Constraint, value) -> bool:
    """What the constraint says about one value."""
    if value is None:
        return asked.absent
    if isinstance(value, bool):
        return asked.true if value else asked.false
    if isinstance(value, str):
        return contains(asked.string, value)
    nan = isinstance(value, float) and math.isnan(value)
    return asked.other if nan else contains(asked.number, value)


def wants(leaf, value) -> bool:
    """What the filter says."""
    return holds(leaf, Event(0, "p", "t", 0, {} if value is None else {"a": value}))


def agree(asked: Constraint, expected: bool, value) -> None:
    """Equal, or too much where there is doubt."""
    if asked.doubtful:
        assert passes(asked, value) >= expected
    else:
        assert passes(asked, value) == expected


@given(simple, contents)
def test_a_constraint_passes_what_the_leaf_wants(leaf, value):
    """Missing attributes, NaN and all families."""
    agree(constraint(leaf), wants(leaf, value), value)


@given(simple, contents)
def test_the_complement_passes_the_rest(leaf, value):
    """As `not` does."""
    agree(complement(constraint(leaf)), wants(Not(leaf), value), value)


@given(simple, simple, contents)
def test_intersection_and_union(one, two, value):
    """As `and` and `or` do."""
    first, second = constraint(one), constraint(two)
    agree(intersect(first, second), wants(one, value) and wants(two, value), value)
    agree(unite(first, second), wants(one, value) or wants(two, value), value)


@given(simple, contents)
def test_nothing_passes_an_empty_constraint(leaf, value):
    """Empty is never said too early."""
    asked = intersect(constraint(leaf), complement(constraint(leaf)))
    if asked.is_empty:
        assert not passes(asked, value)
    assert not constraint(leaf).is_empty or not wants(leaf, value)


@given(strings | numbers | st.booleans() | st.none())
def test_all_lets_everything_through(value):
    """And is not empty."""
    assert passes(ALL, value)
    assert not ALL.is_empty
    assert Constraint().is_empty


@pytest.mark.parametrize(("pattern", "doubtful"), [("a/b", False), ("a/#", False), ("#", False), ("a/+/c", True)])
def test_only_wildcards_in_the_middle_are_doubtful(pattern, doubtful):
    """The others are intervals of strings."""
    assert constraint(Matches("a", pattern)).doubtful is doubtful
    assert complement(constraint(Matches("a", pattern))).doubtful is doubtful


def test_nan_is_present_and_unequal():
    """It must not come, and is compared as Python does when it does."""
    assert constraint(Exists("a")).other
    assert constraint(Compare("a", "!=", 1)).other
    assert not constraint(Compare("a", "!=", "x")).other
    assert not constraint(Compare("a", "<", 1)).other
