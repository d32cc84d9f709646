"""SUBSCRIBE and UNSUBSCRIBE: what is granted, what is not, which retained messages come, and when the answer does."""

import pytest

from mqtt.lobby import LASTING, Lobby, payloads, said, user, wish
from tidings.mqtt.limits import Limits
from tidings.mqtt.rights import ALL_RIGHTS, Rights
from tidings.vocabulary import frames
from tidings.vocabulary.event import Event
from tidings.vocabulary.machine import FramesArrived
from tidings.wire.mqtt_packets import (
    Properties,
    Publish,
    Suback,
    Subscribe,
    TopicWish,
    Unsuback,
    Unsubscribe,
)
from tidings.wire.mqtt_reasons import Reason


def answer(guest, packet):
    """The SUBACK to a SUBSCRIBE."""
    (found,) = (one for one in guest.say(packet) if isinstance(one, Suback))
    return found


def heard(lobby, guest, *packets):
    """What a guest hears of these publications."""
    lobby.join("p").say(*packets)
    return payloads(guest.take())


def test_each_wish_has_its_answer():
    """In their order; the quality that was asked for is granted."""
    guest = Lobby().join("s")
    packet = Subscribe(packet_id=9, wishes=tuple(TopicWish(pattern=f"t/{qos}", qos=qos) for qos in (2, 0, 1)))
    assert answer(guest, packet) == Suback(packet_id=9, reasons=(2, 0, 1))


@pytest.mark.parametrize("version", [4, 5])
def test_wildcards_match_levels(version):
    """One, many, none, and never a topic with a dollar in the first."""
    lobby = Lobby()
    guest = lobby.join("s", version=version)
    guest.say(wish("a/+/c"), wish("d/#"), wish("+/x"))
    topics = ("a/b/c", "a//c", "a/c", "a/b/d/c", "d", "d/e/f", "y/x", "x", "/x")
    assert heard(lobby, guest, *(said(topic, topic.encode()) for topic in topics)) == [
        b"a/b/c",
        b"a//c",
        b"d",
        b"d/e/f",
        b"y/x",
        b"/x",
    ]


def test_a_content_filter_narrows():
    """Over attributes, whatever the payload is."""
    lobby = Lobby()
    guest = lobby.join("s")
    assert answer(guest, wish("t", content='price > 10 and name == "IBM"')).reasons == (0,)
    dear = user(("price", "20"), ("name", "IBM"))
    cheap = user(("price", "5"), ("name", "IBM"))
    packets = [said("t", b"dear", properties=dear), said("t", b"cheap", properties=cheap), said("t", b"none")]
    assert heard(lobby, guest, *packets) == [b"dear"]


REFUSED = {
    "a filter that does not parse": (wish("t", content="price >"), Reason.IMPLEMENTATION_SPECIFIC_ERROR),
    "a filter too deep": (wish("t", content="(" * 1_000), Reason.IMPLEMENTATION_SPECIFIC_ERROR),
    "a filter that breaks out": (wish("t", content="true) or (true"), Reason.IMPLEMENTATION_SPECIFIC_ERROR),
    "a filter with one term too many for its topic": (
        wish("t/+", content=" or ".join(["price == 1"] * 256)),
        Reason.IMPLEMENTATION_SPECIFIC_ERROR,
    ),
    "two filters": (
        Subscribe(
            packet_id=1,
            wishes=(TopicWish(pattern="t"),),
            properties=user(("filter", "true"), ("filter", "true")),
        ),
        Reason.PROTOCOL_ERROR,
    ),
    "an order": (
        Subscribe(packet_id=1, wishes=(TopicWish(pattern="t"),), properties=user(("order", "total"))),
        Reason.IMPLEMENTATION_SPECIFIC_ERROR,
    ),
    "a shared subscription": (wish("$share/g/t"), Reason.SHARED_SUBSCRIPTIONS_NOT_SUPPORTED),
    "carriers": (wish("$tidings"), Reason.TOPIC_FILTER_INVALID),
    "a wish of our client by another": (wish("$tidings/wish/1"), Reason.TOPIC_FILTER_INVALID),
}


@pytest.mark.parametrize(("packet", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_granted_is_refused(packet, reason):
    """With a sentence in MQTT 5; nothing is subscribed, and the connection goes on."""
    lobby = Lobby()
    guest = lobby.join("s")
    found = answer(guest, packet)
    assert found.reasons == (reason,)
    assert found.properties.reason_text
    assert len(lobby.front.sessions.named("s").subscriptions) == 0
    assert answer(guest, wish("ok")).reasons == (0,)


def test_one_wish_of_many_can_be_refused():
    """The others stand."""
    lobby = Lobby()
    guest = lobby.join("s", version=4)
    found = answer(guest, Subscribe(packet_id=1, wishes=(TopicWish(pattern="$share/g/t"), TopicWish(pattern="t"))))
    assert found.reasons == (0x80, 0)
    assert heard(lobby, guest, said("t")) == [b"x"]


def test_no_order_at_all_may_be_asked_for():
    """By its name."""
    packet = Subscribe(packet_id=1, wishes=(TopicWish(pattern="t"),), properties=user(("order", "none")))
    assert answer(Lobby().join("s"), packet).reasons == (0,)


def test_so_many_subscriptions_and_no_more():
    """One that is there already can be changed."""
    guest = Lobby(limits=Limits(subscriptions_max=2)).join("s")
    reasons = [
        answer(guest, wish(pattern, qos)).reasons[0] for pattern, qos in (("a", 0), ("b", 0), ("c", 0), ("b", 1))
    ]
    assert reasons == [0, 0, Reason.QUOTA_EXCEEDED, 1]


def test_rights_are_asked_when_subscribing_and_for_every_event():
    """A wider pattern brings what is allowed of it."""
    lobby = Lobby(rights={"": ALL_RIGHTS, "ann": Rights(subscribe=("a/#",), deny=("a/secret",))})
    guest = lobby.join("s", principal="ann")
    assert answer(guest, wish("b")).reasons == (Reason.NOT_AUTHORIZED,)
    assert answer(guest, wish("a/secret")).reasons == (Reason.NOT_AUTHORIZED,)
    assert answer(guest, wish("#")).reasons == (0,)
    assert heard(lobby, guest, *(said(topic, topic.encode()) for topic in ("a/1", "b", "a/secret"))) == [b"a/1"]


def test_the_same_filter_again_changes_only_how_it_is_sent():
    """The broker machine is not asked twice; another content takes the place of the first."""
    lobby = Lobby()
    guest = lobby.join("s")
    guest.say(wish("t", identifier=1), wish("t", 1, identifier=2))
    lobby.join("p").say(said("t", qos=1))
    (packet,) = guest.take()
    assert (packet.qos, packet.properties.subscription_ids) == (1, (2,))
    guest.say(wish("t", content="price > 10"))
    assert heard(lobby, guest, said("t", b"none"), said("t", b"dear", properties=user(("price", "11")))) == [b"dear"]
    assert len(lobby.front.sessions.named("s").subscriptions) == 1


def test_unsubscribing_says_what_there_was():
    """And nothing more comes."""
    lobby = Lobby()
    guest = lobby.join("s")
    guest.say(wish("a"), wish("b"))
    (found,) = guest.say(Unsubscribe(packet_id=5, patterns=("b", "c")))
    assert found == Unsuback(packet_id=5, reasons=(0, Reason.NO_SUBSCRIPTION_EXISTED))
    assert heard(lobby, guest, said("a"), said("b", b"no")) == [b"x"]


def test_retained_messages_come_with_a_subscription():
    """Marked as such; the last of each topic, and none that was taken away or has expired."""
    lobby = Lobby()
    publisher = lobby.join("p")
    publisher.say(
        said("a", b"old", retain=True),
        said("a", b"new", retain=True, qos=1),
        said("b", b"gone", retain=True),
        said("b", b"", retain=True),
        said("c", b"late", retain=True, properties=Properties(message_expiry_s=5)),
        said("d", b"not kept"),
    )
    lobby.wait(6)
    guest = lobby.join("s")
    found = [packet for packet in guest.say(wish("#", 1)) if isinstance(packet, Publish)]
    assert [(packet.topic, packet.payload, packet.retain, packet.qos) for packet in found] == [("a", b"new", True, 1)]


def test_how_retained_messages_are_handled_is_asked_for():
    """Always, for a new subscription only, or never."""
    lobby = Lobby()
    lobby.join("p").say(said("t", b"kept", retain=True))
    guest = lobby.join("s")
    counts = [len(payloads(guest.say(wish("t", retain_handling=handling)))) for handling in (2, 1, 0, 1, 0)]
    assert counts == [0, 0, 1, 0, 1]
    fresh = lobby.join("u")
    assert [len(payloads(fresh.say(wish("t", retain_handling=1)))) for _ in range(2)] == [1, 0]


def test_the_retain_flag_is_cleared_unless_asked_for():
    """Live events; a retained message always has it."""
    lobby = Lobby()
    plain, exact = lobby.join("a"), lobby.join("b")
    plain.say(wish("t", 1))
    exact.say(wish("t", 1, retain_as_published=True))
    for qos in (0, 1):
        lobby.join("p").say(said("t", qos=qos, retain=True), said("t", qos=qos, packet_id=2 * qos))
        assert [packet.retain for packet in plain.take()] == [False, False]
        assert [packet.retain for packet in exact.take()] == [True, False]


def test_rights_and_content_hold_for_retained_messages_too():
    """Nobody is shown by a subscription what it may not see live."""
    lobby = Lobby(rights={"": ALL_RIGHTS, "ann": Rights(subscribe=("a/#",))})
    lobby.join("p").say(
        said("a/1", b"dear", retain=True, properties=user(("price", "20"))),
        said("a/2", b"cheap", retain=True, properties=user(("price", "5"))),
        said("b", b"secret", retain=True, properties=user(("price", "20"))),
    )
    assert payloads(lobby.join("s", principal="ann").say(wish("#", content="price > 10"))) == [b"dear"]


def test_our_client_wishes_by_content():
    """Under numbers; rights are asked about the topics that a filter can hold for, where these are known."""
    rights = {"": ALL_RIGHTS, "ann": Rights(subscribe=("a/#",)), "bob": Rights(publish=("#",))}
    lobby = Lobby(rights=rights)
    lobby.join("p").say(said("a/1", b"kept", retain=True, properties=user(("price", "20"))))
    asks = user(("tidings", "1"))
    ann = lobby.join("s", principal="ann", properties=asks)
    assert answer(ann, wish("$tidings/wish/0", 2, content="price > 10")).reasons == (1,)
    assert answer(ann, wish("$tidings/wish/1", content='topic == "b"')).reasons == (Reason.NOT_AUTHORIZED,)
    assert answer(ann, wish("$tidings/wish/2", content='topic in ("b", "a/1")')).reasons == (0,)
    assert answer(ann, wish("$tidings/wish/3")).reasons == (0,)
    assert answer(ann, wish("$tidings/else")).reasons == (Reason.TOPIC_FILTER_INVALID,)
    bob = lobby.join("s", principal="bob", properties=asks)
    assert answer(bob, wish("$tidings/wish/0")).reasons == (Reason.NOT_AUTHORIZED,)


def neighbourly():
    """A broker with one neighbour, and a subscriber that is not answered yet."""
    lobby = Lobby(neighbours=("oslo",))
    guest = lobby.join("s")
    assert guest.say(wish("t", packet_id=7)) == []
    return lobby, guest


def test_an_answer_waits_until_the_wish_is_known_everywhere():
    """Events come as soon as they can."""
    lobby, guest = neighbourly()
    (send,) = lobby.sent
    assert (send.to, send.frame.added) == ("oslo", ('topic == "t"',))
    lobby.tell(FramesArrived("oslo", (frames.Forward(Event(1, "q", "t", 0, {}, payload=b"x", payload_bytes=1)),)))
    assert payloads(guest.take()) == [b"x"]
    lobby.tell(FramesArrived("oslo", (frames.InterestsKnown("all", 0, 1, 1),)))
    assert guest.take() == [Suback(packet_id=7, reasons=(0,))]


def test_an_answer_does_not_wait_for_ever():
    """It says that it is not confirmed; later confirmation is nobody's business."""
    lobby, guest = neighbourly()
    lobby.wait(0.5)
    assert guest.say(wish("u", packet_id=8)) == []
    lobby.wait(0.6)
    assert guest.take() == [Suback(packet_id=7, reasons=(0,), properties=user(("unconfirmed", "")))]
    lobby.wait(0.5)
    assert [packet.packet_id for packet in guest.take()] == [8]
    lobby.tell(FramesArrived("oslo", (frames.InterestsKnown("all", 0, 2, 2),)))
    assert guest.take() == []


def test_an_answer_names_those_who_are_missing():
    """Brokers beyond the neighbours that do not answer."""
    lobby, guest = neighbourly()
    lobby.tell(FramesArrived("oslo", (frames.InterestsKnown("all", 0, 1, 1, missing=("rome",)),)))
    assert guest.take() == [Suback(packet_id=7, reasons=(0,), properties=user(("missing", "rome")))]


def test_whoever_has_gone_is_not_answered():
    """Its patience ends with its connection; a session that lasts keeps the wish."""
    lobby, guest = neighbourly()
    guest.leave()
    lobby.wait(5)
    lasting = lobby.join("l", properties=LASTING)
    lasting.say(wish("t"))
    lasting.leave()
    again = lobby.join("l", clean_start=False, properties=LASTING)
    lobby.wait(5)
    assert again.take() == []
    assert len(lobby.front.sessions.named("l").subscriptions) == 1
