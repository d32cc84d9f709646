"""Topics and patterns: what is valid, what matches, and what patterns have in common."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import PATTERNS, TOPICS
from tidings.vocabulary.topic import (
    LEVELS_MAX,
    TOPIC_BYTES_MAX,
    check_pattern,
    check_topic,
    matches_pattern,
    pattern_covers,
    pattern_intersects,
)

BAD_TEXTS = [
    ("", "empty"),
    ("a\0b", "NUL"),
    ("a/\ud800", "surrogates"),
    ("a" * (TOPIC_BYTES_MAX + 1), "65535 bytes"),
    ("é" * (TOPIC_BYTES_MAX // 2 + 1), "65535 bytes"),
    ("/" * LEVELS_MAX, "128 levels"),
]
LEVELS = ("a", "b", "", "$s", "+")
ALL_PATTERNS = [
    "/".join(levels) + tail
    for count in (1, 2, 3)
    for levels in product(LEVELS, repeat=count)
    for tail in ("", "/#")
    if "/".join(levels) + tail
] + ["#"]
ALL_TOPICS = [
    "/".join(levels) for count in (1, 2, 3, 4) for levels in product(("a", "b", "", "$s", "other"), repeat=count)
]
SEEN = {
    pattern: frozenset(topic for topic in ALL_TOPICS if matches_pattern(pattern, topic)) for pattern in ALL_PATTERNS
}
"""The dumb twin: each pattern as the names of up to four levels that it stands for, one level unknown to all. Patterns
are also asked about attributes, so that the empty string is a name here."""


@pytest.mark.parametrize(("text", "problem"), BAD_TEXTS)
@pytest.mark.parametrize("check", [check_topic, check_pattern])
def test_texts_that_are_neither_topic_nor_pattern(check, text, problem):
    """Refused with the reason."""
    with pytest.raises(ValueError, match=problem):
        check(text)


@pytest.mark.parametrize("topic", [*TOPICS, "a" * TOPIC_BYTES_MAX, "/" * (LEVELS_MAX - 1), "a b", "é"])
def test_good_topics_are_good_patterns(topic):
    """A topic is a pattern that stands for itself."""
    check_topic(topic)
    check_pattern(topic)
    assert matches_pattern(topic, topic)


@pytest.mark.parametrize("topic", ["a/+", "#", "a+", "a/#", "b#/c"])
def test_wildcards_are_no_topic(topic):
    """Nobody publishes on a pattern."""
    with pytest.raises(ValueError, match="wildcards"):
        check_topic(topic)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_good_patterns(pattern):
    """Whole levels, # last."""
    check_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("a#", "last level"),
        ("#/a", "last level"),
        ("a/#/b", "last level"),
        ("a/+b", "whole level"),
        ("++", "whole level"),
    ],
)
def test_wildcards_are_whole_levels(pattern, problem):
    """Everything else is refused."""
    with pytest.raises(ValueError, match=problem):
        check_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "topic", "expected"),
    [
        ("#", "a", True),
        ("#", "a/b/c", True),
        ("#", "$s", False),
        ("+", "a", True),
        ("+", "a/b", False),
        ("+", "$s", False),
        ("+", "", True),
        ("+/#", "a", True),
        ("a/#", "a", True),
        ("a/#", "a/b/c", True),
        ("a/#", "ab", False),
        ("a/+", "a", False),
        ("a/+", "a/", True),
        ("a/+", "a/$s", True),
        ("a/+/c", "a/b/c", True),
        ("a/+/c", "a/b/d", False),
        ("a/+/#", "a", False),
        ("a/+/#", "a/b", True),
        ("$s/#", "$s", True),
        ("$s/+", "$s/a", True),
        ("+/+", "/", True),
        ("a/b", "a/b/c", False),
        ("a/b/c", "a/b", False),
    ],
)
def test_matching_as_in_mqtt(pattern, topic, expected):
    """Parents, empty levels, `$`."""
    assert matches_pattern(pattern, topic) is expected


def test_covering_is_exact():
    """Agrees with the topics that the patterns stand for, for every pair of over 200 patterns."""
    for general in ALL_PATTERNS:
        for special in ALL_PATTERNS:
            assert pattern_covers(general, special) == (SEEN[special] <= SEEN[general]), (general, special)


def test_intersection_is_exact():
    """The same for patterns that have a topic in common."""
    for left in ALL_PATTERNS:
        for right in ALL_PATTERNS:
            assert pattern_intersects(left, right) == (not SEEN[left].isdisjoint(SEEN[right])), (left, right)


@given(st.sampled_from(PATTERNS), st.lists(st.sampled_from(("a", "b", "c", "", "$s")), min_size=1).map("/".join))
def test_a_topic_is_a_pattern_covered_by_what_matches_it(pattern, topic):
    """Matching is covering of a pattern without wildcards."""
    assert matches_pattern(pattern, topic) == pattern_covers(pattern, topic) == pattern_intersects(topic, pattern)
