"""Flights as bytes: one publication to a packet, or, where the broker takes carriers, a row of them."""

from collections import deque
from typing import Final

from tidings.mqtt.limits import CARRIER_BYTES, CARRIER_EVENTS
from tidings.mqtt_client.publication import Pending
from tidings.mqtt_client.terms import Carrying, Terms
from tidings.wire.carriers import TOPIC, encode_event, join_events
from tidings.wire.mqtt_encode import publish_bytes, publish_first, publish_head

_CARRIER_PROPERTIES: Final = b"\0"
_ALIAS_PAYS: Final = 6
"""Topics that are longer than what an alias takes."""
_ALIASES_MAX: Final = 64
_HEADS_REMEMBERED: Final = 4_096


class Flight:
    """One packet that was sent and is not over."""

    __slots__ = ("half", "pendings", "qos")

    def __init__(self, pendings: list[Pending], qos: int) -> None:
        self.pendings, self.qos = pendings, qos
        self.half = False
        """Of quality 2: the broker has it, and its identifier is still in use."""


class PacketWriter:
    """For any broker."""

    def __init__(self, terms: Terms) -> None:
        self._has_aliases = bool(terms.alias_max)
        self._next_alias = min(terms.alias_max, _ALIASES_MAX)
        """They are given out downwards; 0: there are no more."""
        self._aliases: dict[str, int] = {}
        """0: said once, and worth an alias the next time."""
        self._heads: dict[str, bytes] = {}

    def cut(self, waiting: deque[Pending], _now: int) -> list[Pending]:
        """Take what goes into the next packet."""
        return [waiting.popleft()]

    def packet(self, flight: Flight, packet_id: int, now: int, *, duplicate: bool = False) -> bytes:
        """A flight, as it is said on this connection."""
        (pending,) = flight.pendings
        topic = pending.publication.topic
        said, alias = self._alias(topic) if len(topic) > _ALIAS_PAYS and self._has_aliases else (topic, None)
        first = publish_first(flight.qos, retain=pending.publication.retain, duplicate=duplicate)
        return publish_bytes(first, self._head(said, packet_id), pending.tail(now, alias))

    def unsaid(self, flight: Flight) -> None:
        """The packet made last was not sent: no alias was agreed on in it."""
        self._aliases.pop(flight.pendings[0].publication.topic, None)

    def _head(self, topic: str, packet_id: int) -> bytes:
        head = self._heads.get(topic)
        if head is None:
            if len(self._heads) >= _HEADS_REMEMBERED:
                self._heads.clear()
            head = self._heads[topic] = publish_head(topic, 0) if topic else b"\0\0"
        return head + packet_id.to_bytes(2, "big") if packet_id else head

    def _alias(self, topic: str) -> tuple[str, int | None]:
        """The topic as it is said, and its alias: an alias is agreed on when a topic is said for the second time."""
        known = self._aliases.get(topic)
        if known:
            return "", known
        if known is None:
            if len(self._aliases) < _ALIASES_MAX * 16:
                self._aliases[topic] = 0
            return topic, None
        if not self._next_alias:
            return topic, None
        alias = self._aliases[topic] = self._next_alias
        self._next_alias -= 1
        return topic, alias


class RowWriter:
    """For a broker of ours."""

    def __init__(self, terms: Terms, carrying: Carrying) -> None:
        self._base, self._name, self._shift_ns = carrying.base, carrying.name, terms.shift_ns
        self._bytes = min(CARRIER_BYTES, terms.packet_bytes_max // 2)

    def cut(self, waiting: deque[Pending], now: int) -> list[Pending]:
        """Take what goes into the next packet: neighbours of one quality that are still wanted."""
        row = [waiting.popleft()]
        quality, size = min(row[0].publication.qos, 1), row[0].size
        while waiting and len(row) < CARRIER_EVENTS:
            pending = waiting[0]
            size += pending.size
            if min(pending.publication.qos, 1) != quality or pending.expires_ns < now or size > self._bytes:
                break
            row.append(waiting.popleft())
        return row

    def packet(self, flight: Flight, packet_id: int, _now: int, *, duplicate: bool = False) -> bytes:
        """A flight; its events are known by their numbers, so that the broker takes none of them twice."""
        base, name, shift_ns = self._base, self._name, self._shift_ns
        qos = flight.qos
        rows = [encode_event(one.event(base + one.number, name, shift_ns, qos)) for one in flight.pendings]
        first = publish_first(qos, duplicate=duplicate)
        return publish_bytes(first, publish_head(TOPIC, packet_id), _CARRIER_PROPERTIES + join_events(rows))

    def unsaid(self, flight: Flight) -> None:
        """The packet made last was not sent; a number that is left out is none that the broker misses."""
