"""The way out to one client: what may be written at once, and what only when the turn's records are on disk."""

from collections import deque
from typing import Final

from tidings.mqtt.limits import ALIASES_MAX, CARRIER_BYTES, CARRIER_EVENTS
from tidings.mqtt.parcel import Parcel
from tidings.mqtt.subscriptions import Grant
from tidings.wire.carriers import TOPIC, join_events
from tidings.wire.mqtt_encode import encode_packet, publish_bytes, publish_first, publish_head
from tidings.wire.mqtt_fields import VARINT_MAX
from tidings.wire.mqtt_packets import VERSION_3_1_1, Answer, Connect, Packet

_CARRIER_PROPERTIES: Final = b"\0"
_ALIAS_BYTES: Final = 5
"""What saying an alias for the first time may add to a packet."""


class Due:
    """An acknowledgement that waits for the broker, or behind one that does."""

    __slots__ = ("packet", "pending")

    def __init__(self, packet: Answer, pending: int) -> None:
        self.packet, self.pending = packet, pending


class Link:
    """One connection, as those see it who send something over it."""

    __slots__ = (
        "_active",
        "_aliases",
        "_is_active",
        "acknowledgements",
        "after",
        "alias_max",
        "at_once",
        "carries",
        "number",
        "packet_bytes_max",
        "published",
        "raws",
        "version",
    )

    def __init__(self, number: int, active: list["Link"]) -> None:
        """`active` is where a link puts itself when it has something to write."""
        self.number = number
        self._active, self._is_active = active, False
        self.version, self.carries = VERSION_3_1_1, False
        self.published = 0
        """Events of the client, taken or not."""
        self.packet_bytes_max, self.alias_max = VARINT_MAX, 0
        self.at_once: list[bytes] = []
        self.after: list[bytes] = []
        self.raws: list[bytes] = []
        """Events of quality 0 for the next carriers."""
        self.acknowledgements: deque[Due] = deque()
        """Of the client's publications, in their order."""
        self._aliases: dict[str, int] = {}

    def agree(self, connect: Connect, *, carries: bool) -> None:
        """What the client speaks, and how much it takes."""
        properties = connect.properties
        self.version, self.carries = connect.version, carries
        self.packet_bytes_max = properties.packet_bytes_maximum or VARINT_MAX
        self.alias_max = min(properties.topic_alias_maximum or 0, ALIASES_MAX)

    def say(self, packet: Packet, *, at_once: bool = False) -> None:
        """Send a packet, by default not before the turn's records are on disk."""
        (self.at_once if at_once else self.after).append(encode_packet(packet, self.version))
        self._awake()

    def put(self, parcel: Parcel, grant: Grant) -> bool:
        """Send an event with quality 0; False when it is larger than the client takes."""
        if self.carries:
            self.raws.append(parcel.raw)
            self._awake()
            return True
        retain = grant.as_published and parcel.retain
        if self.alias_max:
            return self._write(self.at_once, parcel, grant, publish_first(0, retain=retain), 0)
        data = parcel.whole(self.version, grant.ids, retain=retain)
        if len(data) > self.packet_bytes_max:
            return False
        self.at_once.append(data)
        self._awake()
        return True

    def send(self, parcel: Parcel, grant: Grant, first: int, packet_id: int) -> bool:
        """Send an event under an identifier; False when it is larger than the client takes."""
        return self._write(self.after, parcel, grant, first, packet_id)

    def _write(self, lane: list[bytes], parcel: Parcel, grant: Grant, first: int, packet_id: int) -> bool:
        topic = parcel.event.topic
        data = publish_bytes(first, publish_head(topic, packet_id), parcel.tail(self.version, grant.ids))
        if len(data) + _ALIAS_BYTES * bool(self.alias_max) > self.packet_bytes_max:
            return False
        if self.alias_max:
            said, alias = self._alias(topic)
            data = publish_bytes(first, publish_head(said, packet_id), parcel.tail(self.version, grant.ids, alias))
        lane.append(data)
        self._awake()
        return True

    def carry(self, raws: list[bytes], first: int, packet_id: int) -> None:
        """Send a row of events as one packet."""
        head = publish_head(TOPIC, packet_id)
        data = publish_bytes(first, head, _CARRIER_PROPERTIES + join_events(raws))
        (self.after if packet_id else self.at_once).append(data)
        self._awake()

    def take(self) -> tuple[list[bytes], list[bytes]]:
        """What is to be written at once, and what when the turn's records are on disk."""
        raws, self.raws = self.raws, []
        for row in rows_of_bytes(raws):
            self.carry(row, publish_first(0), 0)
        at_once, self.at_once = self.at_once, []
        after, self.after = self.after, []
        self._is_active = False
        return at_once, after

    def acknowledge(self) -> None:
        """Send the acknowledgements that wait for nothing any more."""
        waiting = self.acknowledgements
        while waiting and not waiting[0].pending:
            self.say(waiting.popleft().packet)

    def _awake(self) -> None:
        if not self._is_active:
            self._is_active = True
            self._active.append(self)

    def _alias(self, topic: str) -> tuple[str, int | None]:
        """The topic as it is said, and its alias: the name only the first time."""
        known = self._aliases.get(topic)
        if known is not None:
            return "", known
        if len(self._aliases) == self.alias_max:
            return topic, None
        alias = self._aliases[topic] = len(self._aliases) + 1
        return topic, alias


def rows_of_bytes(raws: list[bytes]) -> list[list[bytes]]:
    """Events cut into rows that each make one carrier."""
    if len(raws) <= CARRIER_EVENTS and sum(map(len, raws)) <= CARRIER_BYTES:
        return [raws] if raws else []
    rows: list[list[bytes]] = [[]]
    size = 0
    for raw in raws:
        if rows[-1] and (size + len(raw) > CARRIER_BYTES or len(rows[-1]) == CARRIER_EVENTS):
            rows.append([])
            size = 0
        rows[-1].append(raw)
        size += len(raw)
    return rows
