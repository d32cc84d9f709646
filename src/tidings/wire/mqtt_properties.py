"""Properties of MQTT 5 as bytes: which there are, where each may stand, how often, and with which values."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from tidings.wire.mqtt_fields import (
    malformed,
    read_binary,
    read_byte,
    read_four,
    read_pair,
    read_text,
    read_two,
    read_varint,
    violation,
    write_binary,
    write_number,
    write_pair,
    write_text,
    write_varint,
)
from tidings.wire.mqtt_packets import NO_PROPERTIES, Properties

USER_PROPERTIES_MAX: Final = 256
"""Pairs of one packet."""

CONNECT, CONNACK, PUBLISH, SUBSCRIBE, SUBACK, UNSUBSCRIBE, UNSUBACK = 1, 2, 3, 8, 9, 10, 11
ANSWERS: Final = (4, 5, 6, 7)
DISCONNECT, AUTH = 14, 15
WILL: Final = 16
"""Not a packet: the properties of the will inside CONNECT."""


class _Kind(NamedTuple):
    read: Callable[[bytes, int], tuple[Any, int]]
    write: Callable[[Any], bytes]


_BYTE: Final = _Kind(read_byte, lambda value: write_number(value, 1))
_TWO: Final = _Kind(read_two, lambda value: write_number(value, 2))
_FOUR: Final = _Kind(read_four, lambda value: write_number(value, 4))
_VARINT: Final = _Kind(read_varint, write_varint)
_TEXT: Final = _Kind(read_text, write_text)
_BINARY: Final = _Kind(read_binary, write_binary)
_PAIR: Final = _Kind(read_pair, write_pair)


class _Property(NamedTuple):
    field: str
    kind: _Kind
    places: tuple[int, ...]
    least: int = 0
    greatest: int = 2**32


_EVERYWHERE_ELSE: Final = (CONNACK, *ANSWERS, SUBACK, UNSUBACK, DISCONNECT, AUTH)
_ALL: Final = (CONNECT, PUBLISH, SUBSCRIBE, UNSUBSCRIBE, WILL, *_EVERYWHERE_ELSE)

_PROPERTIES: Final[dict[int, _Property]] = {
    1: _Property("payload_format", _BYTE, (PUBLISH, WILL), greatest=1),
    2: _Property("message_expiry_s", _FOUR, (PUBLISH, WILL)),
    3: _Property("content_type", _TEXT, (PUBLISH, WILL)),
    8: _Property("response_topic", _TEXT, (PUBLISH, WILL)),
    9: _Property("correlation", _BINARY, (PUBLISH, WILL)),
    11: _Property("subscription_ids", _VARINT, (PUBLISH, SUBSCRIBE), least=1),
    17: _Property("session_expiry_s", _FOUR, (CONNECT, CONNACK, DISCONNECT)),
    18: _Property("assigned_client_id", _TEXT, (CONNACK,)),
    19: _Property("server_keep_alive_s", _TWO, (CONNACK,)),
    21: _Property("authentication_method", _TEXT, (CONNECT, CONNACK, AUTH)),
    22: _Property("authentication_data", _BINARY, (CONNECT, CONNACK, AUTH)),
    23: _Property("problem_information", _BYTE, (CONNECT,), greatest=1),
    24: _Property("will_delay_s", _FOUR, (WILL,)),
    25: _Property("request_response_information", _BYTE, (CONNECT,), greatest=1),
    26: _Property("response_information", _TEXT, (CONNACK,)),
    28: _Property("server_reference", _TEXT, (CONNACK, DISCONNECT)),
    31: _Property("reason_text", _TEXT, _EVERYWHERE_ELSE),
    33: _Property("receive_maximum", _TWO, (CONNECT, CONNACK), least=1),
    34: _Property("topic_alias_maximum", _TWO, (CONNECT, CONNACK)),
    35: _Property("topic_alias", _TWO, (PUBLISH,), least=1),
    36: _Property("maximum_qos", _BYTE, (CONNACK,), greatest=1),
    37: _Property("retain_available", _BYTE, (CONNACK,), greatest=1),
    38: _Property("user", _PAIR, _ALL),
    39: _Property("packet_bytes_maximum", _FOUR, (CONNECT, CONNACK), least=1),
    40: _Property("wildcards_available", _BYTE, (CONNACK,), greatest=1),
    41: _Property("subscription_ids_available", _BYTE, (CONNACK,), greatest=1),
    42: _Property("shared_available", _BYTE, (CONNACK,), greatest=1),
}
_NUMBERS: Final = (_BYTE, _TWO, _FOUR, _VARINT)
_USER: Final = 38
_SUBSCRIPTION_ID: Final = 11


def read_properties(body: bytes, at: int, place: int) -> tuple[Properties, int]:
    """The properties at `at`, of a packet of type `place`, and the offset behind them."""
    size, at = read_varint(body, at)
    if size == 0:
        return NO_PROPERTIES, at
    end = at + size
    if end > len(body):
        malformed("the packet ends within its properties")
    user: list[tuple[str, str]] = []
    numbers: list[int] = []
    single: dict[str, Any] = {}
    while at < end:
        identifier = body[at]
        if identifier == _USER:
            pair, at = read_pair(body, at + 1)
            user.append(pair)
        else:
            at = _read_one(body, at, place, (single, numbers))
    if at != end:
        malformed("a property reaches beyond the properties")
    if len(user) > USER_PROPERTIES_MAX:
        violation(f"more than {USER_PROPERTIES_MAX} user properties")
    if place == SUBSCRIBE and len(numbers) > 1:
        violation("a SUBSCRIBE has one subscription identifier at most")
    return Properties(user=tuple(user), subscription_ids=tuple(numbers), **single), at


def _read_one(body: bytes, at: int, place: int, into: tuple[dict[str, Any], list[int]]) -> int:
    identifier, at = read_varint(body, at)
    known = _PROPERTIES.get(identifier)
    if known is None:
        malformed(f"there is no property {identifier}")
    if place not in known.places:
        violation(f"property {known.field} must not stand in this packet")
    value, at = known.kind.read(body, at)
    if known.kind in _NUMBERS and not known.least <= value <= known.greatest:
        violation(f"property {known.field} is {value}, it must lie in {known.least} to {known.greatest}")
    single, numbers = into
    if identifier == _SUBSCRIPTION_ID:
        numbers.append(value)
    elif known.field in single:
        violation(f"property {known.field} stands twice")
    else:
        single[known.field] = value
    return at


def property_bytes(properties: Properties) -> bytes:
    """The bytes of `properties`, without their length."""
    parts: list[bytes] = []
    for identifier, known in _PROPERTIES.items():
        value = getattr(properties, known.field)
        if value is None or value == ():
            continue
        sign = bytes((identifier,))
        values = value if isinstance(value, tuple) else (value,)
        parts += [sign + known.kind.write(one) for one in values]
    return b"".join(parts)


def write_properties(properties: Properties) -> bytes:
    """The bytes of `properties`, their length in front."""
    if properties is NO_PROPERTIES:
        return b"\0"
    data = property_bytes(properties)
    return write_varint(len(data)) + data
