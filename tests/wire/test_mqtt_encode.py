"""Packets as bytes, against bytes written down by hand from the standard."""

import pytest

from tidings.errors import InputError
from tidings.wire.mqtt_encode import encode_packet, publish_bytes, publish_first, publish_head
from tidings.wire.mqtt_packets import (
    Connack,
    Connect,
    Disconnect,
    Pingreq,
    Properties,
    Puback,
    Publish,
    Pubrel,
    Suback,
    Subscribe,
    TopicWish,
    Unsuback,
    Will,
)

EXAMPLES = [
    (Connect(client_id="c", version=4, keep_alive_s=60), 4, "100d00044d5154540402003c000163"),
    (Connect(client_id="c"), 5, "100e00044d5154540502000000000163"),
    (Connect(client_id="", will=Will(topic="w", payload=b"x", qos=1, retain=True)), 5, None),
    (Connack(session_present=True), 4, "20020100"),
    (Connack(reason=0x87), 4, "20020005"),
    (Connack(), 5, "2003000000"),
    (Publish(topic="a/b", payload=b"hi"), 4, "30070003612f626869"),
    (Publish(topic="a", payload=b"x", qos=2, packet_id=258, duplicate=True, retain=True), 5, "3d07000161010200" + "78"),
    (Publish(topic="a", properties=Properties(user=(("k", "v"),))), 5, "300b000161072600016b000176"),
    (Puback(packet_id=1), 5, "40020001"),
    (Puback(packet_id=1, reason=0x10), 5, "4003000110"),
    (Puback(packet_id=1, reason=0x10), 4, "40020001"),
    (Pubrel(packet_id=1), 5, "62020001"),
    (Subscribe(packet_id=1, wishes=(TopicWish(pattern="a", qos=1, no_local=True),)), 5, "820700010000016105"),
    (Subscribe(packet_id=1, wishes=(TopicWish(pattern="a", qos=1, no_local=True),)), 4, "8206000100016101"),
    (Suback(packet_id=1, reasons=(1, 0x87)), 4, "900400010180"),
    (Suback(packet_id=1, reasons=(1, 0x87)), 5, "90050001000187"),
    (Unsuback(packet_id=1, reasons=(0,)), 4, "b0020001"),
    (Pingreq(), 5, "c000"),
    (Disconnect(), 5, "e000"),
    (Disconnect(reason=0x8B, properties=Properties(reason_text="x")), 5, "e0068b041f000178"),
]


@pytest.mark.parametrize(("packet", "version", "expected"), EXAMPLES)
def test_bytes_are_those_of_the_standard(packet, version, expected):
    """Worked out by hand; the will's flags are looked at by themselves."""
    written = encode_packet(packet, version)
    if expected is None:
        assert written[9] == 0b0010_1110
    else:
        assert written.hex() == expected


@pytest.mark.parametrize("qos", [0, 1, 2])
def test_shared_parts_make_the_same_message(qos):
    """Head and tail put together are the message that `encode_packet` makes."""
    packet_id = 7 if qos else 0
    packet = Publish(topic="a/b", payload=b"x" * 200, qos=qos, packet_id=packet_id, retain=True, duplicate=qos > 0)
    first = publish_first(qos, retain=True, duplicate=qos > 0)
    assert publish_bytes(first, publish_head("a/b", packet_id), b"\0" + packet.payload) == encode_packet(packet)


def test_fields_that_are_too_long_are_ours_to_mend():
    """Nothing is cut."""
    with pytest.raises(InputError, match="cannot be sent"):
        encode_packet(Publish(topic="t" * 65_536))
