"""Messages as bytes: what goes in comes out, and nonsense is refused."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import PeerError
from tidings.sequencing.messages import (
    NUMBER_MAX,
    Climbing,
    Finished,
    Gone,
    Hop,
    HopTaken,
    Names,
    NumbersAsked,
    ProbeAsked,
    Published,
    Reached,
    Requested,
    Taken,
    decoded,
    encoded,
)
from tidings.vocabulary.event import Event

EVENT = Event(5, "p", "t", 7, {"price": 1.5, "side": "buy", "big": True}, payload=b"x", payload_bytes=1)

MESSAGES = (
    Requested(1, "t", "p", 0, 3, EVENT),
    Taken(1, "t", 0, 3, 2),
    Published(1, "t", 3, b"\x00", EVENT),
    Reached(1, "t", 3),
    ProbeAsked(1, "t"),
    NumbersAsked(1, "t", "s", (4, 5)),
    Gone(1, "t", 3),
    Hop(1, "x", 1, Climbing(5, "t", 3, b"\x01")),
    Hop(1, "x", 2, Finished("t", b"\x01")),
    HopTaken(1, "y", 2),
)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda one: type(one).__name__)
def test_a_message_comes_back(message):
    """Whole, with types of attribute values kept."""
    again = decoded(encoded(message))
    assert again == message
    if isinstance(again, Requested):
        assert [type(value) for value in again.event.attributes.values()] == [float, str, bool]


@given(st.binary(max_size=60))
def test_nonsense_is_refused(data):
    """Any bytes are a message, or a PeerError and nothing else."""
    with suppress(PeerError):
        assert encoded(decoded(data))


@pytest.mark.parametrize(
    "message",
    [
        Reached(1, "t", NUMBER_MAX + 1),
        Gone(1, "t", -1),
        Taken(1, "t", 0, 1, NUMBER_MAX + 1),
        NumbersAsked(1, "t", "s", (1, -2)),
        Requested(1, "t", "p", 0, NUMBER_MAX * 2, EVENT),
    ],
    ids=lambda one: type(one).__name__,
)
def test_numbers_that_nobody_has_counted_to_are_refused(message):
    """Below 0, or beyond any honest counter."""
    with pytest.raises(PeerError, match="nobody has counted to"):
        decoded(encoded(message))


def test_one_question_names_so_many_numbers_and_no_more():
    """Else one question could make a stage say everything that it keeps."""
    assert decoded(encoded(NumbersAsked(1, "t", "s", tuple(range(64)))))
    with pytest.raises(PeerError, match="at most 64"):
        decoded(encoded(NumbersAsked(1, "t", "s", tuple(range(65)))))


def test_names_say_what_they_are_for():
    """Topics may hold slashes; names of clients and stages are for no topic."""
    names = Names("$x")
    assert names.topic_of(names.inlet("a/b")) == names.topic_of(names.outlet("a/b")) == "a/b"
    assert names.topic_of(names.own("a")) is names.topic_of(names.stage("a")) is names.topic_of("a/b") is None
    assert names.serves(names.own("a"))
    assert not names.serves("$xy/to/a")
