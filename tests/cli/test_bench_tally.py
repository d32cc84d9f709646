"""What a benchmark's subscriber counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.cli import bench_tally
from tidings.cli.bench_tally import HEADER_BYTES, Counting, Tally, latencies_ms, payload, together


def test_a_payload_has_the_size_asked_for():
    """And never less than what it must say."""
    assert len(payload(1, 2, 3, 64)) == 64
    assert len(payload(1, 2, 3, 1)) == HEADER_BYTES


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), max_size=40))
def test_order_is_judged_for_each_publisher(events):
    """Equal to looking at all that came before."""
    counting = Counting(3)
    counting.take([payload(publisher, number, 0, 30) for publisher, number in events], 1)
    expected = sum(
        any(other == publisher and earlier >= number for other, earlier in events[:place])
        for place, (publisher, number) in enumerate(events)
    )
    assert counting.tally.out_of_order == expected
    assert counting.tally.events == len(events)


def test_instants_and_waits_are_kept():
    """Of the first batch and of the last; holes are no breach of order."""
    counting = Counting(1)
    counting.take([payload(0, 0, 5, 24), payload(0, 7, 6, 24)], 10)
    counting.take([payload(0, 8, 7, 24)], 20)
    assert counting.tally == Tally(3, 0, 10, 20)
    assert list(counting.waits_ns) == [5, 4, 13]


def test_the_tallies_of_several_are_one():
    """Who was shown nothing does not count for the beginning."""
    assert together([Tally(3, 1, 10, 20), Tally(2, 0, 5, 30), Tally()]) == Tally(5, 1, 5, 30)
    assert together([]) == Tally()


def test_percentiles_are_in_milliseconds():
    """Over all that were measured."""
    counting = Counting(1)
    counting.take([payload(0, number, 0, 24) for number in range(100)], 2_000_000)
    assert latencies_ms([counting.waits_ns.tobytes()] * 2) == dict.fromkeys(("p50", "p90", "p99", "p99.9", "max"), 2.0)
    assert latencies_ms([]) == latencies_ms([b""]) == {}


def test_the_tally_can_fail_and_does_not_grow():
    """A repetition is noticed; of very many waits fewer are kept."""
    counting = Counting(1)
    row = [payload(0, number, 0, 24) for number in range(50_000)]
    counting.take([row[3], row[3]], 1)
    assert counting.tally.out_of_order == 1
    for _ in range(30):
        counting.take(row, 1)
    assert len(counting.waits_ns) < 1.2 * bench_tally._SAMPLES_MAX
    assert counting._every > 1


def test_a_payload_of_others_is_not_taken_for_one():
    """Too short to be ours."""
    with pytest.raises(Exception, match="buffer"):
        Counting(1).take([b"x"], 1)
