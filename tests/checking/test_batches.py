"""Intervals of shares: never too narrow where events hang together, and exact where nothing varies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.checking.batches import BATCHES, counted, share_interval, span_of
from tidings.checking.publisher_order import interval
from tidings.vocabulary.streams import Streams


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_every_instant_of_a_span_has_its_batch(one, other):
    """From the first to the last, however far apart they are; none runs backwards."""
    first, last = min(one, other), max(one, other)
    instants = [first, first + (last - first) // 2, last]
    batches = span_of(first, last).batch(np.array(instants, np.int64)).tolist()
    assert batches == sorted(batches)
    assert batches[0] == 0
    assert batches[-1] < BATCHES
    if last - first >= BATCHES**2:
        assert batches[1] in (BATCHES // 2 - 1, BATCHES // 2)
        assert batches[2] == BATCHES - 1


def test_a_batch_without_events_counts_none():
    """There are as many counts as batches."""
    assert counted(np.array([0, 0, 3])) == (2, 0, 0, 1, *[0] * (BATCHES - 4))
    assert counted(np.zeros(0, np.int64)) == (0,) * BATCHES


def test_everything_on_time():
    """Then only the number of events says how sure that is."""
    low, high = share_interval([(10, 10)] * BATCHES)
    assert high == 1.0
    assert low == pytest.approx(1 - interval(0, 10 * BATCHES)[1])


def test_nothing_wanted():
    """No share, no interval."""
    assert share_interval([]) is None
    assert share_interval([(0, 0)] * BATCHES) is None


def test_a_single_batch_is_taken_for_independent_events():
    """There is nothing to compare it with."""
    low, high = share_interval([(100, 60), *[(0, 0)] * (BATCHES - 1)])
    assert (1 - high, 1 - low) == pytest.approx(interval(40, 100))


def test_events_that_hang_together_are_less_sure():
    """Half of the batches lost whole: far wider than for as many independent losses."""
    together = share_interval([(100, 100), (100, 0)] * (BATCHES // 2))
    apart = share_interval([(100, 50)] * BATCHES)
    assert together[1] - together[0] > 5 * (apart[1] - apart[0])


def test_the_interval_covers_what_it_should(seeds):
    """Outages that come and go: 95 % of the intervals hold the true share, or nearly."""
    inside, trials = 0, 40 * len(seeds)
    for seed in seeds:
        draw = Streams(seed)("batches")
        for _ in range(40):
            # Each batch's own share, as outages leave it; the mean is 0.8.
            shares = draw.beta(4, 1, BATCHES)
            wanted = draw.integers(50, 100, BATCHES)
            low, high = share_interval(list(zip(wanted.tolist(), draw.binomial(wanted, shares).tolist(), strict=True)))
            inside += low <= 0.8 <= high
    assert inside >= 0.88 * trials
