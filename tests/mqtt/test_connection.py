"""Connections: bytes in any pieces, packets in their order, one session, and an end with a reason."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtt.lobby import LASTING, Lobby, payloads, said, user, wish
from tidings.mqtt.limits import ALIASES_MAX, Limits
from tidings.wire.mqtt_encode import encode_packet
from tidings.wire.mqtt_packets import (
    Auth,
    Connack,
    Connect,
    Disconnect,
    Pingreq,
    Pingresp,
    Properties,
    Puback,
    Pubcomp,
    Publish,
    Pubrec,
    Pubrel,
    Suback,
    Unsubscribe,
)
from tidings.wire.mqtt_reasons import Reason

CONNECT = encode_packet(Connect(client_id="c"))


def test_packets_may_come_in_any_pieces():
    """Byte by byte, and a thousand in one."""
    lobby = Lobby()
    guest = lobby.guest()
    whole = CONNECT + b"".join(encode_packet(said("t", b"%d" % number)) for number in range(1_000))
    listener = lobby.join("s")
    listener.say(wish("t"))
    for place in range(len(CONNECT) + 60):
        guest.send(whole[place : place + 1])
    guest.send(whole[len(CONNECT) + 60 :])
    assert payloads(listener.take()) == [b"%d" % number for number in range(1_000)]


@pytest.mark.parametrize(
    "packet", [said("t"), wish("t"), Pingreq(), Disconnect(), Puback(packet_id=1)], ids=lambda one: type(one).__name__
)
def test_whoever_does_not_introduce_itself_is_not_answered(packet):
    """The first packet is a CONNECT, or nothing is."""
    guest = Lobby().guest()
    guest.decoder.version = 5
    assert guest.say(packet) == []
    assert guest.closed


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\0\0\0\x10",
        b"\x16\x03\x01\x02\0\x01",
        b"\x10\xff\xff\xff\xff",
        b"\x10\xff\xff\xff\x7f\0\0\0",
    ],
)
def test_strangers_get_nothing(data):
    """HTTP, TLS on a plain port, lengths that lie."""
    guest = Lobby().guest()
    assert guest.send(data) == []
    assert guest.closed


@pytest.mark.parametrize("level", [3, 6])
def test_other_versions_are_told_which_are_spoken(level):
    """In the words of the older protocol."""
    guest = Lobby().guest(version=4)
    data = bytearray(encode_packet(Connect(client_id="c", version=4)))
    data[8] = level
    assert guest.send(bytes(data)) == [Connack(reason=Reason.UNSUPPORTED_PROTOCOL_VERSION)]
    assert guest.closed


VIOLATIONS = {
    "a second CONNECT": (Connect(client_id="c"), Reason.PROTOCOL_ERROR),
    "a packet that only brokers send": (Connack(), Reason.PROTOCOL_ERROR),
    "an AUTH that nobody asked for": (Auth(), Reason.PROTOCOL_ERROR),
    "an alias that stands for nothing": (said("", properties=Properties(topic_alias=3)), Reason.PROTOCOL_ERROR),
    "an alias beyond the last": (
        said("t", properties=Properties(topic_alias=ALIASES_MAX + 1)),
        Reason.TOPIC_ALIAS_INVALID,
    ),
    "a session that was to end and shall live": (Disconnect(properties=LASTING), Reason.PROTOCOL_ERROR),
}


@pytest.mark.parametrize(("packet", "reason"), VIOLATIONS.values(), ids=VIOLATIONS)
def test_violations_end_the_connection_with_their_reason(packet, reason):
    """In MQTT 5; and nothing that comes behind them is taken."""
    lobby = Lobby()
    listener = lobby.join("s")
    listener.say(wish("#"))
    guest = lobby.join("c")
    guest.send(encode_packet(packet) + encode_packet(said("t")))
    assert guest.goodbye == reason
    assert listener.take() == []
    guest.send(encode_packet(said("t")))
    assert listener.take() == []


def test_the_older_version_ends_without_words():
    """It has none for this."""
    guest = Lobby().join("c", version=4)
    guest.send(encode_packet(Connect(client_id="c", version=4), 4))
    assert guest.goodbye is None


def test_bytes_that_are_no_packet_end_the_connection():
    """What came before them counts."""
    lobby = Lobby()
    listener = lobby.join("s")
    listener.say(wish("#"))
    guest = lobby.join("c")
    guest.send(encode_packet(said("t", b"good")) + b"\x36\x03\0\x01t")
    assert guest.goodbye == Reason.MALFORMED_PACKET
    assert payloads(listener.take()) == [b"good"]


def test_topic_aliases_stand_for_topics():
    """Until they are said anew; each connection has its own."""
    lobby = Lobby()
    listener = lobby.join("s")
    listener.say(wish("#"))
    guest, other = lobby.join("a"), lobby.join("b")
    alias = Properties(topic_alias=ALIASES_MAX)
    guest.say(
        said("x", properties=alias), said("", properties=alias), said("y", properties=alias), said("", properties=alias)
    )
    assert [packet.topic for packet in listener.take()] == ["x", "x", "y", "y"]
    other.say(said("", properties=alias))
    assert other.goodbye == Reason.PROTOCOL_ERROR


def test_a_ping_is_answered():
    """At once, whatever waits for the disk."""
    lobby = Lobby(durable=True)
    lobby.sync = False
    guest = lobby.guest()
    guest.send(CONNECT)
    assert guest.say(Pingreq())[-1] == Pingresp()


@pytest.mark.parametrize("version", [4, 5])
def test_silence_ends_a_connection(version):
    """After one and a half times what was promised; whatever is said counts."""
    lobby = Lobby()
    guest = lobby.join("c", version=version, keep_alive_s=10)
    lobby.wait(14)
    guest.say(Pingreq())
    lobby.wait(14)
    assert not guest.closed
    lobby.wait(1.1)
    assert guest.closed
    assert guest.goodbye == (Reason.KEEP_ALIVE_TIMEOUT if version == 5 else None)


def test_whoever_promises_nothing_may_be_silent():
    """For ever."""
    lobby = Lobby()
    guest = lobby.join("c")
    lobby.wait(10**6)
    assert not guest.closed


def test_a_promise_is_cut_to_what_is_bearable():
    """And the client is told."""
    lobby = Lobby(limits=Limits(keep_alive_s_max=20))
    guest = lobby.join("c", keep_alive_s=1_000)
    assert guest.welcome.properties.server_keep_alive_s == 20
    assert lobby.join("d", keep_alive_s=20).welcome.properties.server_keep_alive_s is None
    lobby.wait(30.1)
    assert guest.closed


def test_whoever_connects_has_little_time_to_say_so():
    """Byte by byte or not at all."""
    lobby = Lobby()
    slow, silent = lobby.guest(), lobby.guest()
    for place in range(4):
        slow.send(CONNECT[place : place + 1])
        lobby.wait(1)
    assert not slow.closed
    lobby.wait(1.1)
    assert slow.closed
    assert silent.closed
    assert slow.take() == silent.take() == []


def test_more_at_a_time_than_agreed_ends_the_connection():
    """What came with it is taken as far as the agreement goes."""
    lobby = Lobby(limits=Limits(receive_max=3))
    listener = lobby.join("s")
    listener.say(wish("#"))
    guest = lobby.join("c")
    assert guest.welcome.properties.receive_maximum == 3
    assert len(guest.say(*(said("t", qos=1, packet_id=number) for number in (1, 2, 3)))) == 3
    guest.say(*(said("t", qos=1, packet_id=number) for number in (1, 2, 3, 4)))
    assert guest.goodbye == Reason.RECEIVE_MAXIMUM_EXCEEDED
    assert len(listener.take()) == 6


def test_what_is_sent_before_the_answer_waits_for_it():
    """A client need not wait for its CONNACK."""
    lobby = Lobby(principals={"ann": (b"secret", "")})
    guest = lobby.guest()
    early = CONNECT_AS_ANN + encode_packet(wish("t")) + encode_packet(said("t", qos=1))
    first, *others = [type(packet).__name__ for packet in guest.send(early)]
    assert (first, sorted(others)) == ("Connack", ["Puback", "Suback"])


CONNECT_AS_ANN = encode_packet(Connect(client_id="c", user_name="ann", password=b"secret"))


def test_what_is_sent_before_a_refusal_is_forgotten():
    """And nothing of it is done."""
    lobby = Lobby(principals={"ann": (b"other", "")})
    listener_heard = lobby.front.house.counts
    guest = lobby.guest()
    heard = guest.send(CONNECT_AS_ANN + encode_packet(said("t")))
    assert [packet.reason for packet in heard] == [Reason.BAD_USER_NAME_OR_PASSWORD]
    assert guest.closed
    assert listener_heard.published == 0


def test_acknowledgements_of_what_was_never_sent_change_nothing():
    """They delete nothing, and nobody falls over them."""
    lobby = Lobby(durable=True)
    guest = lobby.join("s", properties=LASTING)
    guest.say(wish("t", 2))
    lobby.join("p").say(said("t", qos=2))
    assert [packet.packet_id for packet in guest.take()] == [1]
    assert guest.say(Puback(packet_id=1), Puback(packet_id=9), Pubcomp(packet_id=9)) == []
    (answer,) = guest.say(Pubrec(packet_id=9))
    assert (answer.reason, answer.packet_id) == (Reason.PACKET_IDENTIFIER_NOT_FOUND, 9)
    assert list(lobby.front.sessions.named("s").outgoing.flights) == [1]


def test_a_message_of_quality_2_can_be_refused_by_its_receiver():
    """It is over then."""
    lobby = Lobby()
    guest = lobby.join("s")
    guest.say(wish("t", 2))
    lobby.join("p").say(said("t", qos=2))
    guest.take()
    assert guest.say(Pubrec(packet_id=1, reason=Reason.QUOTA_EXCEEDED)) == []
    assert not lobby.front.sessions.named("s").outgoing.flights


def test_quality_2_takes_four_steps_in_each_direction():
    """And the identifier is free again."""
    lobby = Lobby()
    guest = lobby.join("s")
    guest.say(wish("t", 2))
    publisher = lobby.join("p")
    assert publisher.say(said("t", qos=2)) == [Pubrec(packet_id=1)]
    assert publisher.say(said("t", qos=2, duplicate=True)) == [Pubrec(packet_id=1)]
    assert publisher.say(Pubrel(packet_id=1)) == [Pubcomp(packet_id=1)]
    assert publisher.say(Pubrel(packet_id=1)) == [Pubcomp(packet_id=1, reason=Reason.PACKET_IDENTIFIER_NOT_FOUND)]
    assert [(packet.qos, packet.packet_id) for packet in guest.take()] == [(2, 1)]
    assert guest.say(Pubrec(packet_id=1)) == [Pubrel(packet_id=1)]
    assert guest.say(Pubcomp(packet_id=1)) == []
    assert publisher.say(said("t", qos=2)) == [Pubrec(packet_id=1)]
    assert len(guest.take()) == 1


PACKETS = st.sampled_from(
    (
        Connect(client_id="c"),
        said("t", qos=1),
        said("t", qos=2, packet_id=2),
        said("$tidings", qos=1, packet_id=3),
        said("", properties=Properties(topic_alias=1)),
        said("t", properties=Properties(topic_alias=1)),
        said("t", retain=True, properties=user(("attributes", "json"))),
        wish("t/+", 2),
        wish("$share/g/t"),
        wish("t", content="price >"),
        Unsubscribe(packet_id=4, patterns=("t/+", "no")),
        Puback(packet_id=1),
        Pubrec(packet_id=1),
        Pubrel(packet_id=2),
        Pubcomp(packet_id=1),
        Pingreq(),
        Auth(),
        Suback(packet_id=1, reasons=(0,)),
        Disconnect(),
        Disconnect(properties=LASTING),
    )
).map(encode_packet)


@given(st.lists(PACKETS | st.binary(max_size=8), max_size=12), st.booleans(), st.integers(0, 2**32))
def test_whatever_a_client_says_the_house_stands(pieces, durable, cut):
    """Any packets in any order, and bytes that are none: nobody else notices, and everything is let go in the end."""
    lobby = Lobby(durable=durable)
    watcher = lobby.join("w")
    watcher.say(wish("watched"))
    guest = lobby.guest()
    data = CONNECT + b"".join(pieces)
    cut %= len(data)
    for piece in (data[:cut], data[cut:]):
        if not guest.closed:
            guest.send(piece)
    if not guest.closed:
        guest.leave()
    lobby.wait(8 * 86_400)
    lobby.join("p").say(said("watched", b"still there"))
    assert payloads(watcher.take()) == [b"still there"]
    assert [session.name for session in lobby.front.sessions] == ["w", "p"]
    assert not any(lobby.claimed.values())


def test_packets_are_values():
    """What these tests compare is what travels."""
    assert msgspec.structs.replace(Pingresp()) == Pingresp()
    assert isinstance(said("t"), Publish)
