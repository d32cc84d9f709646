"""The event: what a publisher says once and subscribers are shown."""

from collections.abc import Mapping
from typing import Final

import msgspec

from tidings.vocabulary.instant import FOREVER
from tidings.vocabulary.value import Value

NUMBER_BITS: Final = 40
CARRIED_BYTES_MAX: Final = 1 << 16
NUMBERS_MAX: Final = 1 << NUMBER_BITS


class Event(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """One event. `id` joins the publisher's index and its number; instants count from the start of the run."""

    id: int
    publisher: str
    topic: str
    published_ns: int
    attributes: Mapping[str, Value]
    """Never contains `topic`, which is reserved for the topic itself."""
    expires_ns: int = FOREVER
    incarnation: int = 0
    payload_bytes: int = 0
    payload: bytes = b""
    carried: bytes = b""
    """What the face through which it came wants handed on unread, at most CARRIED_BYTES_MAX."""

    def expired(self, now: int) -> bool:
        """True after the lifetime; at its last instant an event is still alive."""
        return now > self.expires_ns


def event_id(publisher_index: int, number: int) -> int:
    """The identity that the log tables use: publisher index × 2⁴⁰ + number."""
    return (publisher_index << NUMBER_BITS) | number


def split_event_id(identity: int) -> tuple[int, int]:
    """Publisher index and number of an event's identity."""
    return identity >> NUMBER_BITS, identity & (NUMBERS_MAX - 1)
