"""Rows of events as one payload: what our client and our broker put into one MQTT packet.

A carrier is one MessagePack array of events, each an array of its fields. The events of a row obey the rules of all
events that travel (`tidings.wire.event_rules`).
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from tidings.errors import PeerError
from tidings.vocabulary.event import Event
from tidings.vocabulary.topic import check_topic
from tidings.wire.event_rules import NUMBER_MAX, check_contents, check_names, check_numbers

TOPIC: Final = "$tidings"
"""Carriers are published on it, in both directions."""
EVENTS_MAX: Final = 1 << 16
"""Events of one carrier."""

_ENCODER: Final = msgspec.msgpack.Encoder()
_EVENTS: Final = msgspec.msgpack.Decoder(list[Event])
_TOPICS_REMEMBERED: Final = 4_096


def encode_event(event: Event) -> bytes:
    """One event of a row."""
    return _ENCODER.encode(event)


def join_events(encoded: Sequence[bytes]) -> bytes:
    """A carrier of these events."""
    return b"\xdd" + len(encoded).to_bytes(4, "big") + b"".join(encoded)


class CarrierReader:
    """Reads the carriers of one sender; remembers which of its topics are sound."""

    __slots__ = ("_topics",)

    def __init__(self) -> None:
        self._topics: set[str] = set()

    def read(self, payload: bytes) -> list[Event]:
        """The events of a carrier; PeerError for anything that no well-behaved sender puts into one."""
        try:
            events: list[Event] = _EVENTS.decode(payload)
            self._check_row(events)
        except (ValueError, msgspec.DecodeError, RecursionError) as problem:
            raise PeerError(f"a carrier with an event that cannot be taken: {_line(problem)}") from None
        return events

    def _check_row(self, events: Sequence[Event]) -> None:
        if len(events) > EVENTS_MAX:
            raise ValueError(f"{len(events)} events in one carrier, at most {EVENTS_MAX}")
        for event in events:
            self._check(event)

    def _check(self, event: Event) -> None:
        if event.topic not in self._topics:
            check_topic(event.topic)
            if len(self._topics) >= _TOPICS_REMEMBERED:
                self._topics.clear()
            self._topics.add(event.topic)
        if not 0 <= event.id <= NUMBER_MAX or not 0 <= event.published_ns <= event.expires_ns <= NUMBER_MAX:
            check_numbers(0, id=event.id, published_ns=event.published_ns, expires_ns=event.expires_ns)
            raise ValueError("an event that expires before it is published")
        check_numbers(0, incarnation=event.incarnation)
        check_names((event.publisher,))
        check_contents(event)


def _line(problem: Exception) -> str:
    text = "text must be valid Unicode" if isinstance(problem, UnicodeError) else str(problem)
    return "".join(character if character.isprintable() else "?" for character in text)[:200]
