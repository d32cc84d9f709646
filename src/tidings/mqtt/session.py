"""One session: what a client wants, what it is owed, and what it has sent and not finished; with a connection or without.

An event that the session must get is *claimed*: it stays on disk until the client has acknowledged it. Rights and
subscriptions are looked at when an event is sent, each time, so that what waited is judged by what holds now.
"""

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tidings.mqtt.ledger import Ledger
from tidings.mqtt.limits import EVENTS_IN_FLIGHT_MAX, FETCHED_AT_ONCE, TOPICS_REMEMBERED, Limits
from tidings.mqtt.link import Link, rows_of_bytes
from tidings.mqtt.outgoing import Entry, Flight, Outgoing
from tidings.mqtt.parcel import Parcel
from tidings.mqtt.publication import is_kept
from tidings.mqtt.records import SECOND_QUALITY, Acknowledged, Dropped, Sent
from tidings.mqtt.rights import Rights
from tidings.mqtt.subscriptions import Grant, Subscriptions
from tidings.vocabulary.event import Event
from tidings.wire.mqtt_encode import publish_first
from tidings.wire.mqtt_packets import Pubrel, Will


class House(Protocol):
    """What a session needs of the broker that it is at."""

    ledger: Ledger
    limits: Limits
    now: int

    def rights_of(self, principal: str) -> Rights:
        """What a principal may do, as of now."""

    def give_up(self, event: Event, name: str, reason: str) -> None:
        """An event is not shown to a client that had wanted it."""

    def touch(self, session: "Session") -> None:
        """The session has something to send, or to be read, when the turn ends."""

    def overflowing(self, session: "Session") -> None:
        """More waits in memory for the session's connection than it may."""


@dataclass(slots=True)
class Identity:
    """Who a session belongs to, and how it is known."""

    number: int
    """Of the session, in records."""
    name: str
    """Of the client, to the broker machine and in events."""
    principal: str
    client_id: str
    index: int
    """Of the publisher, in the identities of its events."""
    expiry_ns: int = 0
    """How long it outlives its connection."""
    durable: bool = False
    """Whether it outlives the process."""
    will: Will | None = field(default=None)
    count: int = 0
    """Events that it has numbered itself, so far."""


class Session:
    """The state of one client at one broker."""

    def __init__(self, identity: Identity, house: House) -> None:
        self.identity, self.house = identity, house
        self.subscriptions = Subscriptions()
        self.outgoing = Outgoing()
        self.received: dict[int, None] = {}
        """Identifiers of messages of quality 2 that were taken in and whose sender still uses them."""
        self.link: Link | None = None
        self._allowed: dict[str, bool] = {}
        self._row: list[tuple[Parcel, Entry, list[int] | None]] = []
        """Events for the next carriers."""
        self._again: deque[int] = deque()
        """Flights that are to be sent once more, before anything else."""
        self._reading = False
        self._given_up: list[int] = []
        """Records that the session claims no more, in this turn."""

    @property
    def name(self) -> str:
        """The client, to the broker machine."""
        return self.identity.name

    # ---- what comes from the broker

    def offer(self, parcel: Parcel) -> None:
        """An event that the session wants: send it, or keep it until it can be sent."""
        topic = parcel.event.topic
        if not (self._allowed.get(topic) or self._may_receive(topic)):
            return
        grant = self.subscriptions.sole or self.subscriptions.grant(parcel.event, self.name)
        if grant is not None:
            self._give(parcel, grant)

    def offer_retained(self, parcel: Parcel, grant: Grant) -> None:
        """A retained message, to a subscription that is new."""
        if self._may_receive(parcel.event.topic):
            self._give(parcel, grant)

    def _give(self, parcel: Parcel, grant: Grant) -> None:
        if not grant.qos or not parcel.qos:
            if self.link is not None and not self.link.put(parcel, grant):
                self.house.give_up(parcel.event, self.name, "size")
            return
        claim = self.house.ledger.claim(parcel, self.identity.number) if self.identity.durable else None
        entry: Entry = parcel.event if claim is None or parcel.number is None else parcel.number
        out = self.outgoing
        if self.link is None or out.waiting or self._again or not out.is_open:
            self._wait(entry)
        elif self.link.carries:
            if not self._row:
                self.house.touch(self)
            self._row.append((parcel, entry, claim))
        else:
            packet = self._send(parcel, entry, grant)
            if claim is not None:
                claim[1] = packet

    def _wait(self, entry: Entry) -> None:
        out, limits = self.outgoing, self.house.limits
        out.wait(entry)
        if out.waiting_bytes > limits.waiting_bytes_max and self.link is not None:
            self.house.overflowing(self)
        while out.waiting_bytes > limits.waiting_bytes_max or len(out.waiting) > limits.waiting_events_max:
            self._drop(out.next_up(), "queue")

    def _send(self, parcel: Parcel, entry: Entry, grant: Grant) -> int:
        """Send an event for which the window is open; gives the packet, 0 when the client takes none of its size."""
        assert self.link is not None
        qos = min(grant.qos, parcel.qos)
        packet_id = self.outgoing.send([entry], qos)
        if self.link.send(parcel, grant, _first(parcel, grant, qos), packet_id):
            return packet_id | SECOND_QUALITY * (qos == 2)
        self.outgoing.land(packet_id, qos)
        self._drop(entry, "size", parcel.event)
        return 0

    def flush(self) -> None:
        """Send the carriers of this turn, as far as the window goes, and write down what was given up in it."""
        row, self._row = self._row, []
        while row and self.link is not None and (room := self._room()):
            raws = rows_of_bytes([parcel.raw for parcel, _, _ in row[:room]])[0]
            some, row = row[: len(raws)], row[len(raws) :]
            packet_id = self.outgoing.send([entry for _, entry, _ in some], 1)
            self.link.carry(raws, publish_first(1), packet_id)
            for _, _, claim in some:
                if claim is not None:
                    claim[1] = packet_id
            self._note_sent(packet_id, [entry for _, entry, claim in some if claim is None])
        self.outgoing.wait_first([entry for _, entry, _ in row])
        if self._given_up:
            self.house.ledger.note(Dropped(self.identity.number, tuple(self._given_up)))
            self._given_up.clear()

    def _room(self) -> int:
        """Events that may be sent now in one carrier."""
        return max(0, EVENTS_IN_FLIGHT_MAX - self.outgoing.events_in_flight) if self.outgoing.is_open else 0

    # ---- what the client acknowledges

    def acknowledged(self, packet_id: int, qos: int) -> bool:
        """The client has a message; False when none of this quality was sent under this identifier."""
        entries = self.outgoing.land(packet_id, qos)
        if entries is not None:
            self._done(packet_id, entries, half=False)
        return entries is not None

    def half_acknowledged(self, packet_id: int) -> bool:
        """The client has a message of quality 2, and is told that it may forget the identifier."""
        entries = self.outgoing.halve(packet_id)
        if entries is not None:
            self._done(packet_id, entries, half=True)
        return entries is not None

    def _done(self, packet_id: int, entries: Sequence[Entry], *, half: bool) -> None:
        if self.identity.durable:
            self.house.ledger.note(Acknowledged(self.identity.number, packet_id, half))
        for entry in entries:
            if isinstance(entry, int):
                self.house.ledger.release(entry)
        self.house.touch(self)

    # ---- connections

    def attach(self, link: Link, window: int) -> None:
        """A connection takes the session up: what was in flight is sent again, then what waits."""
        self.link, self.outgoing.window = link, window
        self._again = deque(self.outgoing.flights)
        self._row = []
        self.house.touch(self)

    def detach(self) -> None:
        """The connection is gone; what was to be sent in this turn is in flight or waits."""
        self.flush()
        self.link = None
        self._again.clear()

    def forget_rights(self) -> None:
        """Rights may have changed: ask anew."""
        self._allowed.clear()

    def _may_receive(self, topic: str) -> bool:
        known = self._allowed.get(topic)
        if known is None:
            if len(self._allowed) >= TOPICS_REMEMBERED:
                self._allowed.clear()
            known = self._allowed[topic] = self.house.rights_of(self.identity.principal).may_receive(topic)
        return known

    # ---- what waits

    def wanted(self) -> list[int]:
        """Records to be read so that sending can go on; what needs none is sent at once. Ask again after `found`."""
        if self.link is None or self._reading:
            return []
        numbers = self._numbers_again() or self._numbers_waiting()
        self._reading = bool(numbers)
        return numbers

    def found(self, numbers: Sequence[int], events: Mapping[int, Event]) -> None:
        """These were read; those that are not among `events` are gone for good."""
        self._reading, asked = False, set(numbers)
        out = self.outgoing
        if self.link is None:
            return
        if self._again:
            self._send_again(events, asked)
        else:
            while out.waiting and out.is_open and isinstance(one := out.waiting[0], int) and one in asked:
                self._send_waiting(events)
        self.house.touch(self)

    def _numbers_again(self) -> list[int]:
        """The records of the next flights that are to be sent once more; flights without any are sent here."""
        flights, numbers = self.outgoing.flights, list[int]()
        for packet_id in list(self._again):
            flight = flights.get(packet_id)
            entries = [] if flight is None else flight.entries
            if numbers and len(numbers) + len(entries) > FETCHED_AT_ONCE:
                break
            numbers += [entry for entry in entries if isinstance(entry, int)]
            if not numbers:
                self._send_again({}, frozenset())
        return numbers

    def _send_again(self, events: Mapping[int, Event], read: Collection[int]) -> None:
        """Send flights once more, in their order, as far as their records were read."""
        while self._again:
            flight = self.outgoing.flights.get(self._again[0])
            entries = [] if flight is None else flight.entries
            if any(isinstance(entry, int) and entry not in read for entry in entries):
                return
            packet_id = self._again.popleft()
            if flight is not None:
                self._repeat(packet_id, flight, [events.get(one) if isinstance(one, int) else one for one in entries])

    def _repeat(self, packet_id: int, flight: Flight, events: list[Event | None]) -> None:
        assert self.link is not None
        if flight.half:
            self.link.say(Pubrel(packet_id=packet_id))
            return
        parcels = [Parcel(event, self.house.now) for event in events if event is not None and self._is_due(event)]
        if self.link.carries:
            self.link.carry([parcel.raw for parcel in parcels], publish_first(flight.qos, duplicate=True), packet_id)
            return
        for parcel in parcels:
            grant = self.subscriptions.grant(parcel.event, self.name)
            if grant is not None:
                first = _first(parcel, grant, flight.qos, duplicate=True)
                if self.link.send(parcel, grant, first, packet_id):
                    return
        for event in events:
            if event is not None:
                self.house.give_up(event, self.name, _reason(event, self.house.now))
        self.acknowledged(packet_id, flight.qos)

    def _numbers_waiting(self) -> list[int]:
        """The records of what may be sent next; events that are in memory are sent here."""
        out, numbers = self.outgoing, list[int]()
        while out.waiting and isinstance(out.waiting[0], Event) and out.is_open:
            self._send_waiting({})
        assert self.link is not None
        room = min(self._room() if self.link.carries else out.window - len(out.flights), FETCHED_AT_ONCE)
        for entry in out.waiting:
            if len(numbers) >= room or not isinstance(entry, int):
                break
            numbers.append(entry)
        return numbers

    def _send_waiting(self, events: Mapping[int, Event]) -> None:
        """Send the first that waits, if it is still to be sent."""
        entry = self.outgoing.next_up()
        event = events.get(entry) if isinstance(entry, int) else entry
        if event is None:
            self._drop(entry, "gone")
            return
        grant = self.subscriptions.grant(event, self.name) if self._is_due(event) else None
        if grant is None or not grant.qos:
            self._drop(entry, _reason(event, self.house.now), event)
            return
        parcel = Parcel(event, self.house.now)
        assert self.link is not None
        if self.link.carries:
            self._row.append((parcel, entry, None))
        else:
            self._note_sent(self._send(parcel, entry, grant), [entry])

    def _note_sent(self, packet: int, entries: Sequence[Entry]) -> None:
        numbers = tuple(entry for entry in entries if isinstance(entry, int))
        if packet and numbers:
            self.house.ledger.note(Sent(self.identity.number, packet, numbers))

    def _is_due(self, event: Event) -> bool:
        return not event.expired(self.house.now) and self._may_receive(event.topic)

    def _drop(self, entry: Entry, reason: str, event: Event | None = None) -> None:
        """Give an entry up for this session."""
        if isinstance(entry, int):
            self._given_up.append(entry)
            self.house.ledger.release(entry)
            self.house.touch(self)
        given_up = entry if isinstance(entry, Event) else event
        if given_up is not None:
            self.house.give_up(given_up, self.name, reason)


def _first(parcel: Parcel, grant: Grant, qos: int, *, duplicate: bool = False) -> int:
    """The first byte of a PUBLISH to one session."""
    retain = parcel.retain and (grant.as_published or is_kept(parcel.event))
    return publish_first(qos, retain=retain, duplicate=duplicate)


def _reason(event: Event, now: int) -> str:
    """Why an event is not sent that was wanted once."""
    return "expired" if event.expired(now) else "gone"
