"""Bytes of one MQTT connection to packets, in whatever pieces they arrive, with nothing believed that is not checked.

The only error is `PacketRefused`, which carries MQTT's reason code. The connection is over then: the packets before the
bad one are handed out first, by the call that found it, and every later call raises.
"""

from typing import Final, Literal, TypeAlias

from tidings.errors import PacketRefused
from tidings.vocabulary.topic import check_topic
from tidings.wire import mqtt_properties as places
from tidings.wire.mqtt_bodies import BODIES, read_connect, read_packet_id
from tidings.wire.mqtt_fields import malformed, read_binary, violation
from tidings.wire.mqtt_packets import NO_PROPERTIES, VERSION_5, Packet, Publish
from tidings.wire.mqtt_properties import read_properties
from tidings.wire.mqtt_reasons import Reason

FIRST_BYTES_MAX: Final = 4_096
"""Of the first packet: nobody may make us wait for more before having said who it is."""
PACKET_BYTES_MAX: Final = (1 << 20) + (1 << 17)
"""Of a body: a full payload, the longest topic, and as much again for everything else."""
_TOPICS_REMEMBERED: Final = 4_096
_TOPIC_REMEMBERED_BYTES: Final = 256

Sender: TypeAlias = Literal["client", "server"]
_FROM_CLIENT: Final = frozenset({1, 3, 4, 5, 6, 7, 8, 10, 12, 14, 15})
_FROM_SERVER: Final = frozenset({2, 3, 4, 5, 6, 7, 9, 11, 13, 14, 15})
_FLAGS: Final = {6: 2, 8: 2, 10: 2}
"""The low four bits of a first byte, where they are not 0; those of PUBLISH mean something."""


class MqttDecoder:
    """The packets of one direction of a connection. Holds one unfinished packet at most."""

    __slots__ = ("_bytes", "_from_client", "_needed", "_refused", "_topics", "body_bytes_max", "version")

    def __init__(self, sender: Sender, *, version: int = 0, body_bytes_max: int = PACKET_BYTES_MAX) -> None:
        self._bytes = bytearray()
        self._needed = 2
        self._from_client = sender == "client"
        self._topics: dict[bytes, str] = {}
        self._refused: PacketRefused | None = None
        self.body_bytes_max = body_bytes_max
        self.version = version
        """Of the protocol; 0 until a CONNECT has said it."""

    def feed(self, data: bytes) -> list[Packet]:
        """The packets that `data` completes, in order. Ask `refused` before you wait for more."""
        if self._refused is not None:
            raise self._refused
        if self._bytes:
            self._bytes += data
            if len(self._bytes) < self._needed:
                return []
            data = bytes(self._bytes)
            self._bytes.clear()
        packets: list[Packet] = []
        try:
            at = self._take(data, packets)
        except PacketRefused as refusal:
            self._refused = refusal
            return packets
        if at < len(data):
            self._bytes += data[at:]
        return packets

    @property
    def refused(self) -> PacketRefused | None:
        """Why nothing more can be read from this connection; None while all is well."""
        return self._refused

    def _take(self, data: bytes, packets: list[Packet]) -> int:
        """Append what is whole; returns where the first packet begins that is not."""
        at, size = 0, len(data)
        while size - at >= 2:
            length = data[at + 1]
            start = at + 2
            if length >= 0x80:
                found = self._length(data, at + 1)
                if found is None:
                    self._needed = size - at + 1
                    return at
                length, start = found
            first = data[at]
            self._check_first(first, length)
            end = start + length
            if end > size:
                self._needed = end - at
                return at
            packets.append(self._packet(first, data[start:end]))
            at = end
        self._needed = 2
        return at

    def _length(self, data: bytes, at: int) -> tuple[int, int] | None:
        value = shift = 0
        for position in range(at, min(at + 4, len(data))):
            byte = data[position]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if byte == 0:
                    malformed("a length with more bytes than it needs")
                return value, position + 1
            shift += 7
        if shift == 28:
            malformed("a length of more than four bytes")
        return None

    def _check_first(self, first: int, length: int) -> None:
        kind = first >> 4
        if kind not in (_FROM_CLIENT if self._from_client else _FROM_SERVER):
            violation(f"a {'client' if self._from_client else 'server'} does not send packets of type {kind}")
        if kind != places.PUBLISH and first & 15 != _FLAGS.get(kind, 0):
            malformed(f"a packet of type {kind} with flags {first & 15}")
        if self.version == 0 and kind != places.CONNECT:
            violation("the first packet must be a CONNECT")
        limit = min(FIRST_BYTES_MAX, self.body_bytes_max) if self.version == 0 else self.body_bytes_max
        if length > limit:
            raise PacketRefused(
                Reason.PACKET_TOO_LARGE, f"a packet of {length} bytes is announced, here at most {limit} are taken"
            )

    def _packet(self, first: int, body: bytes) -> Packet:
        kind = first >> 4
        if kind == places.PUBLISH:
            return self._publish(first, body)
        if kind == places.CONNECT:
            if self.version:
                violation("a second CONNECT")
            connect = read_connect(body)
            self.version = connect.version
            return connect
        packet: Packet = BODIES[kind](body, self.version)
        return packet

    def _publish(self, first: int, body: bytes) -> Publish:
        qos = first >> 1 & 3
        if qos == 3 or (qos == 0 and first & 8):
            malformed("a PUBLISH with impossible flags")
        raw, at = read_binary(body, 0)
        topic = self._topics.get(raw)
        if topic is None:
            topic = self._topic(raw)
        packet_id = 0
        if qos:
            packet_id, at = read_packet_id(body, at)
        properties = NO_PROPERTIES
        if self.version == VERSION_5:
            properties, at = read_properties(body, at, places.PUBLISH)
            if self._from_client and properties.subscription_ids:
                violation("a client sends no subscription identifier")
        if not topic and properties.topic_alias is None:
            violation("a PUBLISH without a topic")
        return Publish(
            topic=topic,
            payload=body[at:],
            qos=qos,
            retain=bool(first & 1),
            duplicate=bool(first & 8),
            packet_id=packet_id,
            properties=properties,
        )

    def _topic(self, raw: bytes) -> str:
        """Checked once for each topic that comes again soon."""
        if not raw:
            return ""
        try:
            topic = raw.decode()
            check_topic(topic)
        except ValueError as problem:
            kind = Reason.MALFORMED_PACKET if isinstance(problem, UnicodeError) else Reason.TOPIC_NAME_INVALID
            sentence = "text must be valid UTF-8" if isinstance(problem, UnicodeError) else str(problem)
            raise PacketRefused(kind, sentence) from None
        if len(raw) <= _TOPIC_REMEMBERED_BYTES:
            if len(self._topics) >= _TOPICS_REMEMBERED:
                self._topics.clear()
            self._topics[raw] = topic
        return topic
