"""Stamps as bytes: what was written is read, and what no publisher writes is refused."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import PeerError
from tidings.ordering.publication_record import Past, PublicationRecord, Stamp
from tidings.ordering.stamp_coding import stamped, unstamped
from tidings.ordering.summary import SUMMARY_BYTES
from tidings.vocabulary.event import Event, event_id

INSTANTS = st.integers(0, 10**15)
PASTS = st.one_of(
    st.lists(st.builds(Past, INSTANTS), max_size=9),
    st.lists(st.builds(Past, INSTANTS, topic=st.text(max_size=9)), max_size=9),
    st.lists(st.builds(Past, INSTANTS, summary=st.binary(min_size=SUMMARY_BYTES, max_size=SUMMARY_BYTES)), max_size=9),
)


def event(number=9, published_ns=1_000, **more):
    """An event with this number."""
    return Event(event_id(3, number), "p", "t", published_ns, {"x": 1}, **more)


@given(PASTS, st.integers(0, 2**40 - 1), st.data(), INSTANTS, st.binary(max_size=20))
def test_what_is_written_is_read(before, number, data, at, payload):
    """Clocks that were set back, topics that come again, and the application's own bytes."""
    stamp = Stamp(data.draw(st.integers(0, number)), tuple(before))
    said = event(number, at, payload=payload, payload_bytes=len(payload))
    travelling = stamped(said, stamp)
    assert travelling.payload_bytes == len(travelling.payload)
    assert unstamped(travelling) == (said, stamp)


def test_the_price_of_a_record():
    """25 events of four topics cost some 120 bytes; summaries 16 each and the departures."""
    for about, least, most in (("topics", 70, 150), ("summaries", 400, 510)):
        record = PublicationRecord(25, about)
        for number in range(40):
            said = msgspec.structs.replace(event(number, number * 1_000_000), topic=f"t{number % 4}")
            travelling = stamped(said, record.stamp(said))
        assert least < travelling.payload_bytes < most


def test_an_empty_payload_whose_size_is_known_keeps_it():
    """In the simulator payloads have a size and no bytes."""
    said = event(payload_bytes=700)
    travelling = stamped(said, Stamp())
    assert travelling.payload_bytes > 700
    assert unstamped(travelling)[0] == said


@pytest.mark.parametrize("payload", [b"", b"tif1", b"hello, world, this is no stamp", b"tif1" + 20 * b"\xff"])
def test_what_carries_no_stamp_is_refused(payload):
    """Each by an error that names the event."""
    with pytest.raises(PeerError, match=f"event {event().id}: "):
        unstamped(event(payload=payload))


@given(st.data())
def test_what_was_damaged_is_refused_or_something_else(data):
    """No damage raises anything but PeerError."""
    record = PublicationRecord(5, data.draw(st.sampled_from(["topics", "summaries"])))
    for number in range(8):
        travelling = stamped(event(number), record.stamp(event(number)))
    damaged = bytearray(travelling.payload)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(damaged[: data.draw(st.integers(0, len(damaged)))])
    try:
        unstamped(msgspec.structs.replace(travelling, payload=cut))
    except PeerError as error:
        assert str(travelling.id) in str(error)  # noqa: PT017 - both outcomes are right, a third is not
