"""One event on its way to many clients: its bytes are made once for all that may share them."""

from typing import Final

from tidings.mqtt.publication import BARE, LIFETIME, QOS, RELIABLE, RETAIN
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import FOREVER, SECOND, format_duration
from tidings.vocabulary.value import format_literal
from tidings.wire.carriers import encode_event
from tidings.wire.mqtt_encode import publish_bytes, publish_first, publish_head
from tidings.wire.mqtt_fields import write_varint
from tidings.wire.mqtt_packets import VERSION_5, Properties
from tidings.wire.mqtt_properties import property_bytes

NO_IDS: Final[tuple[int, ...]] = ()


class Parcel:
    """An event with the forms that it is sent in, as of one instant."""

    __slots__ = ("_raw", "_tails", "_wholes", "claims", "event", "now", "number", "qos", "retain")

    def __init__(self, event: Event, now: int) -> None:
        flags = event.carried[0] if event.carried else RELIABLE
        self.event, self.now = event, now
        self.qos, self.retain = flags & QOS, bool(flags & RETAIN)
        self.number: int | None = None
        """Of the record on disk, once somebody needs it to be there."""
        self.claims: list[list[int]] = []
        """Sessions that it is stored for, and the packet identifiers that it was sent under; 0: not yet."""
        self._raw: bytes | None = None
        self._tails: dict[tuple[int, tuple[int, ...]], bytes] = {}
        self._wholes: dict[tuple[int, bool, tuple[int, ...]], bytes] = {}

    @property
    def raw(self) -> bytes:
        """As part of a carrier."""
        if self._raw is None:
            self._raw = encode_event(self.event)
        return self._raw

    def whole(self, version: int, ids: tuple[int, ...], *, retain: bool) -> bytes:
        """A PUBLISH of quality of service 0, the same for all receivers."""
        key = (version, retain, ids)
        found = self._wholes.get(key)
        if found is None:
            head = publish_head(self.event.topic, 0)
            found = publish_bytes(publish_first(0, retain=retain), head, self.tail(version, ids))
            self._wholes[key] = found
        return found

    def tail(self, version: int, ids: tuple[int, ...], alias: int | None = None) -> bytes:
        """Properties and payload: all that follows the topic and the packet identifier."""
        if version != VERSION_5:
            return self.event.payload
        if alias is not None:
            return self._tail(ids, alias)
        found = self._tails.get((version, ids))
        if found is None:
            found = self._tails[version, ids] = self._tail(ids, None)
        return found

    def _tail(self, ids: tuple[int, ...], alias: int | None) -> bytes:
        event, carried = self.event, self.event.carried
        if len(carried) == 1 and not carried[0] & BARE and not ids and alias is None and event.expires_ns == FOREVER:
            return b"\0" + event.payload
        user: tuple[tuple[str, str], ...] = ()
        if not carried or carried[0] & BARE:
            user = tuple((name, format_literal(value)) for name, value in event.attributes.items())
            if event.expires_ns < FOREVER:
                user += ((LIFETIME, format_duration(max(0, event.expires_ns - self.now))),)
        added = Properties(message_expiry_s=self._expiry_s(), subscription_ids=ids, topic_alias=alias, user=user)
        data = property_bytes(added) + carried[1:]
        return write_varint(len(data)) + data + event.payload

    def _expiry_s(self) -> int | None:
        """What is left of the lifetime, in whole seconds, rounded up; None: longer than MQTT can say."""
        left = -(-(self.event.expires_ns - self.now) // SECOND)
        return max(0, left) if left < 1 << 32 else None
