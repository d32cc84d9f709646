"""Who is shown what, in which pieces, and how far the application is behind."""

import pytest

from mqtt_client.talk import Talk
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import SECOND
from tidings.wire.carriers import encode_event, join_events
from tidings.wire.mqtt_packets import Properties, Puback, Publish
from tidings.wire.mqtt_reasons import Reason

KEPT = b"\x08"


def ready(*patterns, carriers=False, **options):
    """A client with subscriptions."""
    talk = Talk(carriers=carriers, **options)
    talk.carry() if carriers else talk.connect()
    for number, pattern in enumerate(patterns):
        talk.grant(talk.subscribe(number, pattern))
    return talk


def row(*events, qos=1, packet_id=1):
    """A carrier."""
    payload = join_events([encode_event(one) for one in events])
    return Publish(topic="$tidings", payload=payload, qos=qos, packet_id=packet_id if qos else 0)


def event(number, topic="t", carried=b"", **fields):
    """Of another publisher."""
    return Event(
        number, "p", topic, 0, {}, payload=b"%d" % number, payload_bytes=len(str(number)), carried=carried, **fields
    )


def test_events_of_quality_0_are_shown_by_the_turn():
    """In one piece for each subscription; quality 1 between them cuts, so that their order stays."""
    talk = ready("t")
    talk.hear(
        Publish(topic="t", payload=b"a"),
        Publish(topic="t", payload=b"b"),
        Publish(topic="t", payload=b"c", qos=1, packet_id=3),
        Publish(topic="t", payload=b"d"),
    )
    assert [[one.payload for one in show.events] for show in talk.show] == [[b"a", b"b"], [b"c"], [b"d"]]
    assert len({id(show.delivery) for show in talk.show}) == 3


def test_each_subscription_has_its_own_piece():
    """One delivery, settled when all of them have settled it."""
    talk = ready("t", "#", carriers=True)
    talk.hear(row(event(1), event(2), event(3, topic="u")))
    assert talk.shown == [(0, b"1"), (0, b"2"), (1, b"1"), (1, b"2"), (1, b"3")]
    first, second = talk.show
    assert first.delivery is second.delivery
    talk.show = [second]
    assert talk.settle() == []
    talk.show = [first]
    assert talk.settle() == [Puback(packet_id=1)]


def test_aliases_of_the_broker_are_resolved():
    """For one connection; an unknown one ends it."""
    talk = ready("t")
    talk.hear(Publish(topic="t", payload=b"a", properties=Properties(topic_alias=3)))
    talk.hear(Publish(topic="", payload=b"b", properties=Properties(topic_alias=3)))
    assert talk.shown == [(0, b"a"), (0, b"b")]
    talk.lose()
    talk.connect(present=True)
    (goodbye,) = talk.hear(Publish(topic="", payload=b"b", properties=Properties(topic_alias=3)))
    assert goodbye.reason == Reason.PROTOCOL_ERROR


def test_nothing_is_shown_after_its_lifetime():
    """It is counted, and acknowledged."""
    talk = ready("t", carriers=True)
    alive, dead = event(1, expires_ns=talk.now), event(2, expires_ns=talk.now - 1)
    talk.hear(row(alive, dead))
    assert talk.shown == [(0, b"1")]
    assert talk.machine.counts.expired == 1
    assert talk.settle() == [Puback(packet_id=1)]


def test_instants_are_translated_from_another_clock():
    """The broker said what its clock shows; a broker that reads the same clock needs no translation."""
    for clock, shift_ns in (("ours/5", 0), ("theirs/5", 10**9 - 5)):
        talk = Talk(carriers=True, clock="ours")
        talk.carry(clock=clock)
        talk.grant(talk.subscribe(0, "t"))
        talk.hear(row(event(1, expires_ns=3 * SECOND)))
        (shown,) = talk.show[0].events
        assert (shown.published_ns, shown.expires_ns) == (shift_ns, 3 * SECOND + shift_ns)


def test_a_carrier_that_is_none_ends_the_connection():
    """Nothing in it is believed."""
    talk = ready("t", carriers=True)
    (goodbye,) = talk.hear(Publish(topic="$tidings", payload=b"nonsense"))
    assert goodbye.reason == Reason.PAYLOAD_FORMAT_INVALID


# ---- retained


def test_a_retained_event_goes_to_whoever_asked_last():
    """One copy for each subscription; the same again is a repetition."""
    talk = ready("t", carriers=True)
    kept = event(9, carried=KEPT)
    talk.hear(row(kept))
    talk.grant(talk.subscribe(1, "#"))
    talk.hear(row(kept, packet_id=2), row(kept, packet_id=3))
    assert talk.shown == [(0, b"9"), (1, b"9")]
    assert talk.machine.counts.duplicates == 1


def test_after_a_lost_session_retained_events_are_shown_again():
    """Nobody knows what they were meanwhile."""
    talk = ready("t")
    kept = Publish(topic="t", payload=b"a", retain=True)
    talk.hear(kept)
    talk.lose()
    talk.grant(talk.connect())
    talk.hear(kept, kept)
    assert talk.shown == [(0, b"a"), (0, b"a")]


# ---- how far it is behind


@pytest.mark.parametrize("bounds", [{"backlog_events_max": 2}, {"backlog_bytes_max": 301}])
def test_what_is_not_settled_is_counted_and_bounded(bounds):
    """Beyond the bound quality 0 is dropped, if it comes all the same; quality 1 has its window."""
    talk = ready("t", **bounds)
    talk.hear(*(Publish(topic="t", payload=b"x" * 100) for _ in range(4)))
    talk.hear(Publish(topic="t", qos=1, packet_id=1))
    assert talk.machine.showing.is_behind
    assert len(talk.shown) == 3
    assert talk.machine.counts.dropped == 2
    talk.settle()
    assert (talk.machine.showing.events, talk.machine.showing.bytes) == (0, 0)
    assert not talk.machine.showing.is_behind


# ---- a session that was there before


def test_what_nobody_wants_yet_waits_for_a_subscription():
    """An application that takes up its session subscribes after it is connected."""
    talk = Talk(clean_start=False)
    talk.connect(present=True)
    early = [Publish(topic=topic, payload=topic.encode(), qos=1, packet_id=one) for one, topic in enumerate("abc", 1)]
    assert talk.hear(*early, Publish(topic="a", payload=b"nobody")) == []
    talk.grant(talk.subscribe(0, "b"))
    assert talk.shown == [(0, b"b")]
    talk.grant(talk.subscribe(1, "+"))
    assert talk.shown == [(0, b"b"), (1, b"a"), (1, b"c")]
    assert talk.settle() == [Puback(packet_id=1), Puback(packet_id=2), Puback(packet_id=3)]
    assert talk.machine.counts.unwanted == 1


def test_what_waits_for_a_subscription_is_bounded():
    """Half of the window; the oldest are taken for unwanted."""
    talk = Talk(clean_start=False, receive_maximum=4)
    talk.connect(present=True)
    said = talk.hear(*(Publish(topic="t", qos=1, packet_id=one) for one in (1, 2, 3)))
    assert said == [Puback(packet_id=1)]
    assert talk.machine.counts.unwanted == 1
    talk.lose()
    talk.connect()
    talk.grant(talk.subscribe(0, "t"))
    assert talk.shown == []
