"""Publications: in their order, within the window, again after a break, refused, expired."""

import pytest

from mqtt_client.talk import Talk
from tidings.mqtt_client.publication import Publication
from tidings.vocabulary.instant import SECOND
from tidings.wire.carriers import CarrierReader
from tidings.wire.mqtt_packets import Properties, Puback, Pubcomp, Publish, Pubrec, Pubrel
from tidings.wire.mqtt_reasons import Reason


def sent(packets):
    """Payload, identifier and repetition of each PUBLISH."""
    return [(one.payload, one.packet_id, one.duplicate) for one in packets if isinstance(one, Publish)]


def carried(packet):
    """Identity and payload of the events of a carrier."""
    return [(event.id, event.payload) for event in CarrierReader().read(packet.payload)]


def test_what_is_published_early_waits_for_the_connection():
    """In the order asked for, whatever the quality."""
    talk = Talk()
    assert talk.publish(b"a", b"b") == []
    talk.publish(b"c", qos=0)
    assert [one.payload for one in talk.connect()] == [b"a", b"b", b"c"]


def test_quality_0_is_over_when_it_is_written():
    """Nobody knows more."""
    talk = Talk()
    talk.connect()
    talk.publish(b"a", b"b", qos=0)
    assert talk.over == [(1, 2, None)]
    assert talk.machine.is_done


def test_quality_1_is_over_when_it_is_acknowledged():
    """One answer for neighbours of one ticket."""
    talk = Talk()
    talk.connect()
    said = talk.publish(b"a", b"b")
    assert talk.over == []
    assert not talk.machine.is_done
    talk.take(said)
    assert talk.over == [(1, 2, None)]
    assert talk.machine.counts.published == 2


def test_quality_2_is_over_when_the_broker_has_it():
    """The rest only frees the identifier."""
    talk = Talk()
    talk.connect()
    talk.publish(b"a", qos=2)
    assert talk.hear(Pubrec(packet_id=1)) == [Pubrel(packet_id=1)]
    assert talk.over == [(1, 1, None)]
    assert talk.hear(Pubrec(packet_id=1)) == [Pubrel(packet_id=1)]
    talk.hear(Pubcomp(packet_id=1))
    assert talk.hear(Pubrec(packet_id=1)) == [Pubrel(packet_id=1, reason=Reason.PACKET_IDENTIFIER_NOT_FOUND)]


@pytest.mark.parametrize(("ours", "theirs"), [(2, 10), (10, 2)])
def test_no_more_is_in_flight_than_both_sides_bear(ours, theirs):
    """The rest waits; an acknowledgement lets one more go."""
    talk = Talk(in_flight_max=ours)
    talk.connect(receive_maximum=theirs)
    said = talk.publish(b"a", b"b", b"c", b"d")
    assert [one.payload for one in said] == [b"a", b"b"]
    assert [one.payload for one in talk.take(said[:1])] == [b"c"]


@pytest.mark.parametrize("qos", [1, 2])
def test_what_was_in_flight_goes_again_under_its_identifier(qos):
    """Before anything else, as a repetition, where the broker has the session."""
    talk = Talk()
    talk.connect(receive_maximum=2)
    talk.publish(b"a", b"b", b"c", qos=qos)
    talk.lose()
    assert sent(talk.connect(present=True, receive_maximum=2)) == [(b"a", 1, True), (b"b", 2, True)]


def test_a_smaller_window_after_a_break_is_kept():
    """One by one."""
    talk = Talk()
    talk.connect()
    talk.publish(b"a", b"b", b"c")
    talk.lose()
    assert sent(talk.connect(present=True, receive_maximum=1)) == [(b"a", 1, True)]
    assert sent(talk.hear(Puback(packet_id=1))) == [(b"b", 2, True)]
    assert sent(talk.hear(Puback(packet_id=2))) == [(b"c", 3, True)]


def test_a_release_is_said_again():
    """What the broker has is not published a second time."""
    talk = Talk()
    talk.connect()
    talk.publish(b"a", qos=2)
    talk.hear(Pubrec(packet_id=1))
    talk.lose()
    assert talk.connect(present=True) == [Pubrel(packet_id=1)]
    talk.lose()
    assert talk.connect(present=False) == []


def test_a_broker_without_the_session_gets_all_of_it_anew():
    """Under new identifiers, as no repetition, before what came later."""
    talk = Talk()
    talk.connect(receive_maximum=2)
    talk.publish(b"a", b"b", b"c")
    talk.lose()
    talk.publish(b"d")
    said = talk.connect()
    assert [payload for payload, _, _ in sent(said)] == [b"a", b"b", b"c", b"d"]
    assert not any(again for _, _, again in sent(said))
    assert talk.machine.counts.sessions_lost == 1
    talk.take(said)
    assert talk.over == [(1, 3, None), (2, 1, None)]


@pytest.mark.parametrize(("qos", "answer"), [(1, Puback), (2, Pubrec)])
def test_a_refusal_says_why(qos, answer):
    """With the broker's words, made safe for a line of text."""
    talk = Talk()
    talk.connect()
    talk.publish(b"a", qos=qos)
    properties = Properties(reason_text="not\x1b yours")
    talk.hear(answer(packet_id=1, reason=Reason.NOT_AUTHORIZED, properties=properties))
    assert talk.over == [(1, 1, Reason.NOT_AUTHORIZED)]
    assert "not? yours" in str(talk.answers[0].refusal)
    assert talk.machine.is_done


def test_what_the_broker_does_not_take_is_not_sent():
    """Its highest quality, whether it retains, how large a packet may be."""
    talk = Talk()
    talk.connect(maximum_qos=1, retain_available=0, packet_bytes_maximum=50)
    large = Publication("a long topic that has an alias", b"x" * 60)
    said = talk.publish(Publication("t", qos=2), Publication("t", retain=True), large, Publication("t", b"fits"))
    assert [one.payload for one in said] == [b"fits"]
    assert talk.over == [
        (1, 1, Reason.QOS_NOT_SUPPORTED),
        (1, 1, Reason.RETAIN_NOT_SUPPORTED),
        (1, 1, Reason.PACKET_TOO_LARGE),
    ]


def test_answers_to_what_was_never_sent_change_nothing():
    """Of no kind."""
    talk = Talk()
    talk.connect()
    talk.publish(b"a", qos=2)
    talk.hear(Puback(packet_id=1), Puback(packet_id=9), Pubcomp(packet_id=1), Pubcomp(packet_id=9))
    assert talk.over == []
    assert not talk.machine.is_done


def test_bounds_are_told_and_lifted():
    """Events and bytes of what is not over."""
    talk = Talk(waiting_events_max=2, waiting_bytes_max=10_000)
    talk.publish(b"a")
    assert not talk.machine.outbox.is_full
    talk.publish(b"b")
    assert talk.machine.outbox.is_full
    talk.take(talk.connect())
    assert not talk.machine.outbox.is_full
    talk.publish(b"x" * 10_000)
    assert talk.machine.outbox.is_full
    assert talk.machine.outbox.bytes >= 10_000


def test_a_lifetime_ends_with_or_without_a_connection():
    """Whoever waits is told; what lives on keeps its place."""
    talk = Talk()
    talk.publish(Publication("t", b"short", lifetime_ns=SECOND), Publication("t", b"long", lifetime_ns=3 * SECOND))
    talk.publish(b"for ever")
    talk.wait(2)
    assert talk.over == [(1, 1, Reason.UNSPECIFIED_ERROR)]
    assert "not sent within its lifetime" in str(talk.answers[0].refusal)
    assert [one.payload for one in talk.connect()] == [b"long", b"for ever"]
    talk.wait(10)
    assert len(talk.over) == 1


def test_what_has_expired_when_it_is_its_turn_is_not_sent():
    """The window was closed for too long."""
    talk = Talk(in_flight_max=1)
    talk.connect()
    talk.publish(b"a", Publication("t", b"b", lifetime_ns=SECOND), b"c")
    talk.now += 2 * SECOND
    assert [one.payload for one in talk.hear(Puback(packet_id=1))] == [b"c"]
    assert [one.refusal is None for one in talk.answers] == [True, False]


def test_a_broker_that_has_forgotten_us_first_hears_what_we_want():
    """What we publish may be for ourselves."""
    talk = Talk()
    talk.connect()
    talk.grant(talk.subscribe(0, "t"))
    talk.lose()
    talk.publish(b"a")
    asked = talk.connect()
    assert sent(asked) == []
    assert sent(talk.grant(asked)) == [(b"a", 3, False)]


# ---- carriers


def test_rows_travel_in_one_packet_under_numbers_of_our_own():
    """Quality 2 is 1 here: identities keep the broker from taking anything twice."""
    talk = Talk(carriers=True)
    talk.carry(base=1_000, next_number=5)
    (row,) = talk.publish(b"a", b"b", qos=2)
    assert (row.topic, row.qos) == ("$tidings", 1)
    assert carried(row) == [(1_005, b"a"), (1_006, b"b")]
    talk.take([row])
    assert talk.over == [(1, 2, None)]


def test_a_row_goes_again_as_it_was():
    """The same identifier, the same numbers, whatever the broker says that it has."""
    talk = Talk(carriers=True)
    talk.carry()
    talk.publish(b"a", b"b")
    talk.lose()
    talk.publish(b"c")
    again, new = talk.carry(present=True, next_number=2)
    assert (again.packet_id, again.duplicate, carried(again)) == (1, True, [(0, b"a"), (1, b"b")])
    assert carried(new) == [(2, b"c")]


@pytest.mark.parametrize("present", [False, True])
def test_under_another_name_all_is_numbered_anew(present):
    """A broker that does not know us, or another one."""
    talk = Talk(carriers=True)
    talk.carry(base=0)
    talk.publish(b"a", b"b")
    talk.lose()
    (row,) = talk.carry(base=5_000, present=present)
    assert (row.duplicate, carried(row)) == (False, [(5_000, b"a"), (5_001, b"b")])


def test_between_kinds_of_brokers_all_is_said_anew():
    """From one of ours to one of others, and back."""
    talk = Talk(carriers=True)
    talk.carry()
    talk.publish(b"a", b"b")
    talk.lose()
    assert [payload for payload, _, _ in sent(talk.connect())] == [b"a", b"b"]
    talk.lose()
    (row,) = talk.carry(base=7, next_number=0)
    assert carried(row) == [(7, b"a"), (8, b"b")]


def test_events_of_a_row_are_refused_one_by_one():
    """By their identities; nonsense among the properties is nothing."""
    talk = Talk(carriers=True)
    talk.carry(base=100)
    talk.publish(b"a", b"b", b"c")
    refused = (("refused", f"101 {int(Reason.NOT_AUTHORIZED)}"), ("refused", "x y"), ("other", "102 5"))
    talk.hear(Puback(packet_id=1, properties=Properties(user=refused)))
    assert talk.over == [(1, 1, None), (1, 1, Reason.NOT_AUTHORIZED), (1, 1, None)]
