"""Taking events in: from packets, from carriers, from wills; and telling their publishers when they are taken."""

from collections.abc import Sequence
from typing import Final

import msgspec

from tidings.errors import PacketRefused, PeerError
from tidings.mqtt.house import House
from tidings.mqtt.link import Due, Link
from tidings.mqtt.publication import BARE, QOS, RELIABLE, RETAIN, Facts, event_of, is_retained
from tidings.mqtt.records import Received, RetainedSet
from tidings.mqtt.session import Session
from tidings.vocabulary import frames
from tidings.vocabulary.event import Event
from tidings.wire.carriers import CarrierReader
from tidings.wire.mqtt_packets import NO_PROPERTIES, Properties, Puback, Pubcomp, Publish, Pubrec, Will
from tidings.wire.mqtt_reasons import Reason

COUNT_BITS: Final = 32
INDEX_BITS: Final = 21
REFUSED: Final = "refused"
"""User property of a carrier's acknowledgement: an event that was not taken, and MQTT's reason."""
REFUSED_MAX: Final = 200
COUNTS: Final = 1 << COUNT_BITS


class Identities:
    """Gives out the identities of events: broker, publisher, count."""

    def __init__(self, broker: int, first_index: int) -> None:
        self._broker = broker << INDEX_BITS + COUNT_BITS
        self.indices = first_index
        """Every publisher so far has an index below this."""
        self._base = self._count = 0
        self.begin()

    def begin(self) -> None:
        """Count on under an index that nobody has had lately."""
        self._base, self._count = self.base(self.next_index()), 0

    def next_index(self) -> int:
        """An index for one more publisher."""
        self.indices += 1
        return self.indices - 1

    def base(self, index: int) -> int:
        """The identity of a publisher's event number 0."""
        return self._broker | self.wrapped(index) << COUNT_BITS

    def next(self) -> int:
        """The identity of an event that its publisher does not count."""
        if self._count == COUNTS:
            self.begin()
        self._count += 1
        return self._base | self._count - 1

    @staticmethod
    def wrapped(index: int) -> int:
        """An index as it stands in identities: after two million publishers they come round again."""
        return index % (1 << INDEX_BITS)

    @staticmethod
    def index_of(identity: int) -> int:
        """The index in an identity."""
        return identity >> COUNT_BITS & (1 << INDEX_BITS) - 1


class Publishing:
    """One front's."""

    def __init__(self, house: House, identities: Identities) -> None:
        self.house, self.identities = house, identities
        self._due: dict[int, tuple[Link, Due]] = {}
        """Acknowledgements by an event that they wait for."""

    # ---- packets

    def publish(self, session: Session, link: Link, packet: Publish, topic: str) -> None:
        """Take a message of a client, whose topic alias is resolved; PacketRefused ends the connection."""
        link.published += 1
        if packet.qos == 2 and packet.packet_id in session.received:
            self._answer(link, Pubrec(packet_id=packet.packet_id))
            return
        try:
            event = self._event(session, packet, topic)
        except PacketRefused as refusal:
            self.house.counts.refused += 1
            if packet.qos:
                properties = Properties(reason_text=str(refusal))
                kind = Puback if packet.qos == 1 else Pubrec
                self._answer(link, kind(packet_id=packet.packet_id, reason=refusal.reason, properties=properties))
            return
        if packet.qos == 2:
            self._receive(session, packet.packet_id)
            self._wait(link, Pubrec(packet_id=packet.packet_id), (event,))
        elif packet.qos == 1:
            self._wait(link, Puback(packet_id=packet.packet_id), (event,))
        self.take(session.name, event)

    def release(self, session: Session, link: Link, packet_id: int) -> None:
        """The client has forgotten the identifier of a message of quality 2."""
        known = packet_id in session.received
        if known:
            del session.received[packet_id]
            if session.identity.durable:
                self.house.ledger.note(Received(session.identity.number, packet_id, over=True))
        link.say(Pubcomp(packet_id=packet_id, reason=0 if known else Reason.PACKET_IDENTIFIER_NOT_FOUND))

    def carrier(self, session: Session, link: Link, packet: Publish, reader: CarrierReader) -> None:
        """Take a row of events that the client has numbered itself; PacketRefused ends the connection."""
        if packet.qos == 2:
            raise PacketRefused(
                Reason.PROTOCOL_ERROR, "a carrier of quality 2: its events have identities, 1 is enough"
            )
        try:
            events = reader.read(packet.payload)
        except PeerError as problem:
            raise PacketRefused(Reason.PAYLOAD_FORMAT_INVALID, str(problem)) from None
        link.published += len(events)
        refused: list[tuple[str, str]] = []
        new = self._new_events(session, events, packet.qos, refused)
        self.house.counts.refused += len(refused)
        if packet.qos:
            properties = Properties(user=tuple(refused)) if refused else NO_PROPERTIES
            self._wait(link, Puback(packet_id=packet.packet_id, properties=properties), new)
        for event in new:
            self.take(session.name, event)

    def will(self, session: Session, will: Will) -> None:
        """Publish what a client has left behind, if it may still be published."""
        packet = Publish(
            topic=will.topic, payload=will.payload, qos=will.qos, retain=will.retain, properties=will.properties
        )
        try:
            event = self._event(session, packet, will.topic)
        except PacketRefused:
            self.house.counts.refused += 1
        else:
            self.take(session.name, event)

    # ---- all ways

    def take(self, name: str, event: Event) -> None:
        """Let the broker machine have an event."""
        self.house.counts.published += 1
        if is_retained(event):
            self.retain(event)
        self.house.events.append(event)
        self.house.say(name, frames.Publish(event))

    def retain(self, event: Event) -> None:
        """Keep an event as the last of its topic."""
        self.house.retained.put(event)
        if self.house.options.durable:
            self.house.ledger.note(RetainedSet(event))

    def accepted(self, event_id: int) -> None:
        """The broker machine has taken an event."""
        found = self._due.pop(event_id, None)
        if found is not None:
            link, due = found
            due.pending -= 1
            if not due.pending:
                link.acknowledge()

    def forget(self, link: Link) -> None:
        """A connection is gone: nobody waits for its acknowledgements any more."""
        link.acknowledgements.clear()
        self._due = {event_id: one for event_id, one in self._due.items() if one[0] is not link}

    @property
    def unanswered(self) -> int:
        """Events whose publishers wait."""
        return len(self._due)

    def _event(self, session: Session, packet: Publish, topic: str) -> Event:
        """What a message means; PacketRefused when it may not be published, or means nothing."""
        house = self.house
        if not house.rights_of(session.identity.principal).may_publish(topic):
            raise PacketRefused(Reason.NOT_AUTHORIZED, "no right to publish on this topic")
        if len(packet.payload) > house.limits.payload_bytes_max:
            raise PacketRefused(
                Reason.PACKET_TOO_LARGE,
                f"a payload of {len(packet.payload)} bytes, at most {house.limits.payload_bytes_max} are taken",
            )
        event = event_of(packet, Facts(self.identities.next(), session.name, topic, house.now, house.options.json))
        if packet.retain and packet.payload:
            self._check_retained(event)
        return event

    def _check_retained(self, event: Event) -> None:
        retained, limits = self.house.retained, self.house.limits
        full = retained.count >= limits.retained_max and retained.get(event.topic) is None
        if full or retained.payload_bytes + len(event.payload) > limits.retained_bytes_max:
            raise PacketRefused(Reason.QUOTA_EXCEEDED, "no room for more retained messages")

    def _new_events(
        self, session: Session, events: list[Event], qos: int, refused: list[tuple[str, str]]
    ) -> list[Event]:
        """The events of a carrier that were not taken before and may be; PacketRefused when one is not the client's own."""
        identity, now = session.identity, self.house.now
        base, count = self.identities.base(identity.index), identity.count
        rights, allowed = self.house.rights_of(identity.principal), dict[str, bool]()
        new: list[Event] = []
        for event in events:
            _check_own(event, session.name, event.id - base, qos)
            if event.id - base < count:
                continue
            count = event.id - base + 1
            may = allowed.get(event.topic)
            if may is None:
                may = allowed[event.topic] = rights.may_publish(event.topic)
            problem = self._problem(event) if may else Reason.NOT_AUTHORIZED
            if problem:
                refused.append((REFUSED, f"{event.id} {problem}"))
            else:
                new.append(event if event.published_ns <= now else msgspec.structs.replace(event, published_ns=now))
        if len(refused) > REFUSED_MAX:
            raise PacketRefused(Reason.NOT_AUTHORIZED, f"{len(refused)} events in one carrier that are not taken")
        identity.count = count
        return new

    def _problem(self, event: Event) -> int:
        """Why an event of a carrier is not taken; 0 when it is."""
        if event.payload_bytes > self.house.limits.payload_bytes_max:
            return Reason.PACKET_TOO_LARGE
        if is_retained(event):
            try:
                self._check_retained(event)
            except PacketRefused as refusal:
                return refusal.reason
        return 0

    def _receive(self, session: Session, packet_id: int) -> None:
        session.received[packet_id] = None
        if session.identity.durable:
            self.house.ledger.note(Received(session.identity.number, packet_id, over=False))

    def _wait(self, link: Link, packet: Puback | Pubrec, events: Sequence[Event]) -> None:
        """Acknowledge when the broker machine has taken all of these, and not before what was published earlier."""
        due = Due(packet, len(events))
        link.acknowledgements.append(due)
        for event in events:
            self._due[event.id] = link, due
        if not events:
            link.acknowledge()

    def _answer(self, link: Link, packet: Puback | Pubrec) -> None:
        self._wait(link, packet, ())


def _check_own(event: Event, name: str, count: int, qos: int) -> None:
    if event.publisher != name or not 0 <= count < COUNTS:
        raise PacketRefused(Reason.PROTOCOL_ERROR, "an event under the name or the number of another publisher")
    flags = event.carried[0] if event.carried else RELIABLE | BARE
    if flags & QOS != qos or flags & ~(QOS | RETAIN | BARE) or not flags & BARE or len(event.carried) > 1:
        raise PacketRefused(Reason.PROTOCOL_ERROR, "an event of another quality than its carrier")
