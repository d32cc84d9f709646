"""Attacks and bad input against a broker process: whoever is hostile is refused, and nobody else notices.

The numbers are those of the list of attacks in docs/reference/broker.md.
"""

import contextlib
import select
import socket
import ssl
import time

import pytest

from runtime.guarded_broker import CONFIG, GuardedBroker, Raw
from runtime.paho_guest import PahoGuest
from runtime.real_broker import RealBroker, mosquitto, refused
from tidings.wire.mqtt_encode import encode_packet
from tidings.wire.mqtt_packets import (
    Connack,
    Connect,
    Disconnect,
    Pingreq,
    Pingresp,
    Properties,
    Puback,
    Publish,
    Suback,
    Will,
)
from tidings.wire.mqtt_reasons import Reason

LASTING = Properties(session_expiry_s=1_000)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """One broker for all attacks."""
    with GuardedBroker(tmp_path_factory.mktemp("guarded")) as broker:
        yield broker


@pytest.fixture
def broker(running):
    """The broker; after each attack somebody honest is served by it, and its memory is bounded."""
    yield running
    with running.guest("ann") as ann:
        ann.wants("honest")
        assert ann.publishes("honest", b"word").payload == b"word"
    assert running.rss_mib() < 300
    assert not any("Traceback" in line for line in running.lines if line)


def a_moment():
    """Whoever is slow or patient lets so much time go by."""
    select.select([], [], [], 0.05)


def connect_bytes(broker, name="ann", **fields):
    """A good CONNECT."""
    return encode_packet(Connect(client_id="", user_name=name, password=broker.tokens[name].encode(), **fields), 5)


@pytest.mark.parametrize("length", [b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff\x7f", b"\x80\x80\x80\x80\x01"])
def test_case_1_lengths_that_lie(broker, length):
    """Before somebody is known at most 4 KiB are waited for, later a payload and what belongs to it; never for ever."""
    with broker.raw() as raw:
        raw.send(b"\x10" + length + b"abc")
        assert raw.rest() == []
    with broker.guest("ann") as ann:
        ann.send(b"\x30" + length + b"abc")
        assert [packet.reason for packet in ann.rest()][-1] in {Reason.PACKET_TOO_LARGE, Reason.MALFORMED_PACKET}


def test_case_2_whoever_says_nothing_or_little(broker):
    """Two hundred connections that hardly say anything are gone after a second, and so is one that drips."""
    quiet = [broker.raw() for _ in range(200)]
    for one in quiet[:100]:
        one.send(b"\x10")
    dripping = broker.raw()
    data = connect_bytes(broker)
    for place in range(len(data)):
        dripping.send(data[place : place + 1])
        a_moment()
    for one in [*quiet, dripping]:
        with one:
            assert one.rest() == []


@pytest.mark.parametrize(
    "first", [b"\x30\x05\0\1a\0x", b"\xc0\0", b"\x20\3\0\0\0", b"\0\0", b"GET / HTTP/1.1\r\n\r\n", b"\x16\3\1\2\0\1\0"]
)
def test_case_3_what_nobody_says_first(broker, first):
    """Not a CONNECT: no answer at all."""
    with broker.raw() as raw:
        raw.send(first)
        assert raw.rest() == []


@pytest.mark.parametrize("later", [b"\x20\3\0\0\0", b"\x90\4\0\1\0\0", b"\0\0", b"\xd0\0", "again"])
def test_case_3_what_nobody_says_later(broker, later):
    """A second CONNECT, what only a broker sends, what does not exist."""
    with broker.guest("ann") as ann:
        ann.send(connect_bytes(broker) if later == "again" else later)
        assert [type(packet) for packet in ann.rest()] == [Disconnect]


def test_case_3_packets_in_any_pieces(broker):
    """Cut at every byte, and a thousand in one segment."""
    data = connect_bytes(broker) + encode_packet(Pingreq(), 5)
    for place in range(1, len(data), 3):
        with broker.raw() as raw:
            raw.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            raw.send(data[:place])
            raw.send(data[place:])
            assert [type(raw.hear()), type(raw.hear())] == [Connack, Pingresp]
    with broker.guest("ann") as ann:
        ann.say(*(Pingreq() for _ in range(1_000)))
        assert [type(ann.hear()) for _ in range(1_000)] == [Pingresp] * 1_000


@pytest.mark.parametrize(
    "topic", [b"", b"a\0b", b"a\xc0\xaf", b"a\xed\xa0\x80", b"a/+", b"#", b"a/#/b", b"\xff\xfe", b"$SYS/x"]
)
def test_case_4_topics_that_are_none(broker, topic):
    """Nothing of them is published: they end the connection, or are refused."""
    with broker.guest("ann") as ann:
        body = len(topic).to_bytes(2, "big") + topic + b"\0\1\0x"
        ann.send(b"\x32" + bytes((len(body),)) + body)
        assert ann.hear().reason >= 0x80


def test_case_4_long_and_twin_topics(broker):
    """65,535 bytes and as many levels are topics like others; twins in other letters are others, for rights as well."""
    with broker.guest("ann") as ann, broker.guest("bob") as bob:
        for topic in ("t" * 65_535, "/" * 65_535):
            assert ann.publishes(topic).reason in {0, Reason.NO_MATCHING_SUBSCRIBERS, Reason.TOPIC_NAME_INVALID}
        assert bob.publishes("caf\u00e9/x").reason < 0x80
        for twin in ("cafe\u0301/x", "CAF\u00c9/x", "caf\u00e9//x", "caf\u00e9/x/"):
            assert bob.publishes(twin).reason == Reason.NOT_AUTHORIZED


@pytest.mark.parametrize(
    "content",
    [
        "(" * 30_000 + "a > 1" + ")" * 30_000,
        " or ".join(f"a{n} > 1" for n in range(5_000)),
        f"a in ({', '.join(str(n) for n in range(9_000))})",
        'a matches "(a+)+$"',
        "a ~ 1",
        "a == nan",
        "a == 1e999",
        "",
        "price >",
        "\x1b[31m == 1",
    ],
)
def test_cases_5_and_6_filters_that_are_none(broker, content):
    """Refused in one sentence that does not repeat them."""
    with broker.guest("ann") as ann:
        suback = ann.wants("t", user=(("filter", content),))
        assert suback.reasons[0] >= 0x80
        assert "\x1b" not in suback.properties.reason_text
        assert len(suback.properties.reason_text) < 300


def test_case_6_numbers(broker):
    """Families are kept apart, and what is no number of ours is refused or a text, never something else."""
    with broker.guest("ann") as ann:
        ann.wants("n", user=(("filter", "v == 1"),))
        for value in ("true", '"1"', "nan", "-0.0", "1.0000000000000002", "1", "1.0"):
            ann.say(
                Publish(
                    topic="n", payload=value.encode(), qos=1, packet_id=9, properties=Properties(user=(("v", value),))
                )
            )
        shown = []
        while len(shown) < 2:
            packet = ann.hear(Publish)
            shown.append(packet.payload)
        assert shown == [b"1", b"1.0"]
        for value in ("9" * 5_000, str(2**64), "1e999"):
            ann.say(Publish(topic="n", qos=1, packet_id=9, properties=Properties(user=(("v", value),))))
        ann.say(Pingreq())
        while not isinstance(packet := ann.hear(), Pingresp):
            assert isinstance(packet, Puback)
        refusal = ann.publishes("n", b'{"v": 1, "v": 2}', properties=Properties(user=(("attributes", "xml"),)))
        assert refusal.reason >= 0x80


def test_cases_7_and_8_payloads_are_bytes(broker):
    """Whatever they look like: nobody reads them, nobody unpacks them; TLS does not compress either."""
    bombs = [
        b"\x80\x04\x95cos\nsystem\n",
        b"!!python/object/apply:os.system",
        b'{"py/object": "os.system"}',
        b"\x1f\x8b\x08" + bytes(9_000),
    ]
    with broker.guest("ann") as ann:
        ann.wants("bomb")
        for bomb in bombs:
            assert ann.publishes("bomb", bomb).payload == bomb
            ann.hear(Puback)
        assert ann.publishes("bomb", bytes(100_001)).reason == Reason.PACKET_TOO_LARGE
    with Raw(broker.tls_port, tls=broker.certificates.client()) as raw:
        assert raw.socket.compression() is None


def test_case_9_one_client_twice(broker):
    """The second wins; nothing is said to the first any more."""
    with broker.guest("ann", "twin", properties=LASTING) as first:
        first.wants("twin")
        with broker.guest("ann", "twin", properties=LASTING, clean_start=False) as second:
            assert second.welcome.session_present
            assert [packet.reason for packet in first.rest()] == [Reason.SESSION_TAKEN_OVER]
            assert second.publishes("twin", b"after").payload == b"after"


def test_case_10_a_session_belongs_to_a_principal(broker):
    """Whoever knows its identifier does not get what it is owed."""
    with broker.guest("ann", "mine", properties=LASTING) as ann:
        ann.wants("open/mine")
        ann.say(Disconnect())
        ann.rest()
    with broker.guest("ann") as other:
        other.publishes("open/mine", b"for ann")
    with broker.guest("bob", "mine", properties=LASTING, clean_start=False) as thief:
        assert not thief.welcome.session_present
        thief.say(Pingreq())
        assert isinstance(thief.hear(), Pingresp)
    with broker.guest("ann", "mine", clean_start=False) as ann:
        assert ann.welcome.session_present
        assert ann.hear().payload == b"for ann"


def test_case_11_what_is_denied(broker):
    """By wildcards, by content alone, as retained, as a will, from a backlog: never."""
    with broker.guest("ann") as ann, broker.guest("bob", "denied", properties=LASTING) as bob:
        ann.publishes("half/secret/kept", b"secret", retain=True)
        ann.publishes("half/kept", b"seen", retain=True)
        assert bob.wants("half/secret/#").reasons == (Reason.NOT_AUTHORIZED,)
        assert bob.wants("closed/#").reasons == (Reason.NOT_AUTHORIZED,)
        assert bob.wants("#", user=(("filter", "exists(a) or not exists(a)"),)).payload == b"seen"
        bob.say(Puback(packet_id=1))
        assert bob.hear(Suback).reasons == (1,)
        for topic in ("half/secret/x", "closed", "open/hidden", "half/end"):
            ann.publishes(topic, topic.encode())
        assert bob.hear(Publish).payload == b"half/end"
        for topic in ("half/x", "open/hidden", "closed"):
            assert bob.publishes(topic).reason == Reason.NOT_AUTHORIZED
    with broker.raw() as raw:
        will = {"topic": "closed", "payload": b"", "qos": 0, "retain": False}
        raw.say(Connect(client_id="", user_name="bob", password=broker.tokens["bob"].encode(), will=Will(**will)))
        assert raw.hear(Connack).reason == Reason.NOT_AUTHORIZED


def test_case_11_a_right_that_is_revoked(broker):
    """What waited while it held is not shown when it does not hold any more; nor what comes live, nor to a removed user."""
    with broker.guest("bob", "revoked", properties=LASTING) as bob:
        bob.wants("open/#")
    with broker.guest("ann") as ann, broker.guest("desk", "live") as live:
        live.wants("open/#")
        ann.publishes("open/a", b"backlog")
        assert live.hear(Publish).payload == b"backlog"
        broker.reload(CONFIG.replace('subscribe = ["open/#", "half/#"]', 'subscribe = ["half/#"]'))
        ann.publishes("open/a", b"live")
        ann.publishes("half/end", b"end")
        live.wants("half/#")
        ann.publishes("half/end", b"end")
        assert live.hear(Publish).payload == b"end"
        with broker.guest("bob", "revoked", clean_start=False) as bob:
            assert bob.welcome.session_present
            bob.say(Pingreq())
            assert isinstance(bob.hear(), Pingresp)
        broker.reload("tidings = 7")
        assert any("not read again" in line for line in broker.lines if line)
        broker.reload()


def test_case_16_whoever_does_not_read(broker):
    """Falls behind, and is cut off; whoever shares the topic is shown everything meanwhile."""
    with broker.guest("ann", "deaf") as deaf, broker.guest("ann") as good, broker.guest("ann") as publisher:
        deaf.wants("flood", 0)
        good.wants("flood", 0)
        for number in range(400):
            publisher.say(Publish(topic="flood", payload=b"%d " % number + bytes(50_000)))
            assert good.hear(Publish).payload.startswith(b"%d " % number)
        until = time.monotonic() + 6
        while time.monotonic() < until:
            publisher.say(Publish(topic="flood", payload=b"meanwhile"))
            assert good.hear(Publish).payload == b"meanwhile"
            a_moment()
        with contextlib.suppress(ConnectionError):
            while deaf.socket.recv(1 << 20):
                pass


def test_case_17_too_many_wishes(broker):
    """So many subscriptions and not one more; subscribing and unsubscribing for a while leaves nothing behind."""
    with broker.guest("ann", "greedy") as ann:
        assert [ann.wants(f"s/{number}").reasons[0] for number in range(51)] == [1] * 50 + [Reason.QUOTA_EXCEEDED]
    with broker.raw() as raw:
        raw.say(Connect(client_id="a\r\nb\x1b[31m", user_name="ann", password=broker.tokens["ann"].encode()))
        assert raw.hear(Connack).reason == Reason.CLIENT_IDENTIFIER_NOT_VALID
    assert not any("\x1b" in line for line in broker.lines if line)


def test_case_17_many_attributes(broker):
    """Refused by their number; a user property is bounded like everything else."""
    with broker.guest("ann") as ann:
        user = tuple((f"a{number}", "1") for number in range(300))
        assert ann.publishes("t", properties=Properties(user=user)).reason >= 0x80
    with broker.guest("ann") as ann:
        assert ann.publishes("t", properties=Properties(user=(("a", "x" * 20_000),))).reason >= 0x80


def test_case_18_tls(broker, tmp_path):
    """Clients that others wrote come in; plain words at the TLS port and TLS at the plain one end; so does old TLS."""
    ca = broker.certificates.folder / "ca.pem"
    login = ("-u", "ann", "-P", broker.tokens["ann"], "--cafile", str(ca))
    mosquitto("mosquitto_pub", broker.tls_port, *login, "-t", "tls", "-m", "kept", "-r", "-q", "1")
    with PahoGuest(broker.tls_port, tls=broker.certificates.client(), login=("ann", broker.tokens["ann"])) as guest:
        guest.subscribe("tls")
        assert guest.take(1)[0].payload == b"kept"
    with Raw(broker.tls_port) as raw:
        raw.send(connect_bytes(broker))
        assert raw.socket.recv(100)[:1] in {b"", b"\x15"}
    with pytest.raises((ssl.SSLError, ConnectionError)):
        Raw(broker.port, tls=broker.certificates.client())
    old = broker.certificates.client()
    with pytest.warns(DeprecationWarning, match="deprecated"):
        old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    with pytest.raises((ssl.SSLError, ConnectionError)):
        Raw(broker.tls_port, tls=old)
    with pytest.raises(ssl.SSLCertVerificationError):
        Raw(broker.tls_port, tls=ssl.create_default_context())


def test_case_18_certificates(broker):
    """A client is known by its certificate, when somebody whom we believe vouches for it, and it has not expired."""
    import trustme

    from runtime.certificates import yesterday

    made = broker.certificates
    made.issue("ann", "ann")
    made.issue("old", "ann", not_after=yesterday())
    made.issue("forged", "ann", authority=trustme.CA())
    with Raw(broker.tls_port, tls=made.client("ann")) as raw:
        raw.say(Connect(client_id="c"))
        assert raw.hear().reason == 0
        assert raw.wants("anything").reasons == (1,)
    for bad in ("old", "forged"):
        assert said_with(broker, made.client(bad)) == b""
    made.issue("broker", "localhost", "renewed.test")
    broker.reload()
    with Raw(broker.tls_port, tls=made.client()) as raw:
        assert ("DNS", "renewed.test") in raw.socket.getpeercert()["subjectAltName"]


def said_with(broker, tls):
    """What is heard over TLS; in TLS 1.3 a handshake ends later for the one side than for the other."""
    with contextlib.suppress(ssl.SSLError, ConnectionError), Raw(broker.tls_port, tls=tls) as raw:
        raw.socket.sendall(connect_bytes(broker))
        return raw.socket.recv(100)
    return b""


def test_case_18_guessing(broker):
    """Wrong passwords are wrong, for names that there are and for others; after ten an address is not heard for a while."""
    guesses = [("desk", b"guess"), ("nobody", b"guess"), (None, None), ("desk", None), ("desk", b"")] + [
        ("desk", b"%d" % n) for n in range(6)
    ]
    guesses.append(("desk", b"a password"))
    for name, password in guesses:
        with broker.raw(source="127.0.0.9") as raw:
            raw.say(Connect(client_id="", user_name=name, password=password))
            refusal = raw.hear(Connack)
            assert refusal.reason == Reason.BAD_USER_NAME_OR_PASSWORD
            assert refusal.properties.reason_text == "no such user, or not this password"
    with broker.guest("desk"):
        pass


def test_case_20_configs_that_are_not_started_with(tmp_path):
    """One line that names file and key; exit code 2."""
    config = tmp_path / "broker.toml"
    for text, says in (
        ("tidings = 1\nprot = 1", "prot"),
        ("tidings = 1\n[[listener]]\naddress = '0.0.0.0'", "--insecure"),
    ):
        config.write_text(text)
        code, lines = refused(config, port=None)
        assert code == 2
        assert len(lines) == 1
        assert says in lines[0]
        assert str(config) in lines[0]


def test_more_connections_than_there_may_be(broker):
    """Ended at once; the others stay, and when some go others may come."""
    crowd = [broker.raw() for _ in range(400)]
    ended = 0
    for one in reversed(crowd):
        one.socket.settimeout(0.2)
        try:
            ended += one.socket.recv(1) == b""
        except (TimeoutError, ConnectionError) as problem:
            ended += isinstance(problem, ConnectionError)
        if ended or one is crowd[-20]:
            break
    with broker.raw() as late:
        assert late.rest() == []
    for one in crowd:
        one.socket.close()


def test_others_may_connect_when_it_is_said(tmp_path):
    """With --insecure; it says so."""
    config = tmp_path / "broker.toml"
    config.write_text(
        "tidings = 1\n[[listener]]\naddress = '127.0.0.1'\nport = 0\n[[right]]\nwho = ['anonymous']\npublish = ['t']\n"
    )
    with RealBroker(config, "--insecure", port=None) as broker:
        assert broker.wait_line("--insecure") is not None
        with Raw(broker.port) as raw:
            raw.say(Connect(client_id=""))
            assert raw.hear().reason == 0
            assert raw.publishes("t").reason < 0x80
            assert raw.wants("t").reasons == (Reason.NOT_AUTHORIZED,)
            assert isinstance(raw.wants("t"), Suback)
