"""Taking events in: what is published, what is refused and how, in which order it is acknowledged, and what carriers may say."""

import msgspec
import pytest

from mqtt.lobby import LASTING, Lobby, payloads, said, user, wish
from tidings.mqtt.limits import Limits
from tidings.mqtt.publishing import COUNTS, INDEX_BITS, REFUSED_MAX, Identities
from tidings.mqtt.rights import ALL_RIGHTS, Rights
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import FOREVER
from tidings.wire.carriers import TOPIC, CarrierReader, encode_event, join_events
from tidings.wire.mqtt_packets import Properties, Puback, Publish, Pubrec
from tidings.wire.mqtt_reasons import Reason

RIGHTS = {"": ALL_RIGHTS, "ann": Rights(publish=("a/#",), subscribe=("#",))}


def watched(**options):
    """A house, and somebody who hears everything."""
    lobby = Lobby(**options)
    watcher = lobby.join("w")
    watcher.say(wish("#", 1))
    return lobby, watcher


def test_identities_are_never_given_twice():
    """Broker, publisher, count; the broker's own go on under a new index when the count is full."""
    one, other = Identities(3, 100), Identities(4, 100)
    assert one.base(101) - one.base(100) == COUNTS
    assert one.base(100) >> 53 == 3
    assert other.base(100) >> 53 == 4
    assert [one.next() - one.base(100) for _ in range(3)] == [0, 1, 2]
    one._count = COUNTS
    assert one.next() == one.base(101)
    assert one.next_index() == 102
    assert one.indices == 103
    assert Identities.index_of(one.base(101) + 5) == 101


def test_indices_come_round_again():
    """After two million publishers; identities stay below 63 bits."""
    largest = Identities(1_023, (1 << INDEX_BITS) - 1)
    assert largest.base(largest.indices - 1) + COUNTS - 1 == 2**63 - 1
    assert largest.base(1 << INDEX_BITS) == largest.base(0)


@pytest.mark.parametrize("version", [4, 5])
def test_what_is_not_allowed_is_refused_where_there_is_an_answer(version):
    """Quality 0 has none; the older version only takes it and says nothing."""
    lobby, watcher = watched(rights=RIGHTS)
    guest = lobby.join("c", version=version, principal="ann")
    assert guest.say(said("b")) == []
    (answer,) = guest.say(said("b", qos=1))
    (record,) = guest.say(said("b", qos=2, packet_id=2))
    assert (type(answer), type(record)) == (Puback, Pubrec)
    if version == 5:
        assert (answer.reason, record.reason) == (Reason.NOT_AUTHORIZED, Reason.NOT_AUTHORIZED)
        assert "no right to publish" in answer.properties.reason_text
    assert guest.say(said("a/1", qos=1))[0].reason == 0
    assert [packet.topic for packet in watcher.take()] == ["a/1"]
    assert lobby.front.house.counts.refused == 3


@pytest.mark.parametrize("topic", ["$SYS/x", "$tidings", "$tidings/wish/1", "$share/g/t"])
def test_topics_of_the_broker_are_not_for_clients(topic):
    """Whatever their rights are."""
    lobby, watcher = watched()
    assert lobby.join("c").say(said(topic, qos=1))[0].reason == Reason.NOT_AUTHORIZED
    assert watcher.take() == []


def test_payloads_have_an_end():
    """One byte more is refused."""
    lobby, watcher = watched(limits=Limits(payload_bytes_max=10))
    guest = lobby.join("c")
    answers = guest.say(said("t", b"x" * 10, qos=1), said("t", b"x" * 11, qos=1, packet_id=2))
    assert sorted((answer.packet_id, answer.reason) for answer in answers) == [(1, 0), (2, Reason.PACKET_TOO_LARGE)]
    assert payloads(watcher.take()) == [b"x" * 10]


def test_a_refused_message_of_quality_2_is_not_in_flight():
    """Its identifier means a new message the next time."""
    lobby, watcher = watched()
    guest = lobby.join("c")
    bad = said("t", b"[", qos=2, properties=user(("attributes", "json")))
    assert guest.say(bad)[0].reason == Reason.PAYLOAD_FORMAT_INVALID
    assert guest.say(said("t", b"good", qos=2))[0].reason == 0
    assert payloads(watcher.take()) == [b"good"]


def test_acknowledgements_come_in_the_order_of_publication():
    """Refusals among them, too."""
    lobby, _ = watched(rights=RIGHTS)
    guest = lobby.join("c", principal="ann")
    packets = [said("a/1" if number % 3 else "b", qos=1 + number % 2, packet_id=number) for number in range(1, 10)]
    assert [answer.packet_id for answer in guest.say(*packets)] == list(range(1, 10))


def test_an_acknowledgement_waits_for_the_disk():
    """For those who are to get the event after a crash; where there are none, for what was published before."""
    lobby, _ = watched(durable=True)
    keeper = lobby.join("k", properties=LASTING)
    keeper.say(wish("kept", 1))
    guest = lobby.join("c")
    lobby.sync = False
    assert guest.say(said("kept", qos=1, packet_id=1), said("other", qos=1, packet_id=2)) == []
    assert keeper.take() == []
    lobby.write()
    assert [answer.packet_id for answer in guest.take()] == [1, 2]
    assert len(keeper.take()) == 1


def test_quality_0_waits_for_no_disk():
    """It overtakes what does."""
    lobby, watcher = watched(durable=True)
    keeper = lobby.join("k", properties=LASTING)
    keeper.say(wish("#", 1))
    guest = lobby.join("c")
    lobby.sync = False
    guest.say(said("t", b"slow", qos=1), said("t", b"quick"))
    assert payloads(watcher.take()) == [b"quick"]
    assert payloads(keeper.take()) == [b"quick"]
    lobby.write()
    assert payloads(watcher.take()) == payloads(keeper.take()) == [b"slow"]


def test_retained_messages_have_an_end():
    """To their number and their size; replacing and taking away is always possible."""
    lobby, _ = watched(limits=Limits(retained_max=2, retained_bytes_max=1_000))
    guest = lobby.join("c")

    def keep(topic, size=1):
        return guest.say(said(topic, b"x" * size, qos=1, retain=True))[0].reason

    assert [keep(topic) for topic in ("a", "b", "c", "a")] == [0, 0, Reason.QUOTA_EXCEEDED, 0]
    assert keep("a", 999) == Reason.QUOTA_EXCEEDED
    assert keep("a", 0) == 0
    assert keep("c") == 0
    assert sorted(event.topic for event in lobby.front.house.retained.everything()) == ["b", "c"]


# ---- carriers


def carrying(lobby, name="c", **fields):
    """Our client, with the identity of its event number 0."""
    guest = lobby.join(name, properties=user(("tidings", "1"), **fields))
    guest.base = int(dict(guest.welcome.properties.user)["publisher"])
    guest.next = int(dict(guest.welcome.properties.user)["next"])
    return guest


def event(guest, count, topic="t", *, name="c", qos=1, **fields):
    """An event that our client has numbered."""
    payload = fields.pop("payload", b"%d" % count)
    return Event(
        guest.base + count,
        name,
        topic,
        5,
        {"n": count},
        FOREVER,
        0,
        len(payload),
        payload,
        bytes((0x10 | qos,)),
        **fields,
    )


def carrier(*events, qos=1, packet_id=1):
    """A carrier of these."""
    return said(TOPIC, join_events([encode_event(one) for one in events]), qos=qos, packet_id=packet_id * bool(qos))


def test_a_carrier_is_its_events():
    """Taken in their order, acknowledged together; attributes become user properties for others."""
    lobby, watcher = watched()
    guest = carrying(lobby)
    assert guest.say(carrier(*(event(guest, count) for count in range(3)))) == [Puback(packet_id=1)]
    heard = watcher.take()
    assert payloads(heard) == [b"0", b"1", b"2"]
    assert [packet.properties.user for packet in heard] == [(("n", str(count)),) for count in range(3)]
    assert guest.say(carrier(event(guest, 3, qos=0), qos=0)) == []
    assert [packet.qos for packet in watcher.take()] == [0]
    assert guest.say(carrier(packet_id=2)) == [Puback(packet_id=2)]


def test_what_was_taken_is_not_taken_again():
    """Repeated after a broken connection, and after a crash of the broker; gaps are the client's business."""
    lobby, watcher = watched(durable=True)
    guest = carrying(lobby, session_expiry_s=100)
    guest.say(carrier(event(guest, 0), event(guest, 1)))
    assert guest.say(carrier(event(guest, 1), event(guest, 2), event(guest, 7))) == [Puback(packet_id=1)]
    assert payloads(watcher.take()) == [b"0", b"1", b"2", b"7"]
    assert guest.say(carrier(event(guest, 5), packet_id=2)) == [Puback(packet_id=2)]
    lobby.start()
    keeper = lobby.join("k", properties=LASTING)
    keeper.say(wish("#", 1))
    guest = lobby.join("c", clean_start=False, properties=user(("tidings", "1"), session_expiry_s=100))
    guest.base = int(dict(guest.welcome.properties.user)["publisher"])
    guest.say(carrier(event(guest, 8)))
    assert payloads(keeper.take()) == [b"8"]
    lobby.start()
    again = lobby.join("c", clean_start=False, properties=user(("tidings", "1"), session_expiry_s=100))
    told = dict(again.welcome.properties.user)
    assert (int(told["publisher"]), told["next"]) == (guest.base, "9")


def test_only_its_own_events():
    """Under another's name, number, or with another quality than the carrier: the connection ends, and nothing is taken."""
    lobby, watcher = watched()
    wrong = [
        lambda guest: event(guest, 0, name="w"),
        lambda guest: msgspec.structs.replace(event(guest, 0), id=guest.base - 1),
        lambda guest: msgspec.structs.replace(event(guest, 0), id=guest.base + COUNTS),
        lambda guest: event(guest, 0, qos=0),
        lambda guest: msgspec.structs.replace(event(guest, 0), carried=b"\x01"),
        lambda guest: msgspec.structs.replace(event(guest, 0), carried=b"\x51"),
        lambda guest: msgspec.structs.replace(event(guest, 0), carried=b"\x11\x03"),
    ]
    for make in wrong:
        guest = carrying(lobby)
        guest.say(carrier(event(guest, 0), make(guest)))
        assert guest.goodbye == Reason.PROTOCOL_ERROR
        assert watcher.take() == []
    plain = carrying(lobby)
    plain.say(carrier(msgspec.structs.replace(event(plain, 0), carried=b"")))
    assert payloads(watcher.take()) == [b"0"]


def test_what_is_no_carrier_ends_the_connection():
    """Garbage, and quality 2."""
    for packet, reason in (
        (said(TOPIC, b"garbage", qos=1), Reason.PAYLOAD_FORMAT_INVALID),
        (said(TOPIC, b"\x90", qos=2), Reason.PROTOCOL_ERROR),
    ):
        guest = carrying(Lobby())
        guest.say(packet)
        assert guest.goodbye == reason


def test_others_may_not_publish_carriers():
    """Without having asked for them the topic is like all others with a dollar."""
    assert Lobby().join("c").say(said(TOPIC, b"\x90", qos=1))[0].reason == Reason.NOT_AUTHORIZED


def test_events_that_are_not_allowed_are_named():
    """The others of their carrier are taken; too many of them end the connection."""
    lobby, watcher = watched(rights=RIGHTS, limits=Limits(payload_bytes_max=100, retained_max=1))
    guest = lobby.join("c", principal="ann", properties=user(("tidings", "1")))
    guest.base = int(dict(guest.welcome.properties.user)["publisher"])
    kept = [msgspec.structs.replace(event(guest, n, f"a/{n}", name="ann:c"), carried=b"\x15") for n in (0, 4)]
    row = [
        event(guest, 1, "a/1", name="ann:c"),
        event(guest, 2, "b", name="ann:c"),
        event(guest, 3, "a/1", name="ann:c", payload=b"x" * 101),
        kept[1],
    ]
    assert guest.say(carrier(kept[0])) == [Puback(packet_id=1)]
    (answer,) = guest.say(carrier(*row))
    told = [(int(text.split()[0]) - guest.base, int(text.split()[1])) for _, text in answer.properties.user]
    assert told == [(2, Reason.NOT_AUTHORIZED), (3, Reason.PACKET_TOO_LARGE), (4, Reason.QUOTA_EXCEEDED)]
    assert payloads(watcher.take()) == [b"0", b"1"]
    many = [event(guest, 10 + count, "b", name="ann:c") for count in range(REFUSED_MAX + 1)]
    guest.say(carrier(*many))
    assert guest.goodbye == Reason.NOT_AUTHORIZED


def test_nobody_publishes_from_the_future():
    """An instant that has not come is now."""
    lobby, _ = watched()
    listener = carrying(lobby, "l")
    listener.say(wish("$tidings/wish/0", 1))
    guest = carrying(lobby)
    guest.say(carrier(msgspec.structs.replace(event(guest, 0), published_ns=lobby.now + 10**12)))
    (packet,) = listener.take()
    (found,) = CarrierReader().read(packet.payload)
    assert found.published_ns == lobby.now


def test_nobody_waits_for_the_acknowledgements_of_those_who_left():
    """The broker machine may answer later."""
    lobby, _ = watched()
    publishing = lobby.front.publishing
    link = lobby.front.desk.connections[0].link
    publishing._wait(link, Puback(packet_id=1), (Event(99, "p", "t", 0, {}),))
    assert publishing.unanswered == 1
    publishing.forget(link)
    assert publishing.unanswered == 0
    publishing.accepted(99)
    assert not link.acknowledgements


def test_a_will_that_became_forbidden_is_not_said():
    """Rights are asked when it is to be published, too."""
    lobby, watcher = watched(rights=dict(RIGHTS))
    from tidings.wire.mqtt_packets import Will

    guest = lobby.join("c", principal="ann", will=Will(topic="a/w", payload=b"gone"))
    lobby.rights["ann"] = Rights()
    guest.leave()
    assert watcher.take() == []
    assert lobby.front.house.counts.refused == 1


def test_publications_are_packets():
    """What these tests send is what clients send."""
    assert isinstance(carrier(), Publish)
    assert said("t", properties=Properties()).topic == "t"
