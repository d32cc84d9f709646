"""Delays in classes: against a plain count, and exact where it matters."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from checking import twin
from checking.histories import history_of, interest, publication, rows_of_runs, shown
from tidings.checking.delays import KEPT_BITS, class_of, delay_counts


def plain_class(delay):
    """All bits but the leading ones cleared."""
    shift = max(max(delay, 0).bit_length() - KEPT_BITS, 0)
    return max(delay, 0) >> shift << shift


@given(st.lists(st.integers(-(2**62), 2**63 - 1), min_size=1))
def test_a_class_keeps_the_leading_bits(delays):
    """Also at powers of two, at 0, and at the largest number."""
    values = [*delays, 0, 31, 32, 33, 2**62, 2**63 - 1]
    assert class_of(np.array(values)).tolist() == [plain_class(one) for one in values]


@given(st.integers(0, 2**63 - 1))
def test_a_class_is_narrow(delay):
    """Nothing is placed more than a sixteenth too low."""
    least = int(class_of(np.array([delay]))[0])
    assert least <= delay <= least * (1 + 1 / 2 ** (KEPT_BITS - 1))


@given(rows_of_runs())
def test_agrees_with_a_plain_count(rows):
    """The first showing of each published event to each subscriber."""
    published = twin.by_event(rows)
    expected = Counter()
    for subscriber in sorted(twin.clients(rows)):
        seen = set()
        for row in twin.showings(rows, subscriber):
            if row["event"] in published and row["event"] not in seen:
                expected[plain_class(row["delivered_ns"] - published[row["event"]]["published_ns"])] += 1
            seen.add(row["event"])
    assert delay_counts(history_of(**rows)) == expected


def test_nothing_shown():
    """No classes."""
    assert delay_counts(history_of()) == {}
    rows = {"publications": [publication(0)], "interests": [interest("s")]}
    assert delay_counts(history_of(**rows)) == {}
    assert delay_counts(history_of(**rows, deliveries=shown("s", 0, 0, at=40))) == {40: 1}
