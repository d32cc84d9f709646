"""Patterns as constraints on a topic's levels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matching.test_conjunctions import passes, value_of
from strategies import patterns, topics
from tidings.matching.levels import LEVEL_COUNT, LEVEL_NAMES, pattern_constraints
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import TOPIC, Matches
from tidings.vocabulary.topic import matches_pattern

level = st.sampled_from(("a", "b", "", "$s"))
some_topics = topics | st.lists(level, min_size=1, max_size=5).map("/".join).filter(bool)
some_patterns = patterns | st.lists(level | st.just("+"), min_size=1, max_size=5).map("/".join).filter(bool)
some_patterns = some_patterns | some_patterns.filter(lambda text: "#" not in text).map(lambda text: f"{text}/#")


@given(some_patterns, some_topics)
def test_a_topic_passes_where_it_matches(pattern, topic):
    """Exactly: no doubt is left."""
    asked = pattern_constraints(Matches(TOPIC, pattern))
    event = Event(0, "p", topic, 0, {})
    assert not any(one.doubtful for one in asked.values())
    assert all(passes(one, value_of(event, name)) for name, one in asked.items()) == matches_pattern(pattern, topic)


@pytest.mark.parametrize(
    ("wish", "attributes"),
    [
        (Matches(TOPIC, "a/#"), [TOPIC]),
        (Matches(TOPIC, "a/+"), [TOPIC, LEVEL_COUNT]),
        (Matches(TOPIC, "a/+/c/#"), [TOPIC, LEVEL_COUNT, LEVEL_NAMES[2]]),
    ],
)
def test_only_needed_levels_are_asked(wish, attributes):
    """What the beginning of the topic says is not said again."""
    assert list(pattern_constraints(wish)) == attributes


@pytest.mark.parametrize("wish", [Matches("note", "a/+/c"), Matches(TOPIC, "/".join(["a", "+"] * 5))])
def test_other_attributes_and_long_patterns_stay_doubtful(wish):
    """The filter itself decides."""
    ((attribute, asked),) = pattern_constraints(wish).items()
    assert attribute == wish.attribute
    assert asked.doubtful
