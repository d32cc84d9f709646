"""What the application has published: it waits, it is in flight, it is over; across connections and sessions.

Everything goes out in the order asked for. What was in flight when a connection broke goes out again first: under its old
identifiers where the broker still has the session, which recognises it by them; as new publications where it has not,
which may then arrive a second time, because nobody knows whether the first was taken.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

from tidings.errors import RequestRefused
from tidings.mqtt.publication import LIFETIME
from tidings.mqtt_client.notices import Answer
from tidings.mqtt_client.options import ClientOptions
from tidings.mqtt_client.packet_ids import PacketIds
from tidings.mqtt_client.publication import Pending, Publication
from tidings.mqtt_client.terms import Carrying, Terms
from tidings.mqtt_client.writers import Flight, PacketWriter, RowWriter
from tidings.vocabulary.instant import FOREVER
from tidings.wire.mqtt_encode import encode_packet
from tidings.wire.mqtt_packets import Puback, Pubrec, Pubrel
from tidings.wire.mqtt_reasons import FAILURE, Reason

REFUSED: Final = "refused"
"""User property of a carrier's acknowledgement: an event that was not taken, and MQTT's reason."""


class Outbox:
    """One client's."""

    def __init__(self, options: ClientOptions, ids: PacketIds) -> None:
        self._options, self._ids = options, ids
        self._waiting: deque[Pending] = deque()
        self._flights: dict[int, Flight] = {}
        """By packet identifier, in the order first sent."""
        self._again: deque[int] = deque()
        """Flights that are to be sent once more, on this connection, before anything else."""
        self._writer: PacketWriter | RowWriter | None = None
        """None: there is no connection."""
        self._terms = Terms()
        self._carried: Carrying | None = None
        self._next_number = 0
        self._scan_ns: int | None = None
        self.answers: list[Answer] = []
        self.events = self.bytes = 0
        """Of publications that are not over."""

    # ---- what the application wants

    def ask(self, publications: Sequence[Publication], ticket: int, now: int) -> None:
        """Publish these when it is their turn."""
        for one in publications:
            pending = Pending(one, ticket, now)
            self._waiting.append(pending)
            self.bytes += pending.size
            if pending.expires_ns < FOREVER:
                self._scan_by(max(pending.expires_ns, now) + 1)
        self.events += len(publications)

    @property
    def is_full(self) -> bool:
        """True when whoever publishes should wait."""
        return self.events >= self._options.waiting_events_max or self.bytes >= self._options.waiting_bytes_max

    # ---- connections

    def resume(self, terms: Terms) -> None:
        """The broker has let us in."""
        carrying = terms.carrying
        same = (
            carrying is None if self._carried is None else carrying is not None and carrying.base == self._carried.base
        )
        if not (terms.session_present and same):
            self._begin_anew()
        if carrying is None:
            self._writer = PacketWriter(terms)
        else:
            self._next_number = max(carrying.next_number, self._next_number if same and terms.session_present else 0)
            self._writer = RowWriter(terms, carrying)
        self._terms, self._carried = terms, carrying
        self._again = deque(self._flights)

    def pause(self) -> None:
        """The connection is gone."""
        self._writer = None
        self._again.clear()

    def _begin_anew(self) -> None:
        """The broker knows nothing of us: what it has not acknowledged waits again."""
        for packet_id, flight in reversed(self._flights.items()):
            self._ids.give_back(packet_id)
            self._waiting.extendleft(reversed(flight.pendings))
        self._flights.clear()

    # ---- sending

    def fill(self, now: int) -> list[bytes]:
        """All that may be sent now."""
        writer, out = self._writer, list[bytes]()
        if writer is None:
            return out
        window = min(self._options.in_flight_max, self._terms.receive_maximum)
        while self._again and len(self._flights) - len(self._again) < window:
            packet_id = self._again.popleft()
            out.append(self._repeated(packet_id, self._flights[packet_id], now))
        while self._waiting and not self._again:
            qos = self._waiting[0].publication.qos
            if self._waiting[0].expires_ns < now or self._unsuitable(self._waiting[0]) is not None:
                self._give_up(now)
                continue
            if isinstance(writer, RowWriter):
                qos = min(qos, 1)
            if qos and len(self._flights) >= window:
                break
            out.append(self._next(writer, qos, now))
        return out

    def _repeated(self, packet_id: int, flight: Flight, now: int) -> bytes:
        assert self._writer is not None
        if flight.half:
            return encode_packet(Pubrel(packet_id=packet_id))
        return self._writer.packet(flight, packet_id, now, duplicate=True)

    def _next(self, writer: PacketWriter | RowWriter, qos: int, now: int) -> bytes:
        flight = Flight(writer.cut(self._waiting, now), qos)
        if isinstance(writer, RowWriter):
            for pending in flight.pendings:
                pending.number, self._next_number = self._next_number, self._next_number + 1
        packet_id = self._ids.take() if qos else 0
        data = writer.packet(flight, packet_id, now)
        if len(data) > self._terms.packet_bytes_max:
            writer.unsaid(flight)
            self._ids.give_back(packet_id)
            sentence = f"the broker takes packets of {self._terms.packet_bytes_max} bytes at most"
            self._over(flight.pendings, RequestRefused(Reason.PACKET_TOO_LARGE, sentence))
            return b""
        if qos:
            self._flights[packet_id] = flight
        else:
            self._over(flight.pendings)
        return data

    def _unsuitable(self, pending: Pending) -> RequestRefused | None:
        """Why the broker would not take it, as far as it has said so."""
        one, terms = pending.publication, self._terms
        if one.qos > terms.maximum_qos and terms.carrying is None:
            return RequestRefused(Reason.QOS_NOT_SUPPORTED, f"the broker takes quality {terms.maximum_qos} at most")
        if one.retain and not terms.retain_available:
            return RequestRefused(Reason.RETAIN_NOT_SUPPORTED, "the broker retains nothing")
        return None

    def _give_up(self, now: int) -> None:
        pending = self._waiting.popleft()
        self._over((pending,), _expired() if pending.expires_ns < now else self._unsuitable(pending))

    # ---- answers

    def puback(self, packet: Puback) -> None:
        """A flight of quality 1 was taken, or refused."""
        flight = self._flights.get(packet.packet_id)
        if flight is None or flight.qos != 1:
            return
        self._land(packet.packet_id)
        if packet.reason >= FAILURE:
            self._over(flight.pendings, _refusal(packet))
        elif self._carried is not None and packet.properties.user:
            self._over_but(flight.pendings, _refused_in(packet))
        else:
            self._over(flight.pendings)

    def pubrec(self, packet: Pubrec) -> Pubrel | None:
        """A message of quality 2 was taken, or refused: gives what to say to it."""
        flight = self._flights.get(packet.packet_id)
        if flight is None or flight.qos != 2:
            return Pubrel(packet_id=packet.packet_id, reason=Reason.PACKET_IDENTIFIER_NOT_FOUND)
        if packet.reason >= FAILURE:
            self._land(packet.packet_id)
            self._over(flight.pendings, _refusal(packet))
            return None
        self._over(flight.pendings)
        flight.pendings, flight.half = [], True
        return Pubrel(packet_id=packet.packet_id)

    def pubcomp(self, packet_id: int) -> None:
        """The broker has forgotten the identifier."""
        flight = self._flights.get(packet_id)
        if flight is not None and flight.half:
            self._land(packet_id)

    def _land(self, packet_id: int) -> None:
        del self._flights[packet_id]
        self._ids.give_back(packet_id)
        if self._again and packet_id in self._again:
            self._again.remove(packet_id)

    def _over(self, pendings: Sequence[Pending], refusal: RequestRefused | None = None) -> None:
        for pending in pendings:
            self.bytes -= pending.size
            last = self.answers[-1] if self.answers else None
            if last is not None and last.ticket == pending.ticket and last.refusal is None and refusal is None:
                self.answers[-1] = Answer(pending.ticket, last.count + 1)
            else:
                self.answers.append(Answer(pending.ticket, 1, refusal))
        self.events -= len(pendings)

    def _over_but(self, pendings: list[Pending], refused: dict[int, int]) -> None:
        assert self._carried is not None
        for pending in pendings:
            reason = refused.get(self._carried.base + pending.number)
            sentence = "the broker does not take this event"
            self._over((pending,), None if reason is None else RequestRefused(reason, sentence))

    # ---- lifetimes

    @property
    def deadline(self) -> int | None:
        """When something that waits may have expired."""
        return self._scan_ns

    def expire(self, now: int) -> None:
        """Give up what waits and is not wanted any more."""
        if self._scan_ns is None or now < self._scan_ns:
            return
        self._scan_ns = None
        alive = deque[Pending]()
        for pending in self._waiting:
            if pending.expires_ns < now:
                self._over((pending,), _expired())
            else:
                alive.append(pending)
                if pending.expires_ns < FOREVER:
                    self._scan_by(max(pending.expires_ns + 1, now + self._options.scan_ns))
        self._waiting = alive

    def _scan_by(self, instant: int) -> None:
        self._scan_ns = instant if self._scan_ns is None else min(self._scan_ns, instant)


def _expired() -> RequestRefused:
    return RequestRefused(Reason.UNSPECIFIED_ERROR, f"not sent within its {LIFETIME}")


def _refusal(packet: Puback | Pubrec) -> RequestRefused:
    return RequestRefused(packet.reason, packet.properties.reason_text or "the broker does not take it")


def _refused_in(packet: Puback) -> dict[int, int]:
    """Identities and reasons of the events of a carrier that were not taken."""
    found = {}
    for name, text in packet.properties.user:
        identity, _, reason = text.partition(" ")
        if name == REFUSED and identity.isdecimal() and reason.isdecimal():
            found[int(identity)] = int(reason)
    return found
