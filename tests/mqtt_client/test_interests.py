"""Subscriptions: what the broker is told, what it answers, and who is shown an event."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtt_client.talk import Talk
from tidings.mqtt_client.interests import Interest, Interests, newest_without
from tidings.mqtt_client.notices import SubscriptionEnded, SubscriptionRequested
from tidings.mqtt_client.packet_ids import PacketIds
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.topic import matches_pattern
from tidings.wire.mqtt_packets import Properties, Publish, Suback, Subscribe, Unsuback, Unsubscribe
from tidings.wire.mqtt_reasons import Reason


def test_a_subscription_is_asked_for_with_its_filter():
    """In a user property, under an identifier, and granted by its answer."""
    talk = Talk()
    talk.connect()
    (asked,) = talk.subscribe(3, "a/+", "price > 10", qos=1)
    (wish,) = asked.wishes
    assert (wish.pattern, wish.qos, wish.retain_handling) == ("a/+", 1, 0)
    assert asked.properties == Properties(user=(("filter", "price > 10"),), subscription_ids=(1,))
    assert not talk.machine.is_done
    talk.grant([asked], 1, properties=Properties(user=(("missing", "b7"),)))
    (granted,) = talk.granted
    assert (granted.number, granted.qos, granted.remarks) == (3, 1, (("missing", "b7"),))
    assert talk.machine.is_done


def test_before_there_is_a_connection_it_waits():
    """And is asked for once."""
    talk = Talk()
    assert talk.subscribe(0, "t", retained=False) == []
    (asked,) = talk.connect(subscription_ids_available=0)
    assert asked.wishes[0].retain_handling == 2
    assert asked.properties.subscription_ids == ()


def test_subscriptions_with_one_topic_filter_share_one():
    """The broker is told what any of them wants; each is shown what it wants itself."""
    talk = Talk()
    talk.connect()
    talk.grant(talk.subscribe(0, "t", "a == 1"))
    (asked,) = talk.subscribe(1, "t", "a == 2")
    assert dict(asked.properties.user) == {"filter": "(a == 1) or (a == 2)"}
    assert asked.properties.subscription_ids == (1,)
    talk.grant([asked])
    (asked,) = talk.subscribe(2, "t")
    assert asked.properties.user == ()
    talk.grant([asked])
    assert [one.number for one in talk.granted] == [0, 1, 2]
    talk.hear(Publish(topic="t", payload=b"x", properties=Properties(user=(("a", "2"),), subscription_ids=(1,))))
    assert talk.shown == [(1, b"x"), (2, b"x")]


def test_the_last_of_a_topic_filter_takes_it_back():
    """One that stays has the broker told again what it wants."""
    talk = Talk()
    talk.connect()
    talk.grant(talk.subscribe(0, "t", "a == 1"))
    talk.grant(talk.subscribe(1, "t", "a == 2"))
    (asked,) = talk.tell(SubscriptionEnded(1))
    assert dict(asked.properties.user) == {"filter": "a == 1"}
    assert asked.wishes[0].retain_handling == 2
    talk.grant([asked])
    (left,) = talk.tell(SubscriptionEnded(0))
    assert left.patterns == ("t",)
    assert not talk.machine.is_done
    talk.hear(Unsuback(packet_id=left.packet_id, reasons=(0,)), Unsuback(packet_id=99, reasons=(0,)))
    assert talk.machine.is_done
    assert talk.tell(SubscriptionEnded(0)) == []
    assert len(talk.machine.interests) == 0


def test_a_refusal_reaches_everybody_who_shares_it():
    """And nothing of it is left."""
    talk = Talk()
    talk.connect()
    first, second = talk.subscribe(0, "t"), talk.subscribe(1, "t", "a == 1")
    properties = Properties(reason_text="no right")
    talk.hear(Suback(packet_id=first[0].packet_id, reasons=(Reason.NOT_AUTHORIZED,), properties=properties))
    assert [(one.number, one.refusal.reason) for one in talk.granted] == [(0, 0x87), (1, 0x87)]
    assert "subscribe to 't': no right" in str(talk.granted[0].refusal)
    talk.grant(second)
    talk.hear(Suback(packet_id=44, reasons=(0,)))
    assert len(talk.granted) == 3
    assert len(talk.machine.interests) == 0
    talk.hear(Suback(packet_id=second[0].packet_id, reasons=(Reason.NOT_AUTHORIZED,)))


def test_after_a_break_only_what_the_broker_may_not_know_is_said():
    """What it has not answered, and what was asked for meanwhile."""
    talk = Talk()
    talk.connect()
    talk.grant(talk.subscribe(0, "known"))
    talk.subscribe(1, "unanswered")
    talk.lose()
    talk.subscribe(2, "new")
    said = talk.connect(present=True)
    assert [one.wishes[0].pattern for one in said] == ["unanswered", "new"]
    talk.grant(said)
    assert [one.number for one in talk.granted] == [0, 1, 2]


def test_a_broker_without_the_session_is_told_everything():
    """Nobody who was granted before is granted again."""
    talk = Talk()
    talk.connect()
    talk.grant(talk.subscribe(0, "a"))
    talk.subscribe(1, "b")
    talk.lose()
    said = talk.connect()
    assert [one.wishes[0].pattern for one in said] == ["a", "b"]
    talk.grant(said)
    assert [one.number for one in talk.granted] == [0, 1]


@pytest.mark.parametrize("present", [False, True])
def test_what_was_to_be_taken_back_is_taken_back_again(present):
    """Unless the broker has forgotten it anyway, or it is wanted again."""
    talk = Talk()
    talk.connect()
    talk.grant(talk.subscribe(0, "a"))
    talk.grant(talk.subscribe(1, "b"))
    talk.tell(SubscriptionEnded(0))
    talk.tell(SubscriptionEnded(1))
    talk.lose()
    talk.subscribe(2, "b")
    said = talk.connect(present=present)
    assert [one.patterns for one in said if isinstance(one, Unsubscribe)] == ([("a",)] if present else [])
    assert [one.wishes[0].pattern for one in said if isinstance(one, Subscribe)] == ["b"]


def test_the_broker_says_for_which_subscription_a_copy_is():
    """A broker that sends one for each of two that overlap shows each of them one."""
    talk = Talk()
    talk.connect()
    talk.grant(talk.subscribe(0, "a/#"))
    talk.grant(talk.subscribe(1, "a/b"))
    talk.hear(*(Publish(topic="a/b", properties=Properties(subscription_ids=(one,))) for one in (2, 1)))
    assert sorted(number for number, _ in talk.shown) == [0, 1]


def test_identifiers_are_given_out_once():
    """Also when they are many, and come round."""
    ids = PacketIds()
    interests = Interests(ids)
    interests.add(SubscriptionRequested(0, "t"))
    interests.add(SubscriptionRequested(1, "t"))
    interests.add(SubscriptionRequested(2, "u"))
    assert interests._wishes["t"].identifier == 1
    assert interests._wishes["u"].identifier == 2
    assert not interests.awaits


PATTERNS = ("a", "a/b", "a/+", "#", "+/b", "a/#")
TOPICS = ("a", "a/b", "a/c", "c/b", "$sys/b")
CONTENTS = ("", "x > 1", 'topic == "a/b"', "not exists(x)", "x < 2 or y == true")


@given(
    wishes=st.lists(st.tuples(st.sampled_from(PATTERNS), st.sampled_from(CONTENTS)), max_size=6),
    topic=st.sampled_from(TOPICS),
    attributes=st.dictionaries(st.sampled_from(("x", "y")), st.sampled_from((1, 2, True)), max_size=2),
)
def test_who_wants_an_event_is_who_wants_it(wishes, topic, attributes):
    """Equal to asking each of them by the plain rules, one by one, also when topics are remembered."""
    interests = Interests(PacketIds())
    event = Event(1, "p", topic, 0, attributes)
    for number, (pattern, content) in enumerate(wishes):
        interests.add(SubscriptionRequested(number, pattern, content))
        interests.wanting(event)
    expected = [
        number
        for number, (pattern, content) in enumerate(wishes)
        if matches_pattern(pattern, topic) and (not content or holds(parsed(content), event))
    ]
    assert [one.number for one in interests.wanting(event)] == expected
    sole = interests.sole(topic)
    assert sole is None or [sole.number] == expected


def test_a_retained_event_goes_once_to_each_and_the_latest_comes_first():
    """Each has asked for one copy; a newer one of the topic is another."""
    ones = [Interest(number, "#", "", 1, retained=True, wants=None) for number in range(2)]
    assert newest_without(ones, "t", 5) is ones[1]
    assert newest_without(ones, "t", 5) is ones[0]
    assert newest_without(ones, "t", 5) is None
    assert newest_without(ones, "t", 6) is ones[1]
    assert newest_without(ones, "u", 5) is ones[1]
