"""The bodies of MQTT packets, one reader for each type but PUBLISH, whose reader is the decoder's own."""

from collections.abc import Callable
from typing import Any, Final

from tidings.errors import PacketRefused
from tidings.vocabulary.topic import check_pattern, check_topic
from tidings.wire import mqtt_properties as places
from tidings.wire.mqtt_fields import malformed, read_binary, read_byte, read_text, read_two, violation
from tidings.wire.mqtt_packets import (
    NO_PROPERTIES,
    VERSION_3_1_1,
    VERSION_5,
    Answer,
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
    Pubrec,
    Pubrel,
    Suback,
    Subscribe,
    TopicWish,
    Unsuback,
    Unsubscribe,
    Will,
)
from tidings.wire.mqtt_properties import read_properties
from tidings.wire.mqtt_reasons import Reason

WISHES_MAX: Final = 1_024
"""Patterns of one SUBSCRIBE or UNSUBSCRIBE."""


def read_packet_id(body: bytes, at: int) -> tuple[int, int]:
    """A packet identifier, which is never 0."""
    packet_id, at = read_two(body, at)
    if packet_id == 0:
        violation("a packet identifier of 0")
    return packet_id, at


def _ended(body: bytes, at: int) -> None:
    if at != len(body):
        malformed(f"{len(body) - at} bytes behind the end of the packet")


def read_connect(body: bytes) -> Connect:
    """The body of a CONNECT, which says by itself which version it speaks."""
    name, at = read_text(body, 0)
    version, at = read_byte(body, at)
    if name != "MQTT" or version not in (VERSION_3_1_1, VERSION_5):
        raise PacketRefused(Reason.UNSUPPORTED_PROTOCOL_VERSION, "MQTT 3.1.1 and MQTT 5 are spoken here")
    flags, at = read_byte(body, at)
    if flags & 1 or flags >> 3 & 3 == 3 or (not flags & 4 and flags & 0x38):
        malformed("a CONNECT with impossible flags")
    if version == VERSION_3_1_1 and flags & 0x40 and not flags & 0x80:
        malformed("a password without a user name")
    keep_alive_s, at = read_two(body, at)
    properties = NO_PROPERTIES
    if version == VERSION_5:
        properties, at = read_properties(body, at, places.CONNECT)
    client_id, at = read_text(body, at)
    will = None
    if flags & 4:
        will, at = _will(body, at, version, flags)
    user_name, password = None, None
    if flags & 0x80:
        user_name, at = read_text(body, at)
    if flags & 0x40:
        password, at = read_binary(body, at)
    _ended(body, at)
    return Connect(
        client_id=client_id,
        version=version,
        clean_start=bool(flags & 2),
        keep_alive_s=keep_alive_s,
        user_name=user_name,
        password=password,
        will=will,
        properties=properties,
    )


def _will(body: bytes, at: int, version: int, flags: int) -> tuple[Will, int]:
    properties = NO_PROPERTIES
    if version == VERSION_5:
        properties, at = read_properties(body, at, places.WILL)
    topic, at = read_text(body, at)
    payload, at = read_binary(body, at)
    try:
        check_topic(topic)
    except ValueError as problem:
        raise PacketRefused(Reason.TOPIC_NAME_INVALID, f"the will: {problem}") from None
    will = Will(topic=topic, payload=payload, qos=flags >> 3 & 3, retain=bool(flags & 0x20), properties=properties)
    return will, at


def _connack(body: bytes, version: int) -> Connack:
    acknowledge, at = read_byte(body, 0)
    reason, at = read_byte(body, at)
    if acknowledge > 1:
        malformed("a CONNACK with impossible flags")
    if version != VERSION_5:
        if reason > 5:
            malformed(f"there is no return code {reason}")
        _ended(body, at)
        return Connack(session_present=bool(acknowledge), reason=_REASONS_3_1_1[reason])
    properties, at = read_properties(body, at, places.CONNACK)
    _ended(body, at)
    return Connack(session_present=bool(acknowledge), reason=_known(reason), properties=properties)


_REASONS_3_1_1: Final = (
    Reason.SUCCESS,
    Reason.UNSUPPORTED_PROTOCOL_VERSION,
    Reason.CLIENT_IDENTIFIER_NOT_VALID,
    Reason.SERVER_UNAVAILABLE,
    Reason.BAD_USER_NAME_OR_PASSWORD,
    Reason.NOT_AUTHORIZED,
)
_KNOWN_REASONS: Final = frozenset(Reason)


def _known(reason: int) -> int:
    if reason not in _KNOWN_REASONS:
        malformed(f"there is no reason code {reason}")
    return reason


def _reason(body: bytes, at: int, version: int, place: int) -> tuple[int, Properties]:
    """The optional end of many packets: a reason, then properties."""
    if at == len(body):
        return 0, NO_PROPERTIES
    if version != VERSION_5:
        malformed("bytes behind the end of the packet")
    reason, at = read_byte(body, at)
    properties = NO_PROPERTIES
    if at < len(body):
        properties, at = read_properties(body, at, place)
    _ended(body, at)
    return _known(reason), properties


def _answer(kind: type[Answer], place: int) -> Callable[[bytes, int], Answer]:
    def decode(body: bytes, version: int) -> Answer:
        packet_id, at = read_packet_id(body, 0)
        reason, properties = _reason(body, at, version, place)
        return kind(packet_id=packet_id, reason=reason, properties=properties)

    return decode


def _subscribe(body: bytes, version: int) -> Subscribe:
    packet_id, at, properties = _heading(body, version, places.SUBSCRIBE)
    wishes: list[TopicWish] = []
    while at < len(body):
        pattern, at = _pattern(body, at)
        options, at = read_byte(body, at)
        if options & 3 == 3 or options & (0xC0 if version == VERSION_5 else 0xFC) or options >> 4 & 3 == 3:
            malformed("a SUBSCRIBE with impossible options")
        wishes.append(
            TopicWish(
                pattern=pattern,
                qos=options & 3,
                no_local=bool(options & 4),
                retain_as_published=bool(options & 8),
                retain_handling=options >> 4 & 3,
            )
        )
    _check_count(len(wishes))
    return Subscribe(packet_id=packet_id, wishes=tuple(wishes), properties=properties)


def _unsubscribe(body: bytes, version: int) -> Unsubscribe:
    packet_id, at, properties = _heading(body, version, places.UNSUBSCRIBE)
    patterns: list[str] = []
    while at < len(body):
        pattern, at = _pattern(body, at)
        patterns.append(pattern)
    _check_count(len(patterns))
    return Unsubscribe(packet_id=packet_id, patterns=tuple(patterns), properties=properties)


def _heading(body: bytes, version: int, place: int) -> tuple[int, int, Properties]:
    packet_id, at = read_packet_id(body, 0)
    properties = NO_PROPERTIES
    if version == VERSION_5:
        properties, at = read_properties(body, at, place)
    return packet_id, at, properties


def _pattern(body: bytes, at: int) -> tuple[str, int]:
    pattern, at = read_text(body, at)
    try:
        check_pattern(pattern)
    except ValueError as problem:
        raise PacketRefused(Reason.TOPIC_FILTER_INVALID, str(problem)) from None
    return pattern, at


def _check_count(count: int) -> None:
    if count == 0:
        violation("a packet without a topic filter")
    if count > WISHES_MAX:
        raise PacketRefused(Reason.QUOTA_EXCEEDED, f"{count} topic filters in one packet, at most {WISHES_MAX}")


def _suback(body: bytes, version: int) -> Suback:
    packet_id, at, properties = _heading(body, version, places.SUBACK)
    return Suback(packet_id=packet_id, reasons=tuple(map(_known, body[at:])), properties=properties)


def _unsuback(body: bytes, version: int) -> Unsuback:
    packet_id, at, properties = _heading(body, version, places.UNSUBACK)
    if version != VERSION_5:
        _ended(body, at)
    return Unsuback(packet_id=packet_id, reasons=tuple(map(_known, body[at:])), properties=properties)


def _empty(packet: Packet) -> Callable[[bytes, int], Packet]:
    def decode(body: bytes, _version: int) -> Packet:
        _ended(body, 0)
        return packet

    return decode


def _disconnect(body: bytes, version: int) -> Disconnect:
    reason, properties = _reason(body, 0, version, places.DISCONNECT)
    return Disconnect(reason=reason, properties=properties)


def _auth(body: bytes, version: int) -> Auth:
    if version != VERSION_5:
        violation("MQTT 3.1.1 has no packet of type 15")
    reason, properties = _reason(body, 0, version, places.AUTH)
    return Auth(reason=reason, properties=properties)


BODIES: Final[dict[int, Callable[[bytes, int], Any]]] = {
    2: _connack,
    4: _answer(Puback, 4),
    5: _answer(Pubrec, 5),
    6: _answer(Pubrel, 6),
    7: _answer(Pubcomp, 7),
    8: _subscribe,
    9: _suback,
    10: _unsubscribe,
    11: _unsuback,
    12: _empty(Pingreq()),
    13: _empty(Pingresp()),
    14: _disconnect,
    15: _auth,
}
"""How the body of each type is read; PUBLISH and CONNECT need more than their body."""
