"""The network of an order's endpoint, where the network is our own overlay: a plain client of a broker.

Messages travel as payload of events on names of their own, which the brokers treat like any others. They never expire: whether
an event on an ordered topic has is for the endpoint to say, or others would wait for its number.
"""

from functools import lru_cache
from typing import Final

from tidings.errors import PeerError
from tidings.sequencing import Message, Wishes, decoded, encoded
from tidings.sequencing.messages import Published, Requested
from tidings.vocabulary.event import NUMBER_BITS, Event, event_id
from tidings.vocabulary.machine import (
    Machine,
    PublishRequested,
    SubscribeRequested,
    UnsubscribeRequested,
)
from tidings.vocabulary.value import format_literal

_INCARNATION_BITS: Final = 10
_COUNT_BITS: Final = NUMBER_BITS - _INCARNATION_BITS


class OverlayPort:
    """Turns wishes of endpoints into requests to a client, and events that it is shown into messages."""

    def __init__(self, client: Machine, name: str, index: int, incarnation: int = 0) -> None:
        """`index`: of an identity that nobody else publishes under."""
        self._client, self._name = client, name
        self._first = event_id(index, (incarnation & ((1 << _INCARNATION_BITS) - 1)) << _COUNT_BITS)
        self._sent = 0
        self._wishes: dict[str, int] = {}
        """By name, the number under which the broker knows that somebody listens on it."""
        self._wished = 0

    def fulfil(self, wishes: Wishes, now: int) -> None:
        """Listen, leave and tell."""
        for name in wishes.listen:
            if name not in self._wishes:
                self._wishes[name] = self._wished
                self._wished += 1
                self._client.receive(SubscribeRequested(self._wishes[name], _filter(name)), now)
        for name in wishes.leave:
            self._client.receive(UnsubscribeRequested(self._wishes.pop(name)), now)
        for name, message in wishes.tell:
            self._client.receive(PublishRequested(self._carrier(name, message, now)), now)

    def repeat(self, now: int) -> None:
        """Say again on which names somebody listens here: the broker may have forgotten it."""
        for name, number in self._wishes.items():
            self._client.receive(SubscribeRequested(number, _filter(name)), now)

    def _carrier(self, name: str, message: Message, now: int) -> Event:
        payload = encoded(message)
        about = message.event if isinstance(message, Requested | Published) else None
        self._sent += 1
        assert self._sent < 1 << _COUNT_BITS, "a process has sent more messages than there are numbers"
        return Event(
            id=self._first + self._sent - 1,
            publisher=self._name,
            topic=name,
            published_ns=now,
            attributes={},
            payload_bytes=len(payload) + (0 if about is None else about.payload_bytes - len(about.payload)),
            payload=payload,
            carried=b"" if about is None else about.id.to_bytes(8),
        )


def subject_of(carrier: Event) -> int | None:
    """The identity of the event that a carrier brings on; None where it is about none, or several."""
    return int.from_bytes(carrier.carried) if carrier.carried else None


def carried_by(carrier: Event) -> Message | None:
    """The message in a carrier; None for bytes that no endpoint sends."""
    return _message(carrier.payload)


# Subscribers of one process are often shown the very same carrier, one behind the other.
@lru_cache(maxsize=256)
def _message(payload: bytes) -> Message | None:
    try:
        return decoded(payload)
    except PeerError:
        return None


def _filter(name: str) -> str:
    """One wish for each name: many clients then have the same one, which brokers see once."""
    return f"topic == {format_literal(name)}"
