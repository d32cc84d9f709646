"""Sets of ordered values against their dumb twin: a function that is asked value by value."""

from hypothesis import given
from hypothesis import strategies as st

from strategies import STRINGS, numbers
from tidings.vocabulary.spans import (
    EMPTY,
    FULL,
    Spans,
    between,
    complement,
    contains,
    finite,
    join,
    meet,
    points,
    prefixed,
)

few_numbers = st.sampled_from((-1, 0, -0.0, 0.5, 1, 1.0, 2, 3))
few_strings = st.sampled_from(("", "a", "aa", "ab", "b", "\U0010ffff"))
NUMBER_PROBES = (-2, -1, -0.5, 0, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4)
STRING_PROBES = (
    "",
    "\0",
    "a",
    "a\0",
    "aa",
    "aa\0",
    "aab",
    "ab",
    "ab\0",
    "ac",
    "b",
    "b\0",
    "c",
    "\U0010ffff",
    "\U0010ffffa",
)


def sets(members):
    """Any set that can be made of the constructors and the algebra, over these members."""
    ends = st.none() | st.tuples(members, st.integers(0, 1))
    made = st.one_of(
        st.sampled_from((EMPTY, FULL)),
        st.builds(between, ends, ends),
        st.lists(members, max_size=5).map(points),
    )
    return st.recursive(
        made,
        lambda inner: st.one_of(inner.map(complement), st.builds(meet, inner, inner), st.builds(join, inner, inner)),
        max_leaves=4,
    )


def seen(spans, probes):
    """The twin: which probes belong to the set."""
    return [contains(spans, probe) for probe in probes]


@given(st.data())
def test_the_algebra_is_the_logic_of_membership(data):
    """Meet, join and complement, for numbers, strings and booleans."""
    members, probes = data.draw(
        st.sampled_from([(few_numbers, NUMBER_PROBES), (few_strings, STRING_PROBES), (st.booleans(), (False, True))])
    )
    left, right = data.draw(sets(members)), data.draw(sets(members))
    ours, theirs = seen(left, probes), seen(right, probes)
    assert seen(meet(left, right), probes) == [one and other for one, other in zip(ours, theirs, strict=True)]
    assert seen(join(left, right), probes) == [one or other for one, other in zip(ours, theirs, strict=True)]
    assert seen(complement(left), probes) == [not one for one in ours]


@given(st.data())
def test_equal_membership_is_equality(data):
    """A set has one spelling, so that emptiness is seen by comparing; probes lie in every gap between members."""
    members, probes = data.draw(st.sampled_from([(few_numbers, NUMBER_PROBES), (st.booleans(), (False, True))]))
    left, right = data.draw(sets(members)), data.draw(sets(members))
    assert (left == right) == (seen(left, probes) == seen(right, probes))


@given(numbers, numbers, numbers)
def test_ranges_hold_what_lies_between_their_ends(low, high, probe):
    """Open and closed, exactly, also where int and float are nearly equal."""
    assert contains(between((low, 0), (high, 1)), probe) == (low <= probe <= high)
    assert contains(between((low, 1), (high, 0)), probe) == (low < probe < high)
    assert contains(between(None, (high, 0)), probe) == (probe < high)
    assert contains(between((low, 1), None), probe) == (probe > low)


@given(st.lists(numbers, max_size=6), numbers)
def test_points_hold_equal_values_only(members, probe):
    """1 and 1.0 are one point; order and repetition do not matter."""
    assert contains(points(members), probe) == (probe in members)
    assert points(members) == points(reversed(members * 2))


@given(st.sampled_from(STRINGS), st.text(max_size=3) | st.sampled_from(STRINGS))
def test_prefixes_are_spans(prefix, text):
    """By code point, the last one of Unicode included."""
    assert contains(prefixed(prefix), text) == text.startswith(prefix)
    assert contains(prefixed(prefix), prefix + text)


def test_ends_of_families_have_no_cuts():
    """What cannot be smaller or larger is the beginning or the end."""
    assert between(("", 0), None) == FULL
    assert between(None, ("", 0)) == EMPTY
    assert between(None, (True, 1)) == between((False, 0), None) == FULL
    assert between((True, 1), None) == between(None, (False, 0)) == EMPTY
    assert points([False, True]) == FULL
    assert points([False]) == complement(points([True])) == Spans(begins=True, cuts=((True, 0),))
    assert between((1, 1), (1, 1)) == between((2, 0), (1, 1)) == EMPTY


@given(st.lists(few_numbers, max_size=5) | st.lists(few_strings, max_size=5))
def test_points_can_be_counted_up(members):
    """In ascending order."""
    assert finite(points(members)) == tuple(sorted(set(members)))


def test_what_is_not_made_of_points_cannot_be_counted_up():
    """Neither ranges nor complements, with or without the empty string."""
    assert finite(FULL) is None
    assert finite(EMPTY) == ()
    assert finite(between((1, 0), (2, 1))) is None
    assert finite(between((1, 0), None)) is None
    assert finite(complement(points([1]))) is None
    assert finite(complement(points(["a"]))) is None
    assert finite(between(None, ("a", 1))) is None
    assert finite(join(points([""]), between(("a", 0), None))) is None
    assert finite(points(["", "a"])) == ("", "a")
