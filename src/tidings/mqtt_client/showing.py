"""From packets with events to what each subscription is shown, and how far the application is behind."""

from collections import deque
from typing import Final

from tidings.errors import PacketRefused, PeerError
from tidings.mqtt.publication import KEPT, is_kept
from tidings.mqtt_client.arrivals import TopicAliases, event_of, shifted
from tidings.mqtt_client.counts import Counts
from tidings.mqtt_client.inbox import Inbox
from tidings.mqtt_client.interests import Interest, Interests, newest_without
from tidings.mqtt_client.notices import Delivery, Show
from tidings.mqtt_client.options import ClientOptions
from tidings.mqtt_client.terms import ALIASES_TAKEN, Terms
from tidings.vocabulary.event import Event
from tidings.wire.carriers import TOPIC, CarrierReader
from tidings.wire.mqtt_packets import Publish
from tidings.wire.mqtt_reasons import Reason

_OVERHEAD: Final = 200


class Showing:
    """One client's."""

    def __init__(self, options: ClientOptions, interests: Interests, inbox: Inbox, counts: Counts) -> None:
        self._options, self._interests, self._inbox, self._counts = options, interests, inbox, counts
        self._reader = CarrierReader()
        self._aliases = TopicAliases(ALIASES_TAKEN)
        self._shift_ns = 0
        self._carries = False
        self._loose = Delivery()
        """Of quality 0, since the last that is acknowledged or the last turn."""
        self._unclaimed: deque[tuple[Event, Delivery]] = deque()
        """Of a session that was there before us, for subscriptions that are not made yet."""
        self.show: list[Show] = []
        self._at: dict[int, list[Event]] = {}
        """Lists of `show` that grow, by subscription."""
        self.events = self.bytes = 0
        """Shown, and not settled."""

    @property
    def is_behind(self) -> bool:
        """True when the application should take something first."""
        return self.events >= self._options.backlog_events_max or self.bytes >= self._options.backlog_bytes_max

    def resume(self, terms: Terms) -> None:
        """A connection begins."""
        self._aliases = TopicAliases(ALIASES_TAKEN)
        self._carries, self._shift_ns = terms.carrying is not None, terms.shift_ns
        if not terms.session_present:
            self._unclaimed.clear()

    # ---- arrivals

    def arrive(self, packet: Publish, now: int) -> None:
        """A PUBLISH; PacketRefused ends the connection."""
        topic = packet.topic if packet.properties.topic_alias is None else self._aliases.topic_of(packet)
        carrier = self._carries and topic == TOPIC
        if not packet.qos:
            events = self._events(packet, topic, now, carrier=carrier)
            if self.is_behind:
                self._counts.dropped += len(events)
            else:
                self._hand(events, packet.properties.subscription_ids, self._loose, now)
            return
        delivery, new = self._inbox.arrive(packet, topic, carrier=carrier)
        self._cut()
        if new or carrier:
            events = self._events(packet, topic, now, carrier=carrier)
            if carrier:
                events = self._inbox.unseen(events)
            self._hand(events, packet.properties.subscription_ids, delivery, now)
        self._cut()
        if not delivery.open:
            self._inbox.acknowledge()

    def _events(self, packet: Publish, topic: str, now: int, *, carrier: bool) -> list[Event]:
        if not carrier:
            return [event_of(packet, topic, now)]
        try:
            return shifted(self._reader.read(packet.payload), self._shift_ns)
        except PeerError as problem:
            raise PacketRefused(Reason.PAYLOAD_FORMAT_INVALID, str(problem)) from None

    # ---- who is shown what

    def _hand(self, events: list[Event], ids: tuple[int, ...], delivery: Delivery, now: int) -> None:
        for event in events:
            if event.expires_ns < now:
                self._counts.expired += 1
                continue
            sole = None if ids else self._interests.sole(event.topic)
            if sole is not None and not (event.carried and event.carried[0] & KEPT):
                self._put(sole, event, delivery)
                continue
            found = self._interests.wanting(event, ids)
            if found and is_kept(event):
                newest = newest_without(found, event.topic, event.id or hash(event.payload))
                found = [] if newest is None else [newest]
                if newest is None:
                    self._counts.duplicates += 1
                    continue
            for interest in found:
                self._put(interest, event, delivery)
            if not found:
                self._leave(event, delivery)

    def _put(self, interest: Interest, event: Event, delivery: Delivery) -> None:
        row = self._at.get(interest.number)
        if row is None:
            row = self._at[interest.number] = []
            self.show.append(Show(interest.number, row, delivery))
        row.append(event)
        self._count(event, delivery)
        self._counts.shown += 1

    def _count(self, event: Event, delivery: Delivery) -> None:
        size = len(event.payload) + _OVERHEAD
        delivery.open += 1
        delivery.events += 1
        delivery.size += size
        self.events += 1
        self.bytes += size

    def _leave(self, event: Event, delivery: Delivery) -> None:
        """Nobody wants it; nobody yet, if the session was there before us."""
        if self._options.clean_start or not delivery.qos:
            self._counts.unwanted += 1
            return
        self._count(event, delivery)
        self._unclaimed.append((event, delivery))
        if len(self._unclaimed) > self._options.receive_maximum // 2:
            self._counts.unwanted += 1
            self.settle(self._unclaimed.popleft()[1], 1)

    def claim(self) -> None:
        """There is a new subscription: what nobody wanted may be for it."""
        self._cut()
        left = deque[tuple[Event, Delivery]]()
        for event, delivery in self._unclaimed:
            found = self._interests.wanting(event)
            for interest in found:
                self.show.append(Show(interest.number, [event], delivery))
                self._counts.shown += 1
            delivery.open += max(0, len(found) - 1)
            if not found:
                left.append((event, delivery))
        self._unclaimed = left

    def _cut(self) -> None:
        """What comes next is another delivery."""
        self._at.clear()
        if self._loose.open:
            self._loose = Delivery()

    def take(self) -> list[Show]:
        """What is to be shown, since the last call."""
        self._cut()
        show, self.show = self.show, []
        return show

    # ---- what the application has done

    def settle(self, delivery: Delivery, count: int) -> None:
        """The application is done with so many events of a delivery."""
        delivery.open -= count
        if delivery.open:
            return
        self.events -= delivery.events
        self.bytes -= delivery.size
        delivery.events = delivery.size = 0
        if delivery.qos:
            self._inbox.acknowledge()
