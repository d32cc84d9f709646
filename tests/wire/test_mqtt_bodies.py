"""The bodies of packets: what each type must not say."""

import pytest

from tidings.errors import PacketRefused
from tidings.wire.mqtt_bodies import BODIES, WISHES_MAX, read_connect, read_packet_id
from tidings.wire.mqtt_fields import write_text
from tidings.wire.mqtt_reasons import Reason

NAME = b"\x00\x04MQTT"
M, P = Reason.MALFORMED_PACKET, Reason.PROTOCOL_ERROR

CONNECTS = {
    "another protocol": (b"\x00\x06MQIsdp\x03\x02\x00\x00\x00\x01c", Reason.UNSUPPORTED_PROTOCOL_VERSION),
    "another version": (NAME + b"\x06\x02\x00\x00\x00\x00\x01c", Reason.UNSUPPORTED_PROTOCOL_VERSION),
    "the reserved flag": (NAME + b"\x05\x03\x00\x00\x00\x00\x01c", M),
    "a will's QoS without a will": (NAME + b"\x05\x0a\x00\x00\x00\x00\x01c", M),
    "a will at QoS 3": (NAME + b"\x05\x1e\x00\x00\x00\x00\x01c", M),
    "an old password without a name": (NAME + b"\x04\x42\x00\x00\x00\x01c\x00\x01p", M),
    "a will on a wildcard": (NAME + b"\x05\x06\x00\x00\x00\x00\x01c\x00\x00\x01#\x00\x00", Reason.TOPIC_NAME_INVALID),
    "more behind it": (NAME + b"\x05\x02\x00\x00\x00\x00\x01cx", M),
    "nothing": (b"", M),
}


@pytest.mark.parametrize(("body", "reason"), CONNECTS.values(), ids=CONNECTS)
def test_malformed_connects_are_refused(body, reason):
    """One thing wrong at a time."""
    with pytest.raises(PacketRefused) as refusal:
        read_connect(body)
    assert refusal.value.reason == reason


BAD = {
    "a subscription to nothing": (8, b"\x00\x01\x00", 5, P),
    "QoS 3": (8, b"\x00\x01\x00\x00\x01a\x03", 5, M),
    "retain handling 3": (8, b"\x00\x01\x00\x00\x01a\x30", 5, M),
    "a new option in the old version": (8, b"\x00\x01\x00\x01a\x04", 4, M),
    "a pattern without sense": (8, b"\x00\x01\x00\x00\x02a+\x00", 5, Reason.TOPIC_FILTER_INVALID),
    "# in the middle": (8, b"\x00\x01\x00\x00\x03#/a\x00", 5, Reason.TOPIC_FILTER_INVALID),
    "an empty pattern": (10, b"\x00\x01\x00\x00\x00", 5, Reason.TOPIC_FILTER_INVALID),
    "a farewell to nothing": (10, b"\x00\x01\x00", 5, P),
    "packet identifier 0": (4, b"\x00\x00", 5, P),
    "an unknown reason": (4, b"\x00\x01\x55", 5, M),
    "a reason in the old version": (4, b"\x00\x01\x00", 4, M),
    "more behind the properties": (4, b"\x00\x01\x00\x00\x00", 5, M),
    "a body where there is none": (12, b"\x00", 5, M),
    "an authentication in the old version": (15, b"", 4, P),
    "an impossible CONNACK": (2, b"\x02\x00\x00", 5, M),
    "an unknown return code": (2, b"\x00\x06", 4, M),
    "an old CONNACK that is too long": (2, b"\x00\x00\x00", 4, M),
    "an old UNSUBACK that is too long": (11, b"\x00\x01\x00", 4, M),
}


@pytest.mark.parametrize(("kind", "body", "version", "reason"), BAD.values(), ids=BAD)
def test_malformed_bodies_are_refused(kind, body, version, reason):
    """One thing wrong at a time."""
    with pytest.raises(PacketRefused) as refusal:
        BODIES[kind](body, version)
    assert refusal.value.reason == reason


@pytest.mark.parametrize(("kind", "end"), [(8, b"\x00"), (10, b"")])
def test_lists_of_patterns_have_a_bound(kind, end):
    """A thousand, and no more."""
    body = b"\x00\x01\x00" + (write_text("a") + end) * WISHES_MAX
    assert BODIES[kind](body, 5).packet_id == 1
    with pytest.raises(PacketRefused) as refusal:
        BODIES[kind](body + write_text("a") + end, 5)
    assert refusal.value.reason == Reason.QUOTA_EXCEEDED


def test_packet_identifiers_are_never_0():
    """And come with the offset behind them."""
    assert read_packet_id(b"x\x01\x02", 1) == (0x102, 3)
    with pytest.raises(PacketRefused):
        read_packet_id(b"\x00\x00", 0)
