"""Retained messages: a dictionary by topic, asked by pattern."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from strategies import PATTERNS, TOPICS
from tidings.mqtt.retained import Retained
from tidings.vocabulary.event import Event
from tidings.vocabulary.topic import matches_pattern

MORE = ("a", "a/b/c", "a/", "/", "$s", "$s/a/b", "b//c")
topics = st.sampled_from((*TOPICS, *MORE))
puts = st.lists(st.tuples(topics, st.binary(max_size=3)), max_size=40)


@given(puts, st.sampled_from((*PATTERNS, *MORE, "#", "+", "$s/#", "+/+", "a/#")))
def test_retained_messages_are_a_dictionary(puts, pattern):
    """The plain twin: the last of each topic; an empty payload takes it away; wildcards reach what they always reach."""
    retained, twin = Retained(), {}
    for number, (topic, payload) in enumerate(puts):
        event = Event(number, "p", topic, 0, {}, payload=payload)
        retained.put(event)
        twin.pop(topic, None)
        if payload:
            twin[topic] = event
        assert retained.get(topic) == twin.get(topic)
    assert sorted(event.id for event in retained.everything()) == sorted(event.id for event in twin.values())
    wanted = [event.id for topic, event in twin.items() if matches_pattern(pattern, topic)]
    assert sorted(event.id for event in retained.matching(pattern, 0)) == sorted(wanted)
    assert retained.count == len(twin)
    assert retained.payload_bytes == sum(len(event.payload) for event in twin.values())


def test_what_has_expired_is_not_found():
    """It stays until it is replaced."""
    retained = Retained()
    retained.put(Event(1, "p", "a", 0, {}, expires_ns=5, payload=b"x"))
    assert [event.id for event in retained.matching("#", 5)] == [1]
    assert list(retained.matching("#", 6)) == []
    assert retained.count == 1


def test_forgotten_topics_leave_nothing_behind():
    """Nor does forgetting what was never there."""
    retained = Retained()
    event = Event(1, "p", "a/b/c/d", 0, {}, payload=b"x")
    retained.put(event)
    retained.put(msgspec.structs.replace(event, topic="a/b"))
    retained.put(msgspec.structs.replace(event, payload=b""))
    assert [one.topic for one in retained.everything()] == ["a/b"]
    retained.put(msgspec.structs.replace(event, topic="a/b", payload=b""))
    retained.put(msgspec.structs.replace(event, topic="never/there", payload=b""))
    assert retained._root == {}
    assert (retained.count, retained.payload_bytes) == (0, 0)
