"""Alike slots come side by side, and each slot once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tidings.matching.clusters import clustered
from tidings.vocabulary.streams import Streams


def spread(ranges, order) -> float:
    """How many rows of the first attribute a word's slots touch, on average."""
    firsts = ranges[order][:, 0, 0][: len(order) // 64 * 64].reshape(-1, 64)
    return float((firsts.max(axis=1) - firsts.min(axis=1)).mean())


@given(st.integers(0, 300), st.integers(0, 3), st.integers(0, 10))
def test_every_slot_has_one_place(count, attributes, seed):
    """The order is a permutation."""
    random = Streams(seed)("ranges")
    ranges = np.sort(random.integers(0, 20, (count, attributes, 2), dtype=np.int32), axis=2)
    ranges[random.random((count, attributes)) < 0.3] = -1
    order = clustered(ranges, np.full(attributes, 20))
    assert sorted(order.tolist()) == list(range(count))


def test_words_hold_neighbours():
    """Far fewer rows are touched than in a random order."""
    random = Streams(1)("ranges")
    firsts = random.integers(0, 95, (4_096, 2, 1), dtype=np.int32)
    ranges = np.concatenate([firsts, firsts + 4], axis=2)
    order = clustered(ranges, np.array([100, 100]))
    assert spread(ranges, order) < spread(ranges, np.arange(4_096)) / 4


def test_slots_that_ask_about_the_same_attributes_stay_together():
    """Most words ask about one set of attributes only."""
    random = Streams(1)("signatures")
    ranges = np.zeros((4_096, 2, 2), np.int32)
    ranges[:, :, 1] = 3
    ranges[random.random(4_096) < 0.5, 1] = -1
    order = clustered(ranges, np.array([10, 10]))
    asks = (ranges[order][:, 1, 0] >= 0).reshape(-1, 64).mean(axis=1)
    assert ((asks == 0) | (asks == 1)).mean() > 0.95
