"""Carriers: rows of events come back equal, and nothing but PeerError comes of anything else."""

import contextlib
import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import events
from tidings.errors import PeerError
from tidings.vocabulary.event import Event
from tidings.wire.carriers import EVENTS_MAX, CarrierReader, encode_event, join_events

EVENT = Event(1, "p", "t/u", 5, {"a": 1, "b": "x", "c": True, "d": 1.5}, 9, 2, 3, b"abc", b"\x01")


def spoiled(**fields):
    """A carrier with one event that is wrong in these fields."""
    row = dict(zip(Event.__struct_fields__, msgspec.msgpack.decode(encode_event(EVENT)), strict=True))
    return msgspec.msgpack.encode([list({**row, **fields}.values())])


def sound(event):
    """The same event as one that may travel."""
    identity, published = abs(event.id) % 2**62, abs(event.published_ns) % 2**62
    return msgspec.structs.replace(
        event,
        id=identity,
        publisher=event.publisher or "p",
        published_ns=published,
        expires_ns=published + 1,
        incarnation=abs(event.incarnation) % 2**62,
        payload_bytes=len(event.payload),
        attributes={
            name: value for name, value in event.attributes.items() if type(value) is not int or abs(value) < 2**62
        },
    )


@given(st.lists(events.map(sound), max_size=5))
def test_what_is_joined_comes_back_equal(row):
    """With the exact type of every value."""
    found = CarrierReader().read(join_events([encode_event(event) for event in row]))
    assert found == row
    assert [[type(value) for value in event.attributes.values()] for event in found] == [
        [type(value) for value in event.attributes.values()] for event in row
    ]


WRONG = {
    "a negative id": {"id": -1},
    "an id of 64 bits": {"id": 2**63},
    "an instant before the start": {"published_ns": -1},
    "expired before it was published": {"expires_ns": 4},
    "an expiry of 64 bits": {"expires_ns": 2**63},
    "a negative incarnation": {"incarnation": -1},
    "no publisher": {"publisher": ""},
    "a publisher that is too long": {"publisher": "x" * 256},
    "a wildcard": {"topic": "a/#"},
    "an attribute named topic": {"attributes": {"topic": "t"}},
    "NaN": {"attributes": {"a": math.nan}},
    "infinity": {"attributes": {"a": math.inf}},
    "a list for a value": {"attributes": {"a": [1]}},
    "a payload that is longer than it says": {"payload": b"abcd"},
    "too much carried": {"carried": bytes((1 << 16) + 1)},
    "a field too many": {"extra": 1},
}


@pytest.mark.parametrize("fields", WRONG.values(), ids=WRONG)
def test_malformed_events_are_refused(fields):
    """One thing wrong at a time; a row without faults is taken."""
    assert CarrierReader().read(spoiled()) == [EVENT]
    with pytest.raises(PeerError, match="a carrier with an event that cannot be taken: "):
        CarrierReader().read(spoiled(**fields))


def test_a_row_has_an_end():
    """However small its events."""
    one = encode_event(EVENT)
    assert len(CarrierReader().read(join_events([one] * 3))) == 3
    with pytest.raises(PeerError, match="at most"):
        CarrierReader().read(join_events([one] * (EVENTS_MAX + 1)))


def test_many_topics_are_not_remembered_for_ever():
    """And every one is still judged."""
    reader = CarrierReader()
    for number in range(10_000):
        reader.read(join_events([encode_event(msgspec.structs.replace(EVENT, topic=f"t/{number}"))]))
    assert len(reader._topics) <= 4_096


@given(st.binary(max_size=60), st.integers(0, 60), st.integers(0, 255))
def test_garbage_raises_nothing_else(data, place, value):
    """Random bytes, and a good row with one byte changed."""
    good = bytearray(join_events([encode_event(EVENT)] * 2))
    good[place % len(good)] = value
    for payload in (data, bytes(good)):
        with contextlib.suppress(PeerError):
            CarrierReader().read(payload)


def test_what_a_peer_says_stays_on_one_line():
    """Names in a refusal move no cursor."""
    with pytest.raises(PeerError) as refusal:
        CarrierReader().read(spoiled(attributes={"\x1b[2J\n": math.nan}))
    assert str(refusal.value).isprintable()
