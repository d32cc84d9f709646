"""One delay on several grids: fine where delays are short, and as far as hours."""

import itertools

import numpy as np
import pytest

from tidings.analysis.delay_law import TimeGrid, constant_delay, delay_of
from tidings.analysis.scaled_delay import ScaledDelay, grids, horizons, waiting_sometimes
from tidings.vocabulary.distribution import Exponential

LAWS = [Exponential(0.05), Exponential(1_000.0)]
"""Milliseconds on the way, and a quarter of an hour in a buffer once in ten times."""


def both():
    """The two together, on grids from 2 to 3,600."""
    found = []
    for grid in grids(2.0, 3_600.0):
        fast, slow = (delay_of(grid, law) for law in LAWS)
        found.append(fast.plus(waiting_sometimes(slow, 0.9)))
    return ScaledDelay(tuple(found))


def test_horizons():
    """From the near one to the far one, in steps; one when they are the same."""
    assert horizons(2.0, 2.0) == (2.0,)
    found = horizons(2.0, 3_600.0)
    assert found[0] == pytest.approx(2.0, rel=1.0)
    assert found[-1] == 3_600.0
    assert all(after / before <= 33 for before, after in itertools.pairwise(found))


def test_short_and_long():
    """Both ends are as exact as a grid of their own."""
    law = both()
    assert law.within(0.1) == pytest.approx(0.9 * (1 - np.exp(-2)), abs=2e-3)
    assert law.within(1_000.0) == pytest.approx(1 - 0.1 * np.exp(-1), abs=2e-3)
    assert law.within_each(np.array([0.1, 1_000.0])) == pytest.approx([law.within(0.1), law.within(1_000.0)])
    assert law.mean == pytest.approx(0.05 + 100)
    assert law.mean_within(1.0) == pytest.approx(0.05, rel=0.02)
    assert (np.diff(law.times) > 0).all()
    assert law.times[-1] == 3_600.0


def test_sums():
    """Two together: the chance that neither waits."""
    law = both()
    assert law.plus(law).within(2.0) == pytest.approx(0.81, abs=5e-3)


def test_waiting_sometimes():
    """Never, now and then, always."""
    grid = TimeGrid(10_000.0)
    slow = delay_of(grid, LAWS[1])
    assert waiting_sometimes(slow, 1.0).mean == 0.0
    assert waiting_sometimes(slow, 0.0).within(1_000.0) == pytest.approx(slow.within(1_000.0))
    assert waiting_sometimes(slow, 0.5).within(0.0) == pytest.approx(0.5)
    assert waiting_sometimes(slow, 0.5).mean == pytest.approx(500.0)
    assert waiting_sometimes(slow, 0.5).variance == pytest.approx(1_000_000.0 - 500.0**2)
    assert waiting_sometimes(constant_delay(grid, 0.0), 0.3).within(0.0) == 1.0
