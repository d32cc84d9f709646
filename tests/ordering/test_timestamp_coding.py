"""Timestamps as bytes: everything written is read back, differences are small, and rubbish is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import PeerError
from tidings.ordering.timestamp import Layout, Timestamp
from tidings.ordering.timestamp_coding import WHOLE_EVERY, TimestampReader, TimestampWriter
from tidings.ordering.varints import to_varints

TOPICS = [f"t{number}" for number in range(40)]
CODES = (2, 5, 30)
LAYOUT = Layout("t5", ("t2", "t5", "t30"))


def stamp(*numbers):
    """A timestamp of t5 with these numbers of t2, t5 and t30."""
    return Timestamp(LAYOUT, np.array(numbers, np.int64))


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**40)), min_size=1, max_size=150),
    st.integers(0, 200),
    st.booleans(),
)
def test_what_is_written_is_read(growth, start, asks):
    """A run of timestamps that starts anywhere; whoever asks for one whole goes on from there."""
    writer, reader = TimestampWriter(CODES), TimestampReader("t5", TOPICS)
    numbers = np.array([0, start, 7])
    for place, (one, other) in enumerate(growth):
        numbers = numbers + np.array([one, 1, other])
        written = stamp(*numbers)
        data = writer.write(written)
        assert (reader.number(data) is None) == (place == 0 or written.number % WHOLE_EVERY == 0)
        assert reader.number(data) in (None, written.number)
        if asks and place % 7 == 3:
            assert TimestampReader("t5", TOPICS).read(writer.whole(written)) == written
            data = writer.whole(written)
        assert reader.read(data) == written


def test_a_difference_holds_what_grew():
    """Kind, number, and two small fields for each other number that grew; none where none did."""
    writer = TimestampWriter(CODES)
    assert len(writer.write(stamp(0, 1, 1000))) == 1 + 1 + 3 + 1 + 1 + 2
    assert writer.write(stamp(0, 2, 1000)) == bytes([1, 2])
    assert writer.write(stamp(1, 3, 1002)) == bytes([1, 3, 0, 1, 2, 2])


def test_the_64th_is_whole():
    """So that whoever comes late has to wait for 63 at most."""
    writer = TimestampWriter(CODES)
    kinds = [writer.write(stamp(0, number, 0))[0] for number in range(60, 70)]
    assert kinds == [0, 1, 1, 1, 0, 1, 1, 1, 1, 1]


def test_whole_ones_share_a_layout():
    """Read one after the other, they name their topics by the same object, which receivers look up once."""
    writer, reader = TimestampWriter(CODES), TimestampReader("t5", TOPICS)
    first, second = (reader.read(writer.whole(stamp(0, number, 0))) for number in (1, 2))
    assert first.layout is second.layout
    other = TimestampWriter((5,)).whole(Timestamp(Layout("t5", ("t5",)), np.array([3])))
    assert reader.read(other) == Timestamp.of("t5", {"t5": 3})


def test_timestamps_are_written_in_their_order():
    """Anything else is our own bug."""
    writer = TimestampWriter(CODES)
    writer.write(stamp(0, 1, 0))
    with pytest.raises(AssertionError):
        writer.write(stamp(0, 3, 0))


def data_of(*numbers):
    """Any numbers as bytes."""
    return to_varints(np.array(numbers, np.int64))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "begins with its kind"),
        (data_of(0), "begins with its kind"),
        (data_of(2, 1), "begins with its kind"),
        (b"\x80", "no end"),
        (data_of(0, 0), "takes 1 fields"),
        (data_of(0, 2, 5, 1, 7), "takes 5 fields, not 4"),
        (data_of(0, 2, 5, 0, 1, 1), "or one twice"),
        (data_of(0, 1, 40, 1), "topics that its topic does not have"),
        (data_of(0, 2, 30, 30, 1, 1), "topics that its topic does not have"),
        (data_of(0, 2, 2**62, 2**62, 1, 1), "topics that its topic does not have"),
        (data_of(0, 1, 6, 1), "timestamp of topic t5 must name it"),
        (data_of(1, 10), "10 of t5 is a difference, but number 4 was read"),
        (data_of(1, 5, 2), "middle of a pair"),
        (data_of(1, 5, 3, 1), "topics that its topic does not have"),
        (data_of(1, 5, 0, 1, 0, 1), "or one twice"),
        (data_of(1, 5, 2, 2**63 - 1), "beyond"),
    ],
)
def test_rubbish_is_refused(data, says):
    """By what is wrong with it; the reader goes on from where it was."""
    reader = TimestampReader("t5", TOPICS)
    reader.read(TimestampWriter(CODES).write(stamp(1, 4, 9)))
    with pytest.raises(PeerError, match=says):
        reader.read(data)
    assert reader.read(data_of(1, 5)) == stamp(1, 5, 9)


def test_a_difference_needs_something_to_build_on():
    """The first thing read must be whole."""
    with pytest.raises(PeerError, match="but nothing was read before it"):
        TimestampReader("t5", TOPICS).read(data_of(1, 1))


@given(st.binary(max_size=30), st.booleans())
def test_any_bytes_are_a_timestamp_or_refused(data, begun):
    """Never another error."""
    reader = TimestampReader("t5", TOPICS)
    if begun:
        reader.read(TimestampWriter(CODES).write(stamp(1, 4, 9)))
    try:
        found = reader.read(data)
    except PeerError:
        return
    assert found.topic == "t5"
    assert (found.numbers >= 0).all()


def test_for_who_has_come_late_the_next_is_whole():
    """And differences go on behind it."""
    writer = TimestampWriter(CODES)
    writer.write(stamp(0, 1, 0))
    writer.begin_anew()
    reader = TimestampReader("t5", TOPICS)
    for number in (2, 3):
        assert reader.read(writer.write(stamp(0, number, 0))).number == number
