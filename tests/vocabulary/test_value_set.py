"""What one attribute may be, against evaluation value by value."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import PATTERNS, STRINGS, TOPICS, leaves, values
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import Compare, Everything, Exists, Matches, Not, Nothing, StartsWith, holds
from tidings.vocabulary.value_set import (
    ANY_TOPIC,
    ANYTHING,
    ValueSet,
    domain,
    meet_sets,
    subtract_set,
    value_set,
)

words = st.sampled_from(STRINGS + TOPICS)
single = leaves(st.just("a"), values, st.nothing(), st.sampled_from(PATTERNS)).filter(
    lambda leaf: not isinstance(leaf, Everything | Nothing) and leaf.attribute == "a"
)
probes = st.none() | values | words


def holds_for(leaf, value):
    """The twin: the broker's evaluation of one event."""
    return holds(leaf, Event(0, "p", "t", 0, {} if value is None else {"a": value}))


@settings(max_examples=300)
@given(single, probes)
def test_a_set_holds_what_its_comparison_holds_for(leaf, value):
    """All kinds of comparisons, missing attributes, all families."""
    assert (value in value_set(leaf)) == holds_for(leaf, value)


@settings(max_examples=300)
@given(single, single, probes)
def test_meet_and_difference_are_those_of_sets(left, right, value):
    """No member is lost, none is won, and none is in two pieces by mistake of emptiness."""
    ours, theirs = value_set(left), value_set(right)
    assert (value in meet_sets(ours, theirs)) == (value in ours and value in theirs)
    pieces = list(subtract_set(ours, theirs))
    assert any(value in piece for piece in pieces) == (value in ours and value not in theirs)
    assert not any(piece.is_empty for piece in pieces)


@settings(max_examples=300)
@given(st.lists(st.tuples(st.sampled_from(PATTERNS), st.booleans()), min_size=1, max_size=4), words)
def test_patterns_and_barred_patterns_add_up(chosen, word):
    """Several patterns on one attribute, some of them negated; difference from such a set, too."""
    whole = ANYTHING
    for pattern, wanted in chosen:
        one = value_set(Matches("a", pattern))
        pieces = [one] if wanted else list(subtract_set(ANYTHING, one))
        assert len(pieces) == 1, "the negation of a pattern is one set"
        whole = meet_sets(whole, pieces[0])
    expected = all(holds_for(Matches("a", pattern), word) == wanted for pattern, wanted in chosen)
    assert (word in whole) == expected
    assert any(word in piece for piece in subtract_set(ANYTHING, whole)) == (not expected)
    assert not (expected and whole.is_empty)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Matches("a", "a/+/c"), Matches("a", "b/+")),
        (Matches("a", "a/+/c"), Matches("a", "a/+")),
        (Matches("a", "a/+"), StartsWith("a", "b")),
        (Matches("a", "a/+"), Compare("a", "==", "a/b/c")),
        (Matches("a", "+/b"), StartsWith("a", "$")),
        (Compare("a", "<", 1), Compare("a", "==", True)),
        (Compare("a", "<", 1), Compare("a", ">=", 1)),
        (Exists("a"), Compare("a", "<", "")),
    ],
    ids=repr,
)
def test_contradictions_are_seen(left, right):
    """Sets that have no member are known to be empty."""
    assert meet_sets(value_set(left), value_set(right)).is_empty


def test_a_barred_pattern_that_covers_a_wanted_one_leaves_nothing():
    """`matches "a/+/c"` and not `matches "a/#"`, `"a/+/+"`."""
    for general in ("a/#", "a/+/+", "+/+/c"):
        assert list(subtract_set(value_set(Matches("a", "a/+/c")), value_set(Matches("a", general)))) == []


def test_a_topic_is_always_there_and_a_string():
    """Other attributes may be anything."""
    assert domain("topic") is ANY_TOPIC
    assert domain("a") is ANYTHING
    assert list(subtract_set(domain("topic"), value_set(Exists("topic")))) == []
    assert None in ANYTHING
    assert None not in ANY_TOPIC
    assert 1 not in ANY_TOPIC


def test_size_counts_cuts_and_pairs_of_patterns():
    """What a set costs grows with what is in it."""
    assert ValueSet().size == ANYTHING.size == 1
    assert value_set(Compare("a", "==", 1)).size == 3
    one = value_set(Matches("a", "a/+/c"))
    two = meet_sets(one, value_set(Matches("a", "+/b/c")))
    assert 1 < one.size < two.size
    assert value_set(Matches("a", "a/" + "+/" * 100 + "b")).size > one.size


def test_only_single_comparisons_have_a_set():
    """Everything else is our own mistake."""
    with pytest.raises(AssertionError, match="single comparison"):
        value_set(Not(Exists("a")))
