"""Events: identity and lifetime."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.vocabulary.event import NUMBER_BITS, NUMBERS_MAX, Event, event_id, split_event_id
from tidings.vocabulary.instant import FOREVER


@given(st.integers(0, 2**23 - 1), st.integers(0, NUMBERS_MAX - 1))
def test_an_identity_splits_into_what_it_was_made_of(publisher, number):
    """And it fits the 64-bit column of the log tables."""
    identity = event_id(publisher, number)
    assert split_event_id(identity) == (publisher, number)
    assert identity == publisher * 2**NUMBER_BITS + number < 2**63


def test_an_event_lives_up_to_and_with_its_last_instant():
    """One nanosecond later it is expired."""
    event = Event(1, "p", "t", 0, {}, expires_ns=10)
    assert [event.expired(now) for now in (0, 9, 10, 11)] == [False, False, False, True]


def test_an_event_without_a_lifetime_never_expires():
    """The default is for ever."""
    assert not Event(1, "p", "t", 0, {}).expired(FOREVER)


def test_an_event_cannot_be_changed():
    """It is shared by everyone who is shown it."""
    with pytest.raises(AttributeError):
        Event(1, "p", "t", 0, {}).topic = "other"


def test_an_event_survives_the_wire():
    """Encoding and decoding give an equal event, payload bytes and attribute types included."""
    event = Event(event_id(3, 7), "p", "a/b", 5, {"n": 1, "x": 1.0, "s": "é", "b": True}, 9, 2, 3, b"\0\xff1")
    again = msgspec.msgpack.decode(msgspec.msgpack.encode(event), type=Event)
    assert again == event
    assert [type(value) for value in again.attributes.values()] == [int, float, str, bool]
