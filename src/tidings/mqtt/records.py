"""What the front writes down so that sessions survive a crash.

A session's *claim* on an event is the record that holds the event, by number, until the session has acknowledged it;
packets are kept with it, so that what is sent again is sent under the same identifier. A *packet* is its identifier,
and SECOND_QUALITY besides where it is of quality 2.
"""

from typing import Final, TypeAlias

import msgspec

from tidings.errors import LogCorrupt
from tidings.mqtt.subscriptions import Subscription
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import FOREVER
from tidings.wire.mqtt_packets import Will

SECOND_QUALITY: Final = 1 << 16


class Taken(msgspec.Struct, frozen=True, array_like=True, tag="taken", forbid_unknown_fields=True):
    """An event, and the sessions that must get it: each with the packet that it was sent in, or 0."""

    event: Event
    claims: tuple[tuple[int, int], ...]


class Sent(msgspec.Struct, frozen=True, array_like=True, tag="sent", forbid_unknown_fields=True):
    """A session was sent events that had waited for it."""

    session: int
    packet: int
    numbers: tuple[int, ...]


class Dropped(msgspec.Struct, frozen=True, array_like=True, tag="dropped", forbid_unknown_fields=True):
    """A session is not owed these events any more: expired, forbidden, no longer wanted, or no longer there."""

    session: int
    numbers: tuple[int, ...]


class Acknowledged(msgspec.Struct, frozen=True, array_like=True, tag="acknowledged", forbid_unknown_fields=True):
    """A session has what was sent under this identifier; `half`: of quality 2, and the identifier is still in use."""

    session: int
    packet_id: int
    half: bool


class Received(msgspec.Struct, frozen=True, array_like=True, tag="received", forbid_unknown_fields=True):
    """A message of quality 2 was taken in from a session; `over`: and the session has forgotten its identifier."""

    session: int
    packet_id: int
    over: bool


class SessionHead(msgspec.Struct, frozen=True, array_like=True, tag="session", forbid_unknown_fields=True):
    """A session that outlives its connection, as it is now."""

    session: int
    name: str
    principal: str
    client_id: str
    expiry_ns: int
    index: int
    """Of the publisher that it is."""
    will: Will | None


class Subscribed(msgspec.Struct, frozen=True, array_like=True, tag="subscribed", forbid_unknown_fields=True):
    """A session wants something."""

    session: int
    subscription: Subscription


class Unsubscribed(msgspec.Struct, frozen=True, array_like=True, tag="unsubscribed", forbid_unknown_fields=True):
    """A session no longer wants something."""

    session: int
    pattern: str


class SessionOver(msgspec.Struct, frozen=True, array_like=True, tag="over", forbid_unknown_fields=True):
    """A session has ended, with everything that it was owed."""

    session: int


class RetainedSet(msgspec.Struct, frozen=True, array_like=True, tag="retained", forbid_unknown_fields=True):
    """The last message of a topic; without payload: there is none."""

    event: Event


class FromBroker(msgspec.Struct, frozen=True, array_like=True, tag="broker", forbid_unknown_fields=True):
    """Records of the broker machine; `anew`: in place of all its earlier ones."""

    records: tuple[bytes, ...]
    anew: bool


class Queues(msgspec.Struct, frozen=True, array_like=True, tag="queues", forbid_unknown_fields=True):
    """In a checkpoint: what a session is owed, and how far it is."""

    session: int
    count: int
    """Of the events that it published itself."""
    flights: tuple[tuple[int, bool, tuple[int, ...]], ...]
    """Packet, half acknowledged, records."""
    received: tuple[int, ...]
    waiting: tuple[tuple[int, int], ...]
    """Records, as first numbers and lengths of rows."""


class Reserved(msgspec.Struct, frozen=True, array_like=True, tag="reserved", forbid_unknown_fields=True):
    """Publishers' indices below this one may be in use."""

    indices: int


class Seen(msgspec.Struct, frozen=True, array_like=True, tag="seen", forbid_unknown_fields=True):
    """In a checkpoint: events that were stored lately, and are not to be taken again."""

    events: tuple[int, ...]


AnyRecord: TypeAlias = (
    Taken
    | Sent
    | Dropped
    | Acknowledged
    | Received
    | SessionHead
    | Subscribed
    | Unsubscribed
    | SessionOver
    | RetainedSet
    | FromBroker
    | Queues
    | Reserved
    | Seen
)

_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(AnyRecord)
_TAKEN: Final = msgspec.msgpack.Decoder(Taken)


def write_record(record: AnyRecord) -> bytes:
    """The bytes of a record."""
    return _ENCODER.encode(record)


def read_record(data: bytes, place: int = 0) -> AnyRecord:
    """The record in these bytes; LogCorrupt for what no front wrote."""
    try:
        record: AnyRecord = _DECODER.decode(data)
    except (msgspec.DecodeError, ValueError) as problem:
        raise LogCorrupt("a broker's sessions", place, place) from problem
    return record


def read_event(data: bytes, shift_ns: int) -> Event:
    """The event in the bytes of a `Taken`, its instants shifted."""
    return shifted(_TAKEN.decode(data).event, shift_ns)


def shifted(event: Event, shift_ns: int) -> Event:
    """`event` by another clock; what never expires still never does."""
    if not shift_ns:
        return event
    expires_ns = event.expires_ns if event.expires_ns == FOREVER else max(0, event.expires_ns + shift_ns)
    return msgspec.structs.replace(event, published_ns=max(0, event.published_ns + shift_ns), expires_ns=expires_ns)


def rows_of(numbers: list[int]) -> tuple[tuple[int, int], ...]:
    """Ascending numbers as first numbers and lengths of rows without gaps."""
    rows: list[tuple[int, int]] = []
    for number in numbers:
        if rows and number == rows[-1][0] + rows[-1][1]:
            rows[-1] = (rows[-1][0], rows[-1][1] + 1)
        else:
            rows.append((number, 1))
    return tuple(rows)


def numbers_in(rows: tuple[tuple[int, int], ...]) -> list[int]:
    """The numbers of such rows."""
    return [number for first, length in rows for number in range(first, first + length)]
