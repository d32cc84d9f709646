"""Bytes of timestamps: events in order, whole and as differences."""

import numpy as np
import pytest

from studies.total_worlds import drawn
from tidings.studies.total_coding import coded_bytes


def test_topics_alone():
    """One entry: four bytes whole (kind, count, code, number), two as a difference."""
    found = coded_bytes(np.zeros((1, 1), np.bool_), np.array([1.0]), 63, np.random.default_rng(1))
    assert (found.entries, found.whole) == (1, 4)
    assert found.coded == pytest.approx((4 + 62 * 2) / 63)


def test_differences_save_most_where_timestamps_are_long():
    """In the published setting by shares, nine tenths."""
    world = drawn()
    found = coded_bytes(world.overlaps(), world.publishes.sum(axis=0), 2_000, np.random.default_rng(1))
    assert found.entries > 50
    assert found.coded < 0.2 * found.whole
