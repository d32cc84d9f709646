"""Outcomes: delays over all cases, exact where nothing but the case is random."""

import numpy as np
import pytest

from tidings.analysis.delay_law import TimeGrid, constant_delay, delay_of, no_delay
from tidings.analysis.outcomes import Cases, MixedDelay, Outcome, Outcomes
from tidings.vocabulary.distribution import Exponential

GRID = TimeGrid(40.0, 4000)


def steps(**more):
    """1 with 0.5, 3 with 0.3, 8 with 0.2."""
    return MixedDelay([Cases(np.array([0.5, 0.3, 0.2]), np.array([1.0, 3.0, 8.0]), no_delay(GRID))])


def test_steps_are_exact():
    """Just in time is in time."""
    law = steps()
    assert [law.within(limit) for limit in (0.999, 1.0, 2.9, 3.0, 7.0, 8.0, 1e9)] == [0, 0.5, 0.5, 0.8, 0.8, 1.0, 1.0]
    assert law.mean == pytest.approx(3.0)
    assert law.mean_within(3.0) == pytest.approx(1.4 / 0.8)
    assert law.mean_within(0.5) is None
    assert (law.times == GRID.times).all()


def test_more_delay():
    """Constant or random, on top of each case."""
    later = steps().plus(constant_delay(GRID, 2.0))
    assert [later.within(limit) for limit in (2.9, 3.0, 5.0)] == [0.0, 0.5, 0.8]
    random = steps().plus(delay_of(GRID, Exponential(2.0)))
    expected = 0.5 * (1 - np.exp(-1.5)) + 0.3 * (1 - np.exp(-0.5))
    assert random.within(4.0) == pytest.approx(expected, abs=1e-3)
    assert random.mean == pytest.approx(5.0)
    assert random.mean_within(39.0) == pytest.approx(5.0, abs=0.02)
    assert random.within_each(np.array([4.0, 39.0]))[1] == pytest.approx(1.0, abs=1e-4)


def test_several_laws():
    """Cases with and without a random part."""
    law = MixedDelay(
        [
            Cases(np.array([0.25]), np.array([1.0]), no_delay(GRID)),
            Cases(np.array([0.75]), np.array([0.0]), delay_of(GRID, Exponential(1.0))),
        ]
    )
    assert law.within(1.0) == pytest.approx(0.25 + 0.75 * (1 - np.exp(-1)), abs=1e-3)
    assert law.mean == pytest.approx(1.0)


def test_what_arrives():
    """What is missing is lost."""
    found = Outcomes([Outcome(0.5, (("a", "b"),), 0.0), Outcome(0.25, (), 7.0)])
    assert found.arrives == 0.75
    assert Outcomes([]).arrives == 0
