"""Rights: denied unless granted, denied whatever else is granted, and never widened by a wildcard."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import PATTERNS, TOPICS
from tidings.mqtt.rights import ALL_RIGHTS, NO_RIGHTS, Rights
from tidings.vocabulary.topic import matches_pattern

patterns = st.lists(st.sampled_from(PATTERNS), max_size=3).map(tuple)


def among(patterns, topic):
    """The plain rule."""
    return any(matches_pattern(one, topic) for one in patterns)


@given(patterns, patterns, patterns, st.sampled_from(TOPICS), st.sampled_from(PATTERNS))
def test_rights_are_what_the_lists_say(publish, subscribe, deny, topic, pattern):
    """For every topic; a subscription may be asked for wherever it could bring something."""
    rights = Rights(publish=publish, subscribe=subscribe, deny=deny)
    ours = topic.startswith("$")
    assert rights.may_publish(topic) == (among(publish, topic) and not among(deny, topic) and not ours)
    assert rights.may_receive(topic) == (among(subscribe, topic) and not among(deny, topic))
    if rights.may_receive(topic) and matches_pattern(pattern, topic):
        assert rights.may_subscribe(pattern)


def test_nothing_is_the_default():
    """No list, no right; and all rights are those of clients, not of the broker."""
    assert not NO_RIGHTS.may_publish("a")
    assert not NO_RIGHTS.may_receive("a")
    assert not NO_RIGHTS.may_subscribe("#")
    assert ALL_RIGHTS.may_publish("a/b")
    assert not ALL_RIGHTS.may_publish("$tidings")
    assert ALL_RIGHTS.may_subscribe("#")


def test_what_is_denied_whole_is_not_even_asked_for():
    """A subscription within what is denied is refused at once; a wider one only brings less."""
    rights = Rights(subscribe=("#",), deny=("secret/#",))
    assert not rights.may_subscribe("secret/+")
    assert not rights.may_subscribe("secret/a")
    assert rights.may_subscribe("#")
    assert not rights.may_receive("secret/a")


@pytest.mark.parametrize("twin", ["a/b", "A/b", "a//b", "a/b/", "e\u0301", "é"])
def test_look_alikes_are_other_topics(twin):
    """Case, empty levels and forms of Unicode: nothing is normalised, so nothing slips through."""
    names = ("a/b", "A/b", "a//b", "a/b/", "e\u0301", "é")
    rights = Rights(publish=(twin,), subscribe=(twin,))
    assert [name for name in names if rights.may_publish(name)] == [twin]


def test_patterns_that_are_none_are_refused():
    """When rights are read, not when they are asked for."""
    with pytest.raises(ValueError, match="# must be the whole last level"):
        Rights(publish=("a/#/b",))
    with pytest.raises(ValueError, match="must not be empty"):
        Rights(deny=("",))
