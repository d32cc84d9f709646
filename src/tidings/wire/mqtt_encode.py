"""MQTT packets as bytes, for version 3.1.1 (`4`) or 5."""

from collections.abc import Callable
from typing import Any, Final

from tidings.wire.mqtt_fields import write_binary, write_number, write_text, write_varint
from tidings.wire.mqtt_packets import (
    NO_PROPERTIES,
    VERSION_5,
    Auth,
    Connack,
    Connect,
    Disconnect,
    Packet,
    Pingreq,
    Pingresp,
    Properties,
    Puback,
    Pubcomp,
    Publish,
    Pubrec,
    Pubrel,
    Suback,
    Subscribe,
    Unsuback,
    Unsubscribe,
    Will,
)
from tidings.wire.mqtt_properties import write_properties
from tidings.wire.mqtt_reasons import FAILURE, return_code


def encode_packet(packet: Packet, version: int = VERSION_5) -> bytes:
    """`packet` whole; raises InputError for fields that are too long. What `version` lacks is left out."""
    first, body = _BODIES[type(packet)](packet, version)
    return bytes((first,)) + write_varint(len(body)) + body


def publish_head(topic: str, packet_id: int) -> bytes:
    """The start of the body of a PUBLISH; `packet_id` 0: none."""
    head = write_text(topic)
    return head + packet_id.to_bytes(2, "big") if packet_id else head


def publish_bytes(first: int, head: bytes, tail: bytes) -> bytes:
    """A PUBLISH from its first byte, its start and the rest, which many receivers share."""
    return b"".join((bytes((first,)), write_varint(len(head) + len(tail)), head, tail))


def publish_first(qos: int, *, retain: bool = False, duplicate: bool = False) -> int:
    """The first byte of a PUBLISH."""
    return 0x30 | duplicate << 3 | qos << 1 | retain


def _properties(properties: Properties, version: int) -> bytes:
    return write_properties(properties) if version == VERSION_5 else b""


def _publish(packet: Publish, version: int) -> tuple[int, bytes]:
    first = publish_first(packet.qos, retain=packet.retain, duplicate=packet.duplicate)
    head = publish_head(packet.topic, packet.packet_id if packet.qos else 0)
    return first, head + _properties(packet.properties, version) + packet.payload


def _connect(packet: Connect, _version: int) -> tuple[int, bytes]:
    version, will = packet.version, packet.will
    flags = (
        packet.clean_start << 1
        | (packet.password is not None) << 6
        | (packet.user_name is not None) << 7
        | (0 if will is None else 1 << 2 | will.qos << 3 | will.retain << 5)
    )
    parts = [write_text("MQTT"), bytes((version, flags)), write_number(packet.keep_alive_s, 2)]
    parts += [_properties(packet.properties, version), write_text(packet.client_id)]
    if will is not None:
        parts += _will(will, version)
    if packet.user_name is not None:
        parts.append(write_text(packet.user_name))
    if packet.password is not None:
        parts.append(write_binary(packet.password))
    return 0x10, b"".join(parts)


def _will(will: Will, version: int) -> list[bytes]:
    return [_properties(will.properties, version), write_text(will.topic), write_binary(will.payload)]


def _connack(packet: Connack, version: int) -> tuple[int, bytes]:
    reason = packet.reason if version == VERSION_5 else return_code(packet.reason)
    return 0x20, bytes((packet.session_present, reason)) + _properties(packet.properties, version)


def _answer(first: int) -> Callable[[Any, int], tuple[int, bytes]]:
    def encode(packet: Any, version: int) -> tuple[int, bytes]:
        return first, write_number(packet.packet_id, 2) + _reason(packet, version)

    return encode


def _reason(packet: Any, version: int) -> bytes:
    """The reason and the properties, as much of them as says anything."""
    if version != VERSION_5 or (packet.reason == 0 and packet.properties is NO_PROPERTIES):
        return b""
    if packet.properties is NO_PROPERTIES:
        return bytes((packet.reason,))
    return bytes((packet.reason,)) + write_properties(packet.properties)


def _subscribe(packet: Subscribe, version: int) -> tuple[int, bytes]:
    parts = [write_number(packet.packet_id, 2), _properties(packet.properties, version)]
    for wish in packet.wishes:
        options = wish.qos
        if version == VERSION_5:
            options |= wish.no_local << 2 | wish.retain_as_published << 3 | wish.retain_handling << 4
        parts += [write_text(wish.pattern), bytes((options,))]
    return 0x82, b"".join(parts)


def _suback(packet: Suback, version: int) -> tuple[int, bytes]:
    old = version != VERSION_5
    reasons = bytes(min(reason, FAILURE) if old else reason for reason in packet.reasons)
    return 0x90, write_number(packet.packet_id, 2) + _properties(packet.properties, version) + reasons


def _unsubscribe(packet: Unsubscribe, version: int) -> tuple[int, bytes]:
    patterns = b"".join(write_text(pattern) for pattern in packet.patterns)
    return 0xA2, write_number(packet.packet_id, 2) + _properties(packet.properties, version) + patterns


def _unsuback(packet: Unsuback, version: int) -> tuple[int, bytes]:
    head = write_number(packet.packet_id, 2)
    if version != VERSION_5:
        return 0xB0, head
    return 0xB0, head + write_properties(packet.properties) + bytes(packet.reasons)


_BODIES: Final[dict[type, Callable[[Any, int], tuple[int, bytes]]]] = {
    Connect: _connect,
    Connack: _connack,
    Publish: _publish,
    Puback: _answer(0x40),
    Pubrec: _answer(0x50),
    Pubrel: _answer(0x62),
    Pubcomp: _answer(0x70),
    Subscribe: _subscribe,
    Suback: _suback,
    Unsubscribe: _unsubscribe,
    Unsuback: _unsuback,
    Pingreq: lambda _packet, _version: (0xC0, b""),
    Pingresp: lambda _packet, _version: (0xD0, b""),
    Disconnect: lambda packet, version: (0xE0, _reason(packet, version)),
    Auth: lambda packet, version: (0xF0, _reason(packet, version)),
}
"""First byte and body of each kind of packet."""
