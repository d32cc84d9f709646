"""The packets of MQTT 3.1.1 and 5 as values. What the older protocol lacks has the newer one's default here."""

from typing import Final, TypeAlias

import msgspec

VERSION_3_1_1: Final = 4
VERSION_5: Final = 5


class Properties(msgspec.Struct, frozen=True, kw_only=True, gc=False, repr_omit_defaults=True):
    """The properties of a packet; units are in the names, None says absent."""

    payload_format: int | None = None
    message_expiry_s: int | None = None
    content_type: str | None = None
    response_topic: str | None = None
    correlation: bytes | None = None
    subscription_ids: tuple[int, ...] = ()
    session_expiry_s: int | None = None
    assigned_client_id: str | None = None
    server_keep_alive_s: int | None = None
    authentication_method: str | None = None
    authentication_data: bytes | None = None
    problem_information: int | None = None
    will_delay_s: int | None = None
    request_response_information: int | None = None
    response_information: str | None = None
    server_reference: str | None = None
    reason_text: str | None = None
    receive_maximum: int | None = None
    topic_alias_maximum: int | None = None
    topic_alias: int | None = None
    maximum_qos: int | None = None
    retain_available: int | None = None
    user: tuple[tuple[str, str], ...] = ()
    packet_bytes_maximum: int | None = None
    wildcards_available: int | None = None
    subscription_ids_available: int | None = None
    shared_available: int | None = None


NO_PROPERTIES: Final = Properties()


class Will(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What the broker publishes for a client whose connection ends without a DISCONNECT."""

    topic: str
    payload: bytes
    qos: int = 0
    retain: bool = False
    properties: Properties = NO_PROPERTIES


class Connect(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A client's first packet; an empty `client_id` asks for one."""

    client_id: str
    version: int = VERSION_5
    clean_start: bool = True
    keep_alive_s: int = 0
    user_name: str | None = None
    password: bytes | None = None
    will: Will | None = None
    properties: Properties = NO_PROPERTIES


class Connack(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The broker's answer to CONNECT. In MQTT 3.1.1 `reason` is translated, there and back as far as it goes."""

    session_present: bool = False
    reason: int = 0
    properties: Properties = NO_PROPERTIES


class Publish(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One message; `packet_id` is 0 at QoS 0. An empty topic stands for the one of the topic alias."""

    topic: str
    payload: bytes = b""
    qos: int = 0
    retain: bool = False
    duplicate: bool = False
    packet_id: int = 0
    properties: Properties = NO_PROPERTIES


class Puback(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A QoS 1 message was taken, or refused."""

    packet_id: int
    reason: int = 0
    properties: Properties = NO_PROPERTIES


class Pubrec(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A QoS 2 message was taken, or refused."""

    packet_id: int
    reason: int = 0
    properties: Properties = NO_PROPERTIES


class Pubrel(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The sender of a QoS 2 message has forgotten it and will not repeat it."""

    packet_id: int
    reason: int = 0
    properties: Properties = NO_PROPERTIES


class Pubcomp(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The receiver of a QoS 2 message has forgotten its identifier."""

    packet_id: int
    reason: int = 0
    properties: Properties = NO_PROPERTIES


class TopicWish(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One entry of a SUBSCRIBE. `retain_handling`: 0 send retained messages, 1 only if new, 2 never."""

    pattern: str
    qos: int = 0
    no_local: bool = False
    retain_as_published: bool = False
    retain_handling: int = 0


class Subscribe(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A client wants what these patterns match."""

    packet_id: int
    wishes: tuple[TopicWish, ...]
    properties: Properties = NO_PROPERTIES


class Suback(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One reason for each wish, in their order."""

    packet_id: int
    reasons: tuple[int, ...]
    properties: Properties = NO_PROPERTIES


class Unsubscribe(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A client no longer wants what these patterns match."""

    packet_id: int
    patterns: tuple[str, ...]
    properties: Properties = NO_PROPERTIES


class Unsuback(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One reason for each pattern, in their order; MQTT 3.1.1 carries none."""

    packet_id: int
    reasons: tuple[int, ...] = ()
    properties: Properties = NO_PROPERTIES


class Pingreq(msgspec.Struct, frozen=True, gc=False):
    """A client is still there."""


class Pingresp(msgspec.Struct, frozen=True, gc=False):
    """So is the broker."""


class Disconnect(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The last packet of a connection, with the reason."""

    reason: int = 0
    properties: Properties = NO_PROPERTIES


class Auth(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A step of an extended authentication."""

    reason: int = 0
    properties: Properties = NO_PROPERTIES


Answer: TypeAlias = Puback | Pubrec | Pubrel | Pubcomp
Packet: TypeAlias = (
    Connect
    | Connack
    | Publish
    | Answer
    | Subscribe
    | Suback
    | Unsubscribe
    | Unsuback
    | Pingreq
    | Pingresp
    | Disconnect
    | Auth
)
