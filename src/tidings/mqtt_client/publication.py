"""One thing to be published: checked when it is asked for, and written in the forms that it travels in."""

from collections.abc import Mapping
from typing import Final

import msgspec

from tidings.errors import InputError
from tidings.mqtt.publication import ATTRIBUTES_CHARACTERS_MAX, ATTRIBUTES_MAX, BARE, LIFETIME, NO_ATTRIBUTES, RETAIN
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import FOREVER, SECOND, format_duration
from tidings.vocabulary.topic import check_topic
from tidings.vocabulary.value import Value, format_literal
from tidings.wire.carriers import TOPIC
from tidings.wire.event_rules import PAYLOAD_BYTES_MAX
from tidings.wire.mqtt_fields import write_varint
from tidings.wire.mqtt_packets import Properties
from tidings.wire.mqtt_properties import property_bytes

QOS_MAX: Final = 2
_OVERHEAD: Final = 200
"""Roughly what one publication takes in memory beside its payload."""
_INTEGER_MIN: Final = -(2**63)
_INTEGER_MAX: Final = 2**64 - 1
_BARE: Final = tuple(bytes((flags | BARE,)) for flags in range(8))
_NO_ATTRIBUTES: Final[Mapping[str, Value]] = {}


class Publication(msgspec.Struct, frozen=True):
    """What to publish. `qos` says what taking it means: 0 sent, 1 and 2 acknowledged by the broker."""

    topic: str
    payload: bytes = b""
    attributes: Mapping[str, Value] = _NO_ATTRIBUTES
    lifetime_ns: int = FOREVER
    qos: int = 1
    retain: bool = False


class Pending:
    """A publication between the application and the broker's acknowledgement."""

    __slots__ = ("expires_ns", "number", "publication", "published_ns", "size", "ticket")

    def __init__(self, publication: Publication, ticket: int, now: int) -> None:
        self.publication, self.ticket, self.published_ns = publication, ticket, now
        lifetime_ns = publication.lifetime_ns
        self.expires_ns = FOREVER if lifetime_ns >= FOREVER - now else now + lifetime_ns
        self.size = len(publication.payload) + len(publication.topic) + _OVERHEAD
        if publication.attributes:
            self.size += _attribute_bytes(publication.attributes)
        self.number = -1
        """Of the event among ours, once it has travelled in a carrier."""

    def event(self, identity: int, name: str, shift_ns: int, qos: int) -> Event:
        """As part of a carrier of quality `qos`; instants as the broker reads them."""
        one = self.publication
        expires_ns = self.expires_ns if self.expires_ns == FOREVER else max(0, self.expires_ns - shift_ns)
        return Event(
            identity,
            name,
            one.topic,
            min(max(0, self.published_ns - shift_ns), expires_ns),
            one.attributes,
            expires_ns,
            0,
            len(one.payload),
            one.payload,
            _BARE[qos | RETAIN * one.retain],
        )

    def tail(self, now: int, alias: int | None) -> bytes:
        """Properties and payload of a PUBLISH."""
        one = self.publication
        if alias is None and self.expires_ns == FOREVER and not one.attributes:
            return b"\0" + one.payload
        user = tuple((name, format_literal(value)) for name, value in one.attributes.items())
        expiry_s = None
        if self.expires_ns < FOREVER:
            left_ns = max(0, self.expires_ns - now)
            user += ((LIFETIME, format_duration(left_ns)),)
            expiry_s = min(-(-left_ns // SECOND), 0xFFFF_FFFF)
        data = property_bytes(Properties(message_expiry_s=expiry_s, topic_alias=alias, user=user))
        return write_varint(len(data)) + data + one.payload


def _attribute_bytes(attributes: Mapping[str, Value]) -> int:
    """At least what they take on their way."""
    return sum(30 + 4 * (len(name) + len(str(value))) for name, value in attributes.items())


def check_publication(one: Publication) -> None:
    """InputError, with a sentence, for what no broker of ours would take."""
    try:
        check_topic(one.topic)
        _check_attributes(one.attributes)
    except ValueError as problem:
        raise InputError(f"publish on {one.topic[:80]!r}: {problem}") from None
    if one.topic == TOPIC:
        raise InputError(f"publish on {TOPIC!r}: this topic is for rows of events")
    if len(one.payload) > PAYLOAD_BYTES_MAX:
        raise InputError(
            f"publish on {one.topic[:80]!r}: {len(one.payload)} bytes of payload, at most {PAYLOAD_BYTES_MAX}"
        )
    if not 0 <= one.qos <= QOS_MAX:
        raise InputError(f"qos = {one.qos} must be 0, 1 or 2")
    if one.lifetime_ns < 0:
        raise InputError("a lifetime must not be negative")


def _check_attributes(attributes: Mapping[str, Value]) -> None:
    size = 0
    for name, value in attributes.items():
        if not name or name in NO_ATTRIBUTES:
            raise ValueError(f"no attribute can be named {name!r}")
        if type(value) not in {str, int, float, bool}:
            raise ValueError(f"attribute {name[:40]!r} is a {type(value).__name__}; take str, int, float or bool")
        if type(value) is float and value - value != 0:
            raise ValueError(f"attribute {name[:40]!r} is {value}; numbers must be finite")
        if type(value) is int and not _INTEGER_MIN <= value <= _INTEGER_MAX:
            raise ValueError(f"attribute {name[:40]!r}: integers have at most 64 bits")
        size += len(name) + (len(value) if isinstance(value, str) else 0)
        _check_text(name, value)
    if len(attributes) > ATTRIBUTES_MAX or size > ATTRIBUTES_CHARACTERS_MAX:
        raise ValueError(
            f"{len(attributes)} attributes of {size} characters; at most {ATTRIBUTES_MAX} of {ATTRIBUTES_CHARACTERS_MAX}"
        )


def _check_text(name: str, value: Value) -> None:
    text = name + value if isinstance(value, str) else name
    if "\0" in text:
        raise ValueError(f"attribute {name[:40]!r} holds NUL")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"attribute {name[:40]!r}: text must be valid Unicode, without lone surrogates") from None
