"""What an event that travels must be: each rule has its sentence."""

import msgspec
import pytest

from tidings.vocabulary.event import CARRIED_BYTES_MAX, Event
from tidings.wire.event_rules import (
    NAME_LENGTH_MAX,
    NUMBER_MAX,
    PAYLOAD_BYTES_MAX,
    check_contents,
    check_event,
    check_names,
    check_numbers,
)

EVENT = Event(1, "p", "t/u", 5, {"a": 1, "b": "x", "c": True, "d": 1.5}, 9, 2, 3, b"abc", b"\x01")


def test_an_ordinary_event_may_travel():
    """And so may the largest."""
    check_event(EVENT)
    check_event(
        msgspec.structs.replace(
            EVENT,
            id=NUMBER_MAX,
            publisher="p" * NAME_LENGTH_MAX,
            payload=bytes(PAYLOAD_BYTES_MAX),
            payload_bytes=PAYLOAD_BYTES_MAX,
            carried=bytes(CARRIED_BYTES_MAX),
        )
    )


WRONG = {
    "id is -1": {"id": -1},
    "published_ns is": {"published_ns": -1},
    "incarnation is": {"incarnation": 2**63},
    "expires_ns is": {"expires_ns": -1},
    "a name of 0": {"publisher": ""},
    "wildcards": {"topic": "a/+"},
    "the payload has 3": {"payload_bytes": 4},
    "at most 1048576": {"payload": bytes(PAYLOAD_BYTES_MAX + 1), "payload_bytes": PAYLOAD_BYTES_MAX + 1},
    "carried unread": {"carried": bytes(CARRIED_BYTES_MAX + 1)},
    "reserved": {"attributes": {"topic": 1}},
    "'a' is nan": {"attributes": {"a": float("nan")}},
    "'a' is -inf": {"attributes": {"a": float("-inf")}},
}


@pytest.mark.parametrize(("sentence", "fields"), WRONG.items(), ids=WRONG)
def test_what_may_not_travel_is_named(sentence, fields):
    """One thing wrong at a time."""
    with pytest.raises(ValueError, match=sentence):
        check_event(msgspec.structs.replace(EVENT, **fields))


def test_contents_are_judged_alone():
    """Where identity and topic have been judged before."""
    check_contents(msgspec.structs.replace(EVENT, id=-1, topic=""))
    with pytest.raises(ValueError, match="reserved"):
        check_contents(msgspec.structs.replace(EVENT, attributes={"topic": "t"}))


def test_numbers_may_be_absent():
    """From the least on."""
    check_numbers(-1, version=-1, base=None)
    with pytest.raises(ValueError, match="version is -2, it must lie in -1 to"):
        check_numbers(-1, version=-2)
    with pytest.raises(ValueError, match="a name of 256 characters"):
        check_names(("a", "x" * 256))
