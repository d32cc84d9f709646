"""What sessions write down: every record reads back, and what no front wrote is damage."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import events
from tidings.errors import LogCorrupt
from tidings.mqtt import records as kinds
from tidings.mqtt.records import numbers_in, read_event, read_record, rows_of, shifted, write_record
from tidings.mqtt.subscriptions import Subscription
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import FOREVER
from tidings.wire.mqtt_packets import Properties, Will

EVENT = Event(1, "p", "t", 100, {"a": 1}, 200, payload=b"x", payload_bytes=1, carried=b"\x01")
RECORDS = (
    kinds.Taken(EVENT, ((1, 0), (2, kinds.SECOND_QUALITY | 5))),
    kinds.Sent(1, 5, (40, 41)),
    kinds.Dropped(1, (40,)),
    kinds.Acknowledged(1, 5, half=True),
    kinds.Received(1, 5, over=False),
    kinds.SessionHead(
        1, "u:c", "u", "c", 10**9, 3, Will(topic="w", payload=b"x", properties=Properties(will_delay_s=3))
    ),
    kinds.SessionHead(1, "c", "", "c", 10**9, 3, None),
    kinds.Subscribed(1, Subscription("a/+", 4, "price > 1", 2, no_local=True, as_published=True, identifier=9)),
    kinds.Unsubscribed(1, "a/+"),
    kinds.SessionOver(1),
    kinds.RetainedSet(EVENT),
    kinds.FromBroker((b"r", b""), anew=True),
    kinds.Queues(1, 7, ((5, False, (40,)),), (6,), ((41, 3),)),
    kinds.Reserved(1_024),
    kinds.Seen((1, 2)),
)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_record_reads_back(record):
    """Every kind."""
    assert read_record(write_record(record)) == record


def test_every_kind_has_its_sample():
    """A kind more is tested, too."""
    assert {type(record) for record in RECORDS} == set(kinds.AnyRecord.__args__)


@pytest.mark.parametrize("data", [b"", b"\xc0", b"\x92\xa5other\x01", write_record(RECORDS[0])[:-1], b"\xff" * 9])
def test_what_no_front_wrote_is_damage(data):
    """It passed the log's own checksums, so that somebody else wrote it; the record is named."""
    with pytest.raises(LogCorrupt, match="sessions is damaged at byte 17"):
        read_record(data, 17)


@given(events, st.integers(-(10**18), 10**18))
def test_instants_are_shifted_together(event, shift_ns):
    """None before the beginning of time; what never expires still never does."""
    found = shifted(event, shift_ns)
    assert found.expires_ns == FOREVER
    assert found.published_ns == max(0, event.published_ns + shift_ns)
    assert read_event(write_record(kinds.Taken(EVENT, ())), 50).expires_ns == 250
    assert read_event(write_record(kinds.Taken(EVENT, ())), -500).expires_ns == 0


@given(st.lists(st.integers(0, 60), unique=True))
def test_rows_are_lists_in_other_words(numbers):
    """In any order; neighbours take one row."""
    assert numbers_in(rows_of(numbers)) == numbers
    ascending = sorted(numbers)
    gaps = sum(two > one + 1 for one, two in pairwise(ascending))
    assert len(rows_of(ascending)) == (gaps + 1 if numbers else 0)
