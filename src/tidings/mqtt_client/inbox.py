"""What the broker sends: each event is shown once, and acknowledged when the application is done with it.

A broker that has lost the connection sends again what we have not acknowledged, or what it has not heard us acknowledge.
Such a packet is known by its identifier and, at quality 1, by its content; the events of a carrier by their identities.
"""

from collections import deque
from typing import Final

from tidings.mqtt.publication import KEPT
from tidings.mqtt_client.counts import Counts
from tidings.mqtt_client.notices import Delivery
from tidings.mqtt_client.options import SEEN_REMEMBERED, ClientOptions
from tidings.vocabulary.event import Event
from tidings.wire.mqtt_encode import encode_packet
from tidings.wire.mqtt_packets import Pubcomp, Publish, Pubrec
from tidings.wire.mqtt_reasons import Reason

CARRIER: Final = -1
"""In the place of a content's digest: the events speak for themselves."""


class Inbox:
    """One client's."""

    def __init__(self, options: ClientOptions, counts: Counts) -> None:
        self._remembered, self._counts = options.receive_maximum, counts
        self._order: deque[Delivery] = deque()
        """Packets of this connection that are not acknowledged, in the order in which they must be."""
        self._first: dict[int, Delivery] = {}
        """Of quality 1: not acknowledged, or among the last that were."""
        self._second: dict[int, Delivery] = {}
        """Of quality 2: whose identifiers the broker still uses."""
        self._settled: dict[Delivery, None] = {}
        """Of quality 1, acknowledged, in the order in which they were last."""
        self._seen: dict[int, None] = {}
        self.write: list[bytes] = []

    # ---- connections

    def resume(self, *, session_present: bool) -> None:
        """A connection begins. Without its session the broker has forgotten all identifiers."""
        self._order.clear()
        if not session_present:
            self._first.clear()
            self._second.clear()
            self._settled.clear()

    def pause(self) -> None:
        """The connection is gone: nothing can be acknowledged on it any more."""
        self._order.clear()

    # ---- arrivals

    def arrive(self, packet: Publish, topic: str, *, carrier: bool) -> tuple[Delivery, bool]:
        """The delivery of a packet of quality 1 or 2, whose topic alias is resolved, and whether it is new."""
        digest = CARRIER if carrier else hash((topic, packet.payload))
        delivery = self._known(packet, digest)
        new = delivery is None
        if delivery is None:
            delivery = Delivery(packet.qos, packet.packet_id, digest)
            (self._first if packet.qos == 1 else self._second)[packet.packet_id] = delivery
            self._order.append(delivery)
        else:
            self._counts.duplicates += not carrier
            if delivery not in self._order:
                self._order.append(delivery)
        return delivery, new

    def _known(self, packet: Publish, digest: int) -> Delivery | None:
        if packet.qos == 2:
            return self._second.get(packet.packet_id)
        delivery = self._first.get(packet.packet_id) if packet.duplicate else None
        return delivery if delivery is not None and delivery.digest == digest else None

    def unseen(self, events: list[Event]) -> list[Event]:
        """The events of a carrier of quality 1 that were not shown before; and copies of retained ones, which may have been."""
        seen, new = self._seen, list[Event]()
        for event in events:
            if event.carried and event.carried[0] & KEPT:
                new.append(event)
            elif event.id in seen:
                self._counts.duplicates += 1
            else:
                seen[event.id] = None
                new.append(event)
        while len(seen) > SEEN_REMEMBERED:
            del seen[next(iter(seen))]
        return new

    # ---- acknowledgements

    def acknowledge(self) -> None:
        """Say that the application is done with what it is done with, in the order in which it came."""
        order = self._order
        while order and not order[0].open:
            delivery = order.popleft()
            if delivery.qos == 1:
                self.write.append(b"\x40\x02" + delivery.packet_id.to_bytes(2, "big"))
                self._remember(delivery)
            else:
                self.write.append(encode_packet(Pubrec(packet_id=delivery.packet_id)))

    def release(self, packet_id: int) -> None:
        """PUBREL: the broker has forgotten a message of quality 2."""
        known = self._second.pop(packet_id, None) is not None
        reason = Reason.SUCCESS if known else Reason.PACKET_IDENTIFIER_NOT_FOUND
        self.write.append(encode_packet(Pubcomp(packet_id=packet_id, reason=reason)))

    def _remember(self, delivery: Delivery) -> None:
        """At most as many acknowledgements as may be unacknowledged at once can be lost with a connection: the last ones."""
        self._settled.pop(delivery, None)
        self._settled[delivery] = None
        if len(self._settled) > self._remembered:
            oldest = next(iter(self._settled))
            del self._settled[oldest]
            if self._first.get(oldest.packet_id) is oldest:
                del self._first[oldest.packet_id]
