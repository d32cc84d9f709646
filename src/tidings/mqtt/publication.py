"""From a PUBLISH to the event that it means: attributes, lifetime, and what is handed on unread.

Attributes are user properties, read as filter literals, bare text as a string; and the top-level scalars of a JSON
payload, when the user property `attributes` says `json`. The lifetime is the user property `lifetime` or the message
expiry, whichever is shorter. What cannot be read is refused, never left out.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import msgspec

from tidings.errors import PacketRefused
from tidings.vocabulary.event import CARRIED_BYTES_MAX, Event
from tidings.vocabulary.filter import TOPIC
from tidings.vocabulary.instant import FOREVER, SECOND, parse_duration
from tidings.vocabulary.value import Value, parse_literal
from tidings.wire.mqtt_packets import NO_PROPERTIES, Properties, Publish
from tidings.wire.mqtt_properties import property_bytes
from tidings.wire.mqtt_reasons import Reason

QOS: Final = 0x03
RETAIN: Final = 0x04
BARE: Final = 0x10
"""Nothing is carried: attributes are to be written as user properties."""
KEPT: Final = 0x08
"""Sent to a new subscriber because it had been retained."""
RELIABLE: Final = 1
"""Quality of service of an event that came through no face."""

LIFETIME: Final = "lifetime"
ATTRIBUTES: Final = "attributes"
NO_ATTRIBUTES: Final = (LIFETIME, ATTRIBUTES, TOPIC)
"""User properties with a meaning of their own, or whose name is taken."""
ATTRIBUTES_MAX: Final = 256
ATTRIBUTES_CHARACTERS_MAX: Final = 1 << 14
"""Names and string values together."""
_INTEGER_MIN: Final = -(2**63)
_INTEGER_MAX: Final = 2**64 - 1

_CARRIED: Final = tuple(bytes((flags,)) for flags in range(8))
"""Of events without properties, by flags."""


class Facts(NamedTuple):
    """What the broker knows about a publication."""

    identity: int
    publisher: str
    topic: str
    now: int
    json: bool = False
    """Payloads are read although their publishers do not ask for it."""


def event_of(packet: Publish, facts: Facts) -> Event:
    """The event that a packet means; PacketRefused with MQTT's reason when it means none."""
    payload, properties = packet.payload, packet.properties
    attributes: dict[str, Value] = {}
    expires_ns, carried = FOREVER, _CARRIED[packet.qos | packet.retain << 2]
    if properties is not NO_PROPERTIES:
        attributes = attributes_of(properties.user)
        expires_ns = facts.now + min(lifetime_of(properties), FOREVER - facts.now)
        carried += _carried(properties)
    if facts.json or (properties.user and wants_json(properties.user)):
        attributes = {**json_attributes(payload), **attributes}
        _check_size(attributes)
    return Event(
        facts.identity,
        facts.publisher,
        facts.topic,
        facts.now,
        attributes,
        expires_ns,
        0,
        len(payload),
        payload,
        carried,
    )


def quality(event: Event) -> int:
    """The quality of service with which the event was published."""
    return event.carried[0] & QOS if event.carried else RELIABLE


def is_retained(event: Event) -> bool:
    """True when the event was published to be kept for later subscribers."""
    return bool(event.carried) and bool(event.carried[0] & RETAIN)


def is_kept(event: Event) -> bool:
    """True for a copy that is sent because the event had been retained."""
    return bool(event.carried) and bool(event.carried[0] & KEPT)


def as_kept(event: Event) -> Event:
    """The copy of a retained event that a new subscriber is sent."""
    return msgspec.structs.replace(event, carried=bytes((event.carried[0] | KEPT,)) + event.carried[1:])


def attributes_of(pairs: Iterable[tuple[str, str]]) -> dict[str, Value]:
    """The attributes that user properties mean; of two with one name the later counts."""
    attributes = {name: _value(text) for name, text in pairs if name and name not in NO_ATTRIBUTES}
    _check_size(attributes)
    return attributes


def lifetime_of(properties: Properties) -> int:
    """How long after now a message may be shown, in nanoseconds; FOREVER without any word about it."""
    lifetime = FOREVER if properties.message_expiry_s is None else properties.message_expiry_s * SECOND
    for name, text in properties.user:
        if name == LIFETIME:
            try:
                lifetime = min(lifetime, parse_duration(text))
            except ValueError as problem:
                raise _unusable(f"lifetime {text[:40]!r}: {problem}") from None
    return lifetime


def wants_json(pairs: Iterable[tuple[str, str]]) -> bool:
    """True when a publisher asks for its payload to be read."""
    found = [text for name, text in pairs if name == ATTRIBUTES]
    if found and found != ["json"]:
        raise _unusable(f'attributes {found[-1][:40]!r}: only "json" can be read')
    return bool(found)


def json_attributes(payload: bytes) -> dict[str, Value]:
    """The top-level scalars of a JSON object; null, lists and objects in it are no attributes."""
    try:
        document: Any = msgspec.json.decode(payload)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise PacketRefused(
            Reason.PAYLOAD_FORMAT_INVALID, "the payload was to be read as attributes, but is no JSON object"
        )
    scalars = {
        name: value
        for name, value in document.items()
        if isinstance(value, str | int | float) and name not in NO_ATTRIBUTES
    }
    for name, value in scalars.items():
        _check_number(name, value)
    return scalars


def _value(text: str) -> Value:
    try:
        value = parse_literal(text)
    except ValueError:
        return text
    _check_number("an attribute", value)
    return value


def _check_number(name: str, value: Value) -> None:
    if type(value) is int and not _INTEGER_MIN <= value <= _INTEGER_MAX:
        raise _unusable(f"{name[:40]}: integers have at most 64 bits")


def _check_size(attributes: dict[str, Value]) -> None:
    size = sum(len(name) + len(value) if isinstance(value, str) else len(name) for name, value in attributes.items())
    if len(attributes) > ATTRIBUTES_MAX or size > ATTRIBUTES_CHARACTERS_MAX:
        raise PacketRefused(
            Reason.QUOTA_EXCEEDED,
            f"{len(attributes)} attributes of {size} characters; at most {ATTRIBUTES_MAX} of {ATTRIBUTES_CHARACTERS_MAX}",
        )


def _carried(properties: Properties) -> bytes:
    """What subscribers are handed as it came; the rest is said anew by whoever sends it, or was for the broker."""
    kept = msgspec.structs.replace(properties, message_expiry_s=None, topic_alias=None, will_delay_s=None)
    data = property_bytes(kept)
    if len(data) >= CARRIED_BYTES_MAX:
        raise PacketRefused(
            Reason.PACKET_TOO_LARGE, f"{len(data)} bytes of properties, at most {CARRIED_BYTES_MAX} travel"
        )
    return data


def _unusable(sentence: str) -> PacketRefused:
    return PacketRefused(Reason.IMPLEMENTATION_SPECIFIC_ERROR, sentence)
