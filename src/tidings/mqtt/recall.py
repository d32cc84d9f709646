"""What outlives a process: sessions, retained messages and the broker machine's records, read back and written anew."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from tidings.mqtt import records as kinds
from tidings.mqtt.house import House
from tidings.mqtt.outgoing import PACKET_ID_MAX, Flight
from tidings.mqtt.publishing import COUNTS, Identities
from tidings.mqtt.records import SECOND_QUALITY, AnyRecord, SessionHead, numbers_in, read_record, rows_of, shifted
from tidings.mqtt.session import Identity, Session
from tidings.mqtt.sessions import head_of
from tidings.mqtt.subscriptions import Subscription
from tidings.vocabulary.event import Event


@dataclass(slots=True)
class Kept:
    """One session as the records tell it."""

    head: SessionHead
    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    flights: dict[int, tuple[bool, list[int]]] = field(default_factory=dict)
    """By packet: half acknowledged, records."""
    received: dict[int, None] = field(default_factory=dict)
    waiting: dict[int, None] = field(default_factory=dict)
    count: int = 0
    """Of the events that it has numbered itself."""


class Recall:
    """Reads the records of an earlier life, in their order."""

    def __init__(self, shift_ns: int = 0) -> None:
        """`shift_ns`: what to add to instants, should the machine have been started again since."""
        self._shift_ns = shift_ns
        self.sessions: dict[int, Kept] = {}
        self.retained: dict[str, Event] = {}
        self.broker: list[bytes] = []
        self.seen: dict[int, None] = {}
        self.indices = 0
        self._by_name: dict[str, Kept] = {}
        self._number = 0

    def checkpoint(self, data: Sequence[bytes]) -> None:
        """What an earlier life wrote all at once."""
        for place, one in enumerate(data):
            self._take(read_record(one, place))

    def records(self, data: Sequence[bytes], first: int) -> None:
        """What it wrote afterwards, numbered from `first`."""
        for self._number, one in enumerate(data, first):
            self._take(read_record(one, self._number))

    def _take(self, record: AnyRecord) -> None:
        """A record about a session that has ended meanwhile says nothing any more."""
        action = _ABOUT_SESSIONS.get(type(record))
        if action is None:
            self._ACTIONS[type(record)](self, record)
        elif (kept := self.sessions.get(record.session)) is not None:  # type: ignore[union-attr] # only those have one
            action(kept, record)

    def _taken(self, record: kinds.Taken) -> None:
        event = record.event
        self.seen[event.id] = None
        for number, packet in record.claims:
            if (kept := self.sessions.get(number)) is not None:
                _owe(kept, packet, (self._number,))
        publisher = self._by_name.get(event.publisher)
        if publisher is not None and Identities.index_of(event.id) == Identities.wrapped(publisher.head.index):
            publisher.count = max(publisher.count, event.id % COUNTS + 1)

    def _head(self, record: SessionHead) -> None:
        kept = self.sessions.get(record.session)
        if kept is None:
            self.sessions[record.session] = self._by_name[record.name] = Kept(record)
        else:
            kept.head = record

    def _over(self, record: kinds.SessionOver) -> None:
        kept = self.sessions.pop(record.session, None)
        if kept is not None and self._by_name[kept.head.name] is kept:
            del self._by_name[kept.head.name]

    def _retained(self, record: kinds.RetainedSet) -> None:
        event = shifted(record.event, self._shift_ns)
        self.retained.pop(event.topic, None)
        if event.payload:
            self.retained[event.topic] = event

    def _broker(self, record: kinds.FromBroker) -> None:
        if record.anew:
            self.broker.clear()
        self.broker += record.records

    def _reserved(self, record: kinds.Reserved) -> None:
        self.indices = max(self.indices, record.indices)

    def _seen(self, record: kinds.Seen) -> None:
        self.seen.update(dict.fromkeys(record.events))

    _ACTIONS: ClassVar[dict[type, Callable[["Recall", Any], None]]] = {
        kinds.Taken: _taken,
        kinds.SessionHead: _head,
        kinds.SessionOver: _over,
        kinds.RetainedSet: _retained,
        kinds.FromBroker: _broker,
        kinds.Reserved: _reserved,
        kinds.Seen: _seen,
    }
    """What each record changes."""


def _owe(kept: Kept, packet: int, numbers: Iterable[int]) -> None:
    if packet:
        kept.flights.setdefault(packet, (False, []))[1].extend(numbers)
    else:
        kept.waiting.update(dict.fromkeys(numbers))


def _sent(kept: Kept, record: kinds.Sent) -> None:
    for number in record.numbers:
        kept.waiting.pop(number, None)
    _owe(kept, record.packet, record.numbers)


def _dropped(kept: Kept, record: kinds.Dropped) -> None:
    for number in record.numbers:
        kept.waiting.pop(number, None)


def _acknowledged(kept: Kept, record: kinds.Acknowledged) -> None:
    second = record.packet_id | SECOND_QUALITY
    if record.half:
        kept.flights[second] = (True, [])
    else:
        kept.flights.pop(record.packet_id, None)
        kept.flights.pop(second, None)


def _received(kept: Kept, record: kinds.Received) -> None:
    if record.over:
        kept.received.pop(record.packet_id, None)
    else:
        kept.received[record.packet_id] = None


def _queues(kept: Kept, record: kinds.Queues) -> None:
    kept.count = record.count
    kept.flights = {packet: (half, list(numbers)) for packet, half, numbers in record.flights}
    kept.received = dict.fromkeys(record.received)
    kept.waiting = dict.fromkeys(numbers_in(record.waiting))


def _subscribed(kept: Kept, record: kinds.Subscribed) -> None:
    kept.subscriptions[record.subscription.pattern] = record.subscription


def _unsubscribed(kept: Kept, record: kinds.Unsubscribed) -> None:
    kept.subscriptions.pop(record.pattern, None)


_ABOUT_SESSIONS: Final[dict[type, Callable[[Kept, Any], None]]] = {
    kinds.Subscribed: _subscribed,
    kinds.Unsubscribed: _unsubscribed,
    kinds.Sent: _sent,
    kinds.Dropped: _dropped,
    kinds.Acknowledged: _acknowledged,
    kinds.Received: _received,
    kinds.Queues: _queues,
}
"""What each record about one session changes."""


def revive(kept: Kept, house: House) -> Session:
    """The session that records tell of."""
    head = kept.head
    identity = Identity(
        head.session,
        head.name,
        head.principal,
        head.client_id,
        head.index,
        head.expiry_ns,
        durable=True,
        will=head.will,
    )
    identity.count = kept.count
    session = Session(identity, house)
    for one in kept.subscriptions.values():
        session.subscriptions.put(one)
    session.received = kept.received
    for packet, (half, numbers) in kept.flights.items():
        flight = Flight(list(numbers), 2 if packet & SECOND_QUALITY else 1)
        flight.half = half
        session.outgoing.restore(packet & PACKET_ID_MAX, flight)
    for number in kept.waiting:
        session.outgoing.wait(number)
    return session


def session_records(session: Session) -> Iterator[AnyRecord]:
    """All that is to be known of a durable session."""
    identity, out = session.identity, session.outgoing
    yield head_of(session)
    for one in session.subscriptions:
        yield kinds.Subscribed(identity.number, one)
    flights = tuple(
        (
            packet_id | SECOND_QUALITY * (flight.qos == 2),
            flight.half,
            tuple(entry for entry in flight.entries if isinstance(entry, int)),
        )
        for packet_id, flight in out.flights.items()
    )
    waiting = rows_of([entry for entry in out.waiting if isinstance(entry, int)])
    yield kinds.Queues(identity.number, identity.count, flights, tuple(session.received), waiting)
