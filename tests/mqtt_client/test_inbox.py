"""What arrives is shown once and acknowledged when it is settled, in the order in which it came."""

import pytest

from mqtt_client.talk import Talk
from tidings.vocabulary.event import Event
from tidings.wire.carriers import encode_event, join_events
from tidings.wire.mqtt_packets import Puback, Pubcomp, Publish, Pubrec, Pubrel
from tidings.wire.mqtt_reasons import Reason


def ready(carriers=False, **options):
    """A client with one subscription."""
    talk = Talk(carriers=carriers, **options)
    talk.carry() if carriers else talk.connect()
    talk.grant(talk.subscribe(0, "t"))
    return talk


def said(payload, packet_id, qos=1, duplicate=False, **fields):
    """A PUBLISH of the broker."""
    return Publish(topic="t", payload=payload, qos=qos, packet_id=packet_id, duplicate=duplicate, **fields)


def row(numbers, packet_id, duplicate=False):
    """A carrier of the broker."""
    events = [Event(one, "p", "t", 0, {}, payload_bytes=1, payload=b"%d" % (one % 10)) for one in numbers]
    payload = join_events([encode_event(one) for one in events])
    return Publish(topic="$tidings", payload=payload, qos=1, packet_id=packet_id, duplicate=duplicate)


def test_it_is_acknowledged_when_the_application_is_done():
    """And not before."""
    talk = ready()
    assert talk.hear(said(b"a", 4)) == []
    assert talk.settle() == [Puback(packet_id=4)]


def test_acknowledgements_come_in_the_order_of_arrival():
    """Whatever the order in which the application is done."""
    talk = ready()
    talk.hear(said(b"a", 4), said(b"b", 5))
    talk.show.reverse()
    last, first = talk.show
    talk.show = [last]
    assert talk.settle() == []
    talk.show = [first]
    assert talk.settle() == [Puback(packet_id=4), Puback(packet_id=5)]


def test_what_nobody_wants_is_acknowledged_at_once():
    """It could not be settled by anybody."""
    talk = ready()
    assert talk.hear(Publish(topic="other", qos=1, packet_id=2)) == [Puback(packet_id=2)]
    assert talk.machine.counts.unwanted == 1


@pytest.mark.parametrize("settled", [False, True])
def test_what_comes_again_is_not_shown_again(settled):
    """Its acknowledgement was lost, or not said yet; then it is said when the application is done."""
    talk = ready()
    talk.hear(said(b"a", 4))
    if settled:
        talk.settle()
    talk.lose()
    talk.connect(present=True)
    assert talk.hear(said(b"a", 4, duplicate=True)) == ([Puback(packet_id=4)] if settled else [])
    assert talk.shown == ([] if settled else [(0, b"a")])
    assert talk.settle() == ([] if settled else [Puback(packet_id=4)])
    assert talk.machine.counts.duplicates == 1


def test_an_identifier_may_be_used_for_something_else():
    """Another content under a known identifier is another event, even if the broker says that it repeats it."""
    talk = ready()
    talk.hear(said(b"a", 4))
    talk.settle()
    talk.lose()
    talk.connect(present=True)
    talk.hear(said(b"b", 4, duplicate=True))
    assert talk.shown == [(0, b"b")]


def test_the_same_again_is_an_event_of_its_own():
    """The same content under the same identifier, without a word of repetition."""
    talk = ready()
    for _ in range(3):
        talk.hear(said(b"a", 4))
        talk.settle()
    assert talk.machine.counts.shown == 3


def test_a_broker_that_has_forgotten_us_repeats_nothing():
    """Identifiers of the old session mean nothing; its acknowledgements are not said in the new one."""
    talk = ready()
    talk.hear(said(b"a", 4), said(b"q", 5, qos=2))
    talk.lose()
    talk.grant(talk.connect())
    assert talk.settle() == []
    talk.hear(said(b"a", 4, duplicate=True), said(b"q", 5, qos=2, duplicate=True))
    assert talk.shown == [(0, b"a"), (0, b"q")]


def test_as_many_acknowledgements_are_remembered_as_can_be_lost():
    """The window; older ones the broker must have had."""
    talk = ready(receive_maximum=2)
    for packet_id in (1, 2, 3):
        talk.hear(said(b"%d" % packet_id, packet_id))
        talk.settle()
    assert sorted(talk.machine.inbox._first) == [2, 3]
    for _ in range(3):  # said again and again, the last ones stay known
        talk.lose()
        talk.connect(present=True)
        talk.hear(said(b"2", 2, duplicate=True), said(b"3", 3, duplicate=True))
    assert talk.shown == []


# ---- quality 2


def test_quality_2_is_held_until_released():
    """Received once, acknowledged when settled, forgotten when the broker has forgotten it."""
    talk = ready()
    talk.hear(said(b"a", 4, qos=2))
    assert talk.hear(said(b"a", 4, qos=2, duplicate=True)) == []
    assert talk.settle() == [Pubrec(packet_id=4)]
    talk.lose()
    talk.connect(present=True)
    assert talk.hear(said(b"a", 4, qos=2, duplicate=True)) == [Pubrec(packet_id=4)]
    assert talk.hear(Pubrel(packet_id=4)) == [Pubcomp(packet_id=4)]
    assert talk.hear(Pubrel(packet_id=4)) == [Pubcomp(packet_id=4, reason=Reason.PACKET_IDENTIFIER_NOT_FOUND)]
    assert talk.machine.counts.shown == 1
    talk.hear(said(b"b", 4, qos=2))
    assert talk.shown == [(0, b"b")]


# ---- carriers


def test_a_carrier_is_acknowledged_as_a_whole():
    """When its last event is settled."""
    talk = ready(carriers=True)
    talk.hear(row((1, 2, 3), 7))
    assert talk.shown == [(0, b"1"), (0, b"2"), (0, b"3")]
    assert talk.settle() == [Puback(packet_id=7)]


@pytest.mark.parametrize("settled", [False, True])
def test_events_are_known_by_their_identities(settled):
    """In whatever packet they come again, with others among them."""
    talk = ready(carriers=True)
    talk.hear(row((1, 2), 7))
    if settled:
        talk.settle()
    talk.lose()
    talk.carry(present=True)
    said = talk.hear(row((1, 2), 7, duplicate=True), row((2, 3), 8))
    assert said == ([Puback(packet_id=7)] if settled else [])
    assert talk.shown[-1] == (0, b"3")
    assert talk.settle() == ([Puback(packet_id=8)] if settled else [Puback(packet_id=7), Puback(packet_id=8)])
    assert talk.machine.counts.shown == 3
    assert talk.machine.counts.duplicates == 3


def test_another_broker_cannot_show_an_event_twice_either():
    """Identities hold everywhere."""
    talk = ready(carriers=True)
    talk.hear(row((1, 2), 7))
    talk.settle()
    talk.lose()
    talk.grant(talk.carry(base=99))
    assert talk.hear(row((2,), 1)) == [Puback(packet_id=1)]
    assert talk.shown == []


def test_what_is_remembered_of_events_is_bounded():
    """The oldest go."""
    from tidings.mqtt_client.options import SEEN_REMEMBERED

    talk = ready(carriers=True)
    for start in range(0, SEEN_REMEMBERED + 5_000, 5_000):
        talk.hear(row(range(start, start + 5_000), 1))
        talk.settle()
    assert len(talk.machine.inbox._seen) == SEEN_REMEMBERED
