"""Presence: Eq. 4.1 and 4.3 as integrals worked out by hand, and hand-offs that last longer than stays."""

import math

import numpy as np
import pytest

from tidings.analysis.coverage import NOWHERE
from tidings.analysis.delay_law import TimeGrid
from tidings.analysis.phase_laws import steady
from tidings.analysis.presence import Latency, Presence, absence, longer, mixed, residual, steady_presence
from tidings.analysis.walk_graph import graph_of
from tidings.vocabulary.distribution import Constant, Exponential, Uniform

GRID = TimeGrid(64.0, 4096)


def ints(*values):
    """An array of numbers."""
    return np.array(values, np.int64)


def to_and_fro(stays, gaps):
    """In range of point 0 for one of `stays`, then out of range for one of `gaps`, each as likely as the others."""
    kinds = [(stay, gap) for stay in stays for gap in gaps]
    count = len(kinds)
    passages = np.zeros(count, np.int64), np.zeros(count, np.int64), np.full(count, 1 / count)
    pieces = np.repeat(np.arange(count), 2), np.tile(ints(0, NOWHERE), count), np.array(kinds, float).ravel()
    return steady(graph_of(passages, pieces, ints(NOWHERE)))


def within(presence, limit, grid=GRID):
    """Share of time attached, or attached again within a limit."""
    masses = presence.waits(grid)
    return float(presence.attached.sum()) + float(masses[grid.times < limit].sum())


def test_without_latency():
    """Stays of 4 and gaps of 2 or 10: attached 0.4 of the time, and within 5 (2 + 5) / 2 in 10 of it more."""
    found = steady_presence(to_and_fro([4.0], [2.0, 10.0]), 1, Latency(Constant(0.0)))
    assert found.attached.tolist() == pytest.approx([0.4], abs=1e-4)
    assert found.away.tolist() == pytest.approx([0.6], abs=1e-4)
    assert within(found, 5.0) == pytest.approx(0.4 + 0.35, abs=1e-3)
    assert within(found, 10.0) == pytest.approx(1.0, abs=1e-3)


def test_eq_4_1_and_4_3():
    """Uniform latencies, as in Eq. 4.2: E[max(W − H, 0)], and E[min(gap + H, D)], over the cycle."""
    found = steady_presence(to_and_fro([4.0, 8.0], [5.0]), 1, Latency(Uniform(0.0, 3.0)))
    cycle = 6.0 + 5.0
    assert found.attached.sum() == pytest.approx((6.0 - 1.5) / cycle, abs=1e-4)
    assert within(found, 6.0) == pytest.approx((6.0 - 1.5 + 5 + 5 / 6) / cycle, abs=1e-3)
    assert within(found, 9.0) == pytest.approx(1.0, abs=1e-3)


def test_stays_shorter_than_a_hand_off():
    """Stays of 1 and 9, H = 2: the short ones do not count, and what waits waits on."""
    found = steady_presence(to_and_fro([1.0, 9.0], [5.0]), 1, Latency(Constant(2.0)))
    assert found.attached.sum() == pytest.approx(7.0 / 20, abs=1e-3)
    # From the end of a long stay: gap, and hand-off; with 1/2, 1/4 … that many short stays and gaps before.
    expected = sum(min(7.0 + 6.0 * short, 10.0) / 2 ** (short + 1) for short in range(40))
    assert within(found, 10.0) == pytest.approx((7.0 + expected) / 20, abs=2e-3)


def test_nobody_is_ever_through():
    """A latency beyond all stays: never attached, and nothing comes back."""
    found = steady_presence(to_and_fro([2.0], [1.0]), 1, Latency(Constant(3.0)))
    assert found.attached.tolist() == [0.0]
    assert found.away.sum() == pytest.approx(1.0)
    assert found.waits(GRID).sum() == 0.0


def test_a_fetch_comes_on_top():
    """Of the round trip to the broker before."""
    found = Latency(Exponential(2.0), fetch=3.0)
    assert found.longer(np.array([2.0, 5.0])).tolist() == pytest.approx([1.0, math.exp(-1)])
    masses = found.masses(GRID)
    assert masses.sum() == pytest.approx(1.0)
    assert masses @ GRID.times == pytest.approx(5.0)
    assert found.longest > 3.0 + 2.0 * 20
    assert Latency(Constant(1.0), 0.5).longest == 1.5
    assert Latency(Constant(1.0), 99.0).masses(GRID).sum() == 0.0


def test_always_in_range():
    """One phase that never ends."""
    passages = ints(0), ints(0), np.ones(1)
    found = steady_presence(
        steady(graph_of(passages, (ints(0), ints(0), np.ones(1)), ints(0))), 2, Latency(Constant(5.0))
    )
    assert found.attached.tolist() == [1.0, 0.0]
    assert found.away.sum() == 0.0
    assert found.waits(GRID).sum() == 0.0


def test_absences_and_what_is_left_of_them():
    """A gap of 3, stays that always count: 3, of which 0 to 3 is left, evenly."""
    gap, stay = np.zeros((2, GRID.points + 1))
    gap[round(3 / GRID.step)] = stay[round(4 / GRID.step)] = 1.0
    law = absence(gap, stay, Latency(Constant(0.0)), GRID)
    assert law @ GRID.times == pytest.approx(3.0, abs=1e-6)
    left = residual(law, GRID)
    assert left.sum() == pytest.approx(3.0, rel=1e-3)
    assert left @ GRID.times == pytest.approx(4.5, rel=1e-3)
    assert longer(law)[[0, -1]].tolist() == pytest.approx([1.0, 0.0], abs=1e-6)


def test_mixtures():
    """A third of one, the rest of another; a single one is itself."""
    one = Presence(np.array([1.0, 0.0]), np.zeros(2), 0.0, lambda grid: np.zeros(3))
    other = Presence(np.zeros(2), np.array([0.4, 0.6]), 0.9, lambda grid: np.array([0.0, 0.3, 0.3]))
    found = mixed([(1 / 3, one), (2 / 3, other)])
    assert found.attached.tolist() == pytest.approx([1 / 3, 0.0])
    assert found.away.tolist() == pytest.approx([0.8 / 3, 0.4])
    assert found.returns == pytest.approx(0.6)
    assert found.waits(GRID).tolist() == pytest.approx([0.0, 0.2, 0.2])
    assert mixed([(1.0, one)]) is one
