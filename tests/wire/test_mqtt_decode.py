"""The decoder: what was encoded comes back, however it was cut; what is malformed is refused, and nothing else happens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidings.errors import PacketRefused
from tidings.wire.mqtt_decode import FIRST_BYTES_MAX, PACKET_BYTES_MAX, MqttDecoder
from tidings.wire.mqtt_encode import encode_packet
from tidings.wire.mqtt_packets import Connect, Pingreq, Properties, Publish
from tidings.wire.mqtt_reasons import Reason
from wire import mqtt_strategies as made

VERSIONS = (4, 5)
CONNECT = encode_packet(Connect(client_id="c"))


def refusal(data, *, version=5, sender="client", **options):
    """Why `data` is refused by a decoder that has just taken a CONNECT."""
    decoder = MqttDecoder(sender, version=version, **options)
    assert decoder.feed(data) == []
    assert decoder.refused is not None
    assert str(decoder.refused).isprintable()
    return decoder.refused


def packets(version):
    """Rows of packets together with who sends them."""
    return st.one_of(
        st.tuples(st.just("client"), st.lists(made.from_client(version), max_size=5)),
        st.tuples(st.just("server"), st.lists(made.from_server(version), max_size=5)),
    )


@pytest.mark.parametrize("version", VERSIONS)
@given(data=st.data())
def test_packets_come_back(version, data):
    """In one piece, and byte by byte."""
    sender, row = data.draw(packets(version))
    written = b"".join(encode_packet(packet, version) for packet in row)
    whole, split = MqttDecoder(sender, version=version), MqttDecoder(sender, version=version)
    assert whole.feed(written) == row
    assert [packet for byte in written for packet in split.feed(bytes((byte,)))] == row
    assert (whole.refused, split.refused) == (None, None)


@pytest.mark.parametrize("version", VERSIONS)
@given(data=st.data())
def test_every_cut_gives_the_same_packets(version, data):
    """Two pieces, cut anywhere."""
    row = data.draw(st.lists(made.from_client(version), min_size=1, max_size=4))
    connect = data.draw(made.connects(version))
    written = encode_packet(connect, version) + b"".join(encode_packet(packet, version) for packet in row)
    cut = data.draw(st.integers(0, len(written)))
    decoder = MqttDecoder("client")
    assert decoder.feed(written[:cut]) + decoder.feed(written[cut:]) == [connect, *row]
    assert decoder.version == version


@pytest.mark.parametrize("version", VERSIONS)
@settings(max_examples=400)
@given(data=st.data())
def test_mutated_bytes_raise_nothing_but_refusals(version, data):
    """Flipped, inserted and removed bytes: packets or a refusal with a code that MQTT has, never anything else."""
    sender, row = data.draw(packets(version))
    written = bytearray(b"".join(encode_packet(packet, version) for packet in row))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, max(0, len(written) - 1)))
        written[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    decoder = MqttDecoder(sender, version=version)
    decoder.feed(bytes(written))
    if decoder.refused is not None:
        assert decoder.refused.reason in frozenset(Reason)
        with pytest.raises(PacketRefused):
            decoder.feed(b"")


@given(st.binary(max_size=64), st.sampled_from(("client", "server")), st.sampled_from((0, 4, 5)))
def test_noise_raises_nothing_but_refusals(data, sender, version):
    """Bytes that nobody meant to be MQTT."""
    decoder = MqttDecoder(sender, version=version)
    decoder.feed(data)
    if decoder.refused is not None:
        assert decoder.refused.reason in frozenset(Reason)


def test_a_thousand_packets_in_one_piece():
    """They are one batch."""
    row = [Publish(topic=f"t/{number}", payload=bytes(number % 7)) for number in range(1000)]
    assert MqttDecoder("client", version=5).feed(b"".join(map(encode_packet, row))) == row


def test_the_packets_before_a_bad_one_count():
    """The call that finds it gives them; the next one raises."""
    decoder = MqttDecoder("client")
    assert decoder.feed(CONNECT + b"\xc0\x00\xc1\x00") == [Connect(client_id="c"), Pingreq()]
    with pytest.raises(PacketRefused):
        decoder.feed(b"\xc0\x00")


def test_the_first_packet_is_a_small_connect():
    """Nobody makes us wait for more before having said who it is."""
    assert refusal(b"\xc0\x00", version=0).reason == Reason.PROTOCOL_ERROR
    assert refusal(bytes((0x10, 0x81, 0x20)), version=0).reason == Reason.PACKET_TOO_LARGE
    assert MqttDecoder("client").feed(bytes((0x10, 0x80, 0x20))) == []
    assert FIRST_BYTES_MAX == 4096
    second = MqttDecoder("client")
    assert len(second.feed(CONNECT + CONNECT)) == 1
    assert second.refused.reason == Reason.PROTOCOL_ERROR


LENGTHS = {
    "five bytes": (b"\x30\xff\xff\xff\xff\x01", Reason.MALFORMED_PACKET),
    "longer than needed": (b"\xc0\x80\x00", Reason.MALFORMED_PACKET),
    "beyond the limit": (b"\x30\xff\xff\xff\x7f", Reason.PACKET_TOO_LARGE),
}


@pytest.mark.parametrize(("data", "reason"), LENGTHS.values(), ids=LENGTHS)
def test_lengths_that_lie_are_refused_at_once(data, reason):
    """Before anything of the body has arrived."""
    assert refusal(data).reason == reason


def test_an_unfinished_packet_takes_no_more_than_its_limit():
    """The announced length is judged first; what waits is at most one packet, and is not copied for each byte."""
    decoder = MqttDecoder("client", version=5)
    body = b"\x00\x01t\x00" + bytes(PACKET_BYTES_MAX - 4)
    written = (
        b"\x30"
        + bytes((0x80 | PACKET_BYTES_MAX & 0x7F, 0x80 | PACKET_BYTES_MAX >> 7 & 0x7F, PACKET_BYTES_MAX >> 14))
        + body
    )
    for at in range(0, len(written) - 1, 1000):
        assert decoder.feed(written[at : min(at + 1000, len(written) - 1)]) == []
    assert decoder.feed(written[-1:]) == [Publish(topic="t", payload=bytes(PACKET_BYTES_MAX - 4))]


PUBLISHES = {
    "QoS 3": (b"\x36\x05\x00\x01t\x00\x01", Reason.MALFORMED_PACKET),
    "a repetition at QoS 0": (b"\x38\x04\x00\x01t\x00", Reason.MALFORMED_PACKET),
    "packet identifier 0": (b"\x32\x06\x00\x01t\x00\x00\x00", Reason.PROTOCOL_ERROR),
    "no topic": (b"\x30\x03\x00\x00\x00", Reason.PROTOCOL_ERROR),
    "a wildcard": (b"\x30\x04\x00\x01#\x00", Reason.TOPIC_NAME_INVALID),
    "NUL": (b"\x30\x04\x00\x01\x00\x00", Reason.TOPIC_NAME_INVALID),
    "no UTF-8": (b"\x30\x04\x00\x01\xff\x00", Reason.MALFORMED_PACKET),
    "a surrogate": (b"\x30\x06\x00\x03\xed\xa0\x80\x00", Reason.MALFORMED_PACKET),
    "an overlong letter": (b"\x30\x05\x00\x02\xc0\x80\x00", Reason.MALFORMED_PACKET),
    "an end within the topic": (b"\x30\x03\x00\x02t", Reason.MALFORMED_PACKET),
    "200 levels": (bytes((0x30, 0xCB, 0x01, 0, 200)) + b"/" * 200 + b"\x00", Reason.TOPIC_NAME_INVALID),
    "a subscription identifier": (b"\x30\x06\x00\x01t\x02\x0b\x01", Reason.PROTOCOL_ERROR),
    "a packet of servers": (b"\xd0\x00", Reason.PROTOCOL_ERROR),
    "a type that there is not": (b"\x00\x00", Reason.PROTOCOL_ERROR),
    "flags that mean nothing": (b"\xc1\x00", Reason.MALFORMED_PACKET),
}


@pytest.mark.parametrize(("data", "reason"), PUBLISHES.values(), ids=PUBLISHES)
def test_malformed_messages_are_refused(data, reason):
    """One thing wrong at a time."""
    assert refusal(data).reason == reason


def test_names_that_look_alike_are_different_topics():
    """Nothing is normalised: composed, decomposed, with a byte order mark, in another case, with an empty level."""
    topics = ("é", "e\u0301", "\ufeffé", "É", "a//b", "a/b")
    row = [Publish(topic=topic) for topic in topics]
    assert [
        packet.topic for packet in MqttDecoder("client", version=5).feed(b"".join(map(encode_packet, row)))
    ] == list(topics)


def test_topics_are_remembered_within_bounds():
    """More topics than are remembered still come back right, and the long ones are not kept."""
    decoder = MqttDecoder("client", version=5)
    row = [Publish(topic=f"t{number}") for number in range(5000)] + [Publish(topic="t" * 300)] * 2
    assert decoder.feed(b"".join(map(encode_packet, row))) == row


def test_an_alias_may_stand_for_a_topic():
    """Whether there is such an alias is for the session to say."""
    packet = Publish(topic="", properties=Properties(topic_alias=3))
    assert MqttDecoder("client", version=5).feed(encode_packet(packet)) == [packet]
