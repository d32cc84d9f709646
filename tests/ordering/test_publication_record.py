"""Publication records: what is attached, and what no publisher attaches."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import InputError, PeerError
from tidings.ordering.publication_record import RECORD_MAX, Past, PublicationRecord, Stamp, check_stamp
from tidings.ordering.summary import summarise
from tidings.vocabulary.event import Event, event_id


def event(number, topic="t", **attributes):
    """Number n departs at 10·n."""
    return Event(id=event_id(3, number), publisher="p", topic=topic, published_ns=10 * number, attributes=attributes)


@given(st.integers(0, 10), st.integers(0, 1000), st.integers(1, 30), st.sampled_from(["topics", "summaries"]))
def test_a_stamp_tells_of_the_last_events(length, first, count, about):
    """The newest first, at most `length` of them; one bare instant in basic mode."""
    record = PublicationRecord(length, about)
    events = [event(number, f"t{number % 3}", n=number) for number in range(first, first + count)]
    stamps = [record.stamp(one) for one in events]
    for place, stamp in enumerate(stamps):
        check_stamp(stamp, events[place])
        told = events[max(0, place - max(1, length)) : place][::-1]
        assert stamp.first == first
        assert [past.departed_ns for past in stamp.before] == [one.published_ns for one in told]
        topics = [one.topic if length and about == "topics" else None for one in told]
        assert [past.topic for past in stamp.before] == topics
        summaries = [summarise(one) if length and about == "summaries" else None for one in told]
        assert [past.summary for past in stamp.before] == summaries


def test_an_incarnation_begins_where_it_begins():
    """Its first stamp says so, and tells of nothing before."""
    assert PublicationRecord(5).stamp(event(700)) == Stamp(700, ())


def test_stamps_travel():
    """As MessagePack, topics and summaries alike."""
    stamp = Stamp(3, (Past(5, topic="a/ü"), Past(4, summary=bytes(range(16))), Past(-1)))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(stamp), type=Stamp) == stamp


@pytest.mark.parametrize("number", [4, 5, 7])
def test_a_publisher_leaves_no_number_out(number):
    """Neither again, nor back, nor ahead; and a refused one changes nothing."""
    record = PublicationRecord(2)
    record.stamp(event(5))
    with pytest.raises(InputError, match="next would be 6"):
        record.stamp(event(number))
    assert record.stamp(event(6)) == Stamp(5, (Past(50, topic="t"),))


@pytest.mark.parametrize("length", [-1, RECORD_MAX + 1])
def test_impossible_lengths_are_refused(length):
    """Negative, or without bound."""
    with pytest.raises(InputError, match="record"):
        PublicationRecord(length)


@pytest.mark.parametrize(
    ("stamp", "problem"),
    [
        (Stamp(11), "begins"),
        (Stamp(-1), "begins"),
        (Stamp(8, (Past(0), Past(0), Past(0))), "more than there are"),
        (Stamp(0, (Past(0),) * 11), "more than there are"),
        (Stamp(0, (Past(0, summary=b"short"),)), "5 bytes"),
        (Stamp(0, (Past(0), Past(0, summary=bytes(17)))), "17 bytes"),
    ],
)
def test_stamps_that_no_publisher_makes_are_refused(stamp, problem):
    """Of event number 10."""
    with pytest.raises(PeerError, match=problem):
        check_stamp(stamp, event(10))


def test_a_record_has_a_bound():
    """Whatever the number of the event."""
    with pytest.raises(PeerError, match="more than"):
        check_stamp(Stamp(0, (Past(0),) * (RECORD_MAX + 1)), event(10_000))
    check_stamp(Stamp(0, (Past(0),) * RECORD_MAX), event(10_000))
