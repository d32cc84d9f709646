"""What a broker has said about itself in its CONNACK, and how a client says who it is."""

from typing import Final

import msgspec

from tidings.errors import PacketRefused
from tidings.mqtt_client.options import ClientOptions
from tidings.wire.mqtt_decode import PACKET_BYTES_MAX
from tidings.wire.mqtt_fields import VARINT_MAX
from tidings.wire.mqtt_packets import Connack, Connect, Properties
from tidings.wire.mqtt_reasons import Reason

TIDINGS: Final = "tidings"
"""User property of a CONNECT that asks for carriers, and of the CONNACK that grants them."""
PUBLISHER: Final = "publisher"
NEXT: Final = "next"
NAME: Final = "name"
CLOCK: Final = "clock"
_RECEIVE_MAXIMUM: Final = 65_535
ALIASES_TAKEN: Final = 64
"""Topic aliases that the broker may use towards us."""


class Carrying(msgspec.Struct, frozen=True, gc=False):
    """How our events are named in carriers."""

    base: int
    """The identity of our event number 0."""
    next_number: int
    name: str
    """Of us, as the publisher."""


class Terms(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What holds on one connection."""

    session_present: bool = False
    keep_alive_s: int = 0
    receive_maximum: int = _RECEIVE_MAXIMUM
    packet_bytes_max: int = VARINT_MAX
    alias_max: int = 0
    maximum_qos: int = 2
    retain_available: bool = True
    ids_available: bool = True
    carrying: Carrying | None = None
    shift_ns: int = 0
    """What to add to the broker's instants to make them ours."""


def connect_packet(options: ClientOptions, *, clean_start: bool) -> Connect:
    """The first packet of a connection."""
    return Connect(
        client_id=options.client_id,
        clean_start=clean_start,
        keep_alive_s=options.keep_alive_s,
        user_name=options.user_name,
        password=None if options.password is None else options.password.value,
        will=options.will,
        properties=Properties(
            session_expiry_s=options.session_expiry_s,
            receive_maximum=options.receive_maximum,
            topic_alias_maximum=ALIASES_TAKEN,
            packet_bytes_maximum=PACKET_BYTES_MAX,
            user=((TIDINGS, "1"),) if options.carriers else (),
        ),
    )


def terms_of(packet: Connack, options: ClientOptions, now: int) -> Terms:
    """What a CONNACK says; PacketRefused when it makes no sense."""
    said = packet.properties
    carrying, shift_ns = None, 0
    pairs = dict(said.user)
    if options.carriers and pairs.get(TIDINGS) == "1":
        carrying, shift_ns = _carrying(pairs, options.clock, now)
    return Terms(
        session_present=packet.session_present,
        keep_alive_s=options.keep_alive_s if said.server_keep_alive_s is None else said.server_keep_alive_s,
        receive_maximum=said.receive_maximum or _RECEIVE_MAXIMUM,
        packet_bytes_max=said.packet_bytes_maximum or VARINT_MAX,
        alias_max=said.topic_alias_maximum or 0,
        maximum_qos=2 if said.maximum_qos is None else said.maximum_qos,
        retain_available=said.retain_available != 0,
        ids_available=said.subscription_ids_available != 0,
        carrying=carrying,
        shift_ns=shift_ns,
    )


def _carrying(pairs: dict[str, str], clock: str, now: int) -> tuple[Carrying, int]:
    try:
        carrying = Carrying(int(pairs[PUBLISHER]), int(pairs[NEXT]), pairs[NAME])
        name, _, instant = pairs[CLOCK].rpartition("/")
        shift_ns = 0 if name and name == clock else now - int(instant)
    except (KeyError, ValueError):
        raise PacketRefused(Reason.PROTOCOL_ERROR, "the broker's welcome does not say what carriers need") from None
    return carrying, shift_ns
