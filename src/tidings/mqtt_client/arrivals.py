"""From a PUBLISH of any broker to the event that the application is shown."""

from typing import Final

import msgspec

from tidings.errors import PacketRefused
from tidings.mqtt.publication import KEPT, attributes_of, lifetime_of
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import FOREVER, SECOND
from tidings.vocabulary.value import Value
from tidings.wire.mqtt_packets import NO_PROPERTIES, Properties, Publish
from tidings.wire.mqtt_reasons import Reason

_FLAGS: Final = tuple(bytes((flags,)) for flags in range(16))


def event_of(packet: Publish, topic: str, now: int) -> Event:
    """The event; its identity and publisher are unknown, its instants are those of its arrival.

    A broker of others passes on what anybody said. Properties that cannot be read are shown as the texts that they are.
    """
    attributes: dict[str, Value] = {}
    expires_ns = FOREVER
    properties = packet.properties
    if properties is not NO_PROPERTIES:
        try:
            attributes, lifetime_ns = attributes_of(properties.user), lifetime_of(properties)
        except PacketRefused:
            attributes, lifetime_ns = dict(properties.user), _expiry_ns(properties)
        expires_ns = now + min(lifetime_ns, FOREVER - now)
    flags = _FLAGS[packet.qos | (KEPT if packet.retain else 0)]
    return Event(0, "", topic, now, attributes, expires_ns, 0, len(packet.payload), packet.payload, flags)


def _expiry_ns(properties: Properties) -> int:
    return FOREVER if properties.message_expiry_s is None else properties.message_expiry_s * SECOND


def shifted(events: list[Event], shift_ns: int) -> list[Event]:
    """The same events with instants of our own clock."""
    if not shift_ns:
        return events
    return [
        msgspec.structs.replace(
            event,
            published_ns=event.published_ns + shift_ns,
            expires_ns=event.expires_ns if event.expires_ns == FOREVER else event.expires_ns + shift_ns,
        )
        for event in events
    ]


class TopicAliases:
    """What the broker's topic aliases stand for, on one connection."""

    __slots__ = ("_aliases", "_limit")

    def __init__(self, limit: int) -> None:
        self._aliases: dict[int, str] = {}
        self._limit = limit

    def topic_of(self, packet: Publish) -> str:
        """The topic of a PUBLISH; PacketRefused for an alias that means nothing."""
        alias = packet.properties.topic_alias
        if alias is None:
            return packet.topic
        if alias > self._limit:
            raise PacketRefused(Reason.TOPIC_ALIAS_INVALID, f"topic aliases go to {self._limit}")
        if packet.topic:
            self._aliases[alias] = packet.topic
        known = self._aliases.get(alias)
        if known is None:
            raise PacketRefused(Reason.PROTOCOL_ERROR, f"topic alias {alias} stands for nothing yet")
        return known
