"""Phases of contact and outage, those that last over many passages too."""

import numpy as np
import pytest

from tidings.analysis.coverage import NOWHERE
from tidings.analysis.delay_law import TimeGrid
from tidings.analysis.phase_laws import PhaseLaws, Steps, renewed, spread, steady, times_left
from tidings.analysis.walk_graph import graph_of

GRID = TimeGrid(64.0, 64)


def ints(*values):
    """An array of numbers."""
    return np.array(values, np.int64)


def ring():
    """A(2) | gap 3 then gap 1 over a state | B(4) | A again at once: one walk round and round."""
    passages = ints(0, 1, 2), ints(1, 2, 0), np.ones(3)
    pieces = ints(0, 0, 1, 1, 2), ints(0, NOWHERE, NOWHERE, 1, 1), np.array([2.0, 3.0, 1.0, 2.0, 2.0])
    return graph_of(passages, pieces, ints(0, NOWHERE, 1))


def at(law):
    """Times and masses that are not 0."""
    return {float(time): pytest.approx(mass) for time, mass in zip(GRID.times, law, strict=True) if mass > 1e-9}


def test_phases_that_span_passages():
    """The gap lasts 4, though no passage has more than 3 of it; the stay at B lasts 4 and touches the one at A."""
    laws = steady(ring())
    assert at(laws.law(NOWHERE, GRID)) == {4.0: 1.0}
    assert at(laws.law(0, GRID)) == {2.0: 1.0}
    assert at(laws.law(1, GRID)) == {4.0: 1.0}
    assert [laws.share(point) for point in (0, 1, NOWHERE)] == pytest.approx([0.2, 0.4, 0.4])
    assert [laws.rate(point) for point in (0, 1, NOWHERE)] == pytest.approx([0.1] * 3)
    assert laws.touching == pytest.approx(0.5)
    assert at(laws.gap(GRID)) == {0.0: 0.5, 4.0: 0.5}


def test_geometric_phases():
    """Out of range for 2 again and again, each time with 0.5: gaps of 2, 4, 6 …"""
    passages = ints(0, 0), ints(0, 0), np.array([0.5, 0.5])
    graph = graph_of(
        passages, (ints(0, 1, 1, 1), ints(NOWHERE, NOWHERE, 0, NOWHERE), np.array([2.0, 1.0, 1.0, 1.0])), ints(NOWHERE)
    )
    law = steady(graph).law(NOWHERE, GRID)
    assert law[:8] == pytest.approx([0, 0, 0.5, 0, 0.25, 0, 0.125, 0])
    assert law.sum() == pytest.approx(1.0, abs=1e-6)


def test_a_walk_that_is_simulated_by_hand():
    """A random graph, against one long walk on it."""
    generator = np.random.default_rng(3)
    size = 4
    origin, target = np.nonzero(np.ones((size, size)))
    share = generator.dirichlet(np.ones(size), size)[origin, target]
    at_state = ints(0, NOWHERE, 0, NOWHERE)
    pieces = [(k, int(at_state[origin[k]]), generator.uniform(0, 4)) for k in range(len(origin))]
    pieces += [(k, int(at_state[target[k]]), generator.uniform(0, 4)) for k in range(len(origin))]
    passage, point, length = (np.array(part) for part in zip(*pieces, strict=True))
    graph = graph_of((origin, target, share), (passage, point, length), at_state)
    stays, now, state = [], (0, 0.0), 0
    for _ in range(40_000):
        step = int(generator.choice(np.flatnonzero(graph.origin == state), p=graph.share[graph.origin == state]))
        for piece in range(graph.first[step], graph.last[step] + 1):
            if graph.point[piece] == now[0]:
                now = now[0], now[1] + graph.length[piece]
            else:
                stays.append(now)
                now = int(graph.point[piece]), graph.length[piece]
        state = int(graph.target[step])
    laws, fine = steady(graph), TimeGrid(64.0, 2048)
    for kind in (0, NOWHERE):
        seen = np.array([length for where, length in stays if where == kind])
        law = laws.law(kind, fine)
        assert law @ fine.times == pytest.approx(seen.mean(), rel=0.02)
        for limit in (3.0, 5.0, 12.0):
            assert law[fine.times <= limit].sum() == pytest.approx((seen <= limit).mean(), abs=0.02)


def test_what_never_ends():
    """A state without a way out of range: nothing is left to come."""
    passages = ints(0, 1), ints(1, 1), np.ones(2)
    graph = graph_of(passages, (ints(0, 0, 1), ints(0, NOWHERE, NOWHERE), np.array([2.0, 1.0, 1.0])), ints(0, NOWHERE))
    assert times_left(graph, NOWHERE, GRID)[1].sum() == pytest.approx(0.0)
    laws = PhaseLaws(graph, np.array([1.0, 20.0]))
    assert laws.law(NOWHERE, GRID).sum() == pytest.approx(0.0)
    assert laws.law(7, GRID).sum() == 0.0


def test_masses_between_times():
    """Shared so that the mean stays; what is beyond the grid is left out."""
    found = spread(ints(0, 1, 1), np.array([1.25, 64.0, 99.0]), np.array([1.0, 2.0, 4.0]), (2, GRID))
    assert found[0, :3].tolist() == [0.0, 0.75, 0.25]
    assert (found[1, 64], found[1].sum()) == (2.0, 2.0)


def test_steps_below_the_grid():
    """A step of less than one time of the grid is solved for, and a loop of them ends."""
    known = np.zeros((1, GRID.points + 1))
    known[0, 0] = 0.5
    found = renewed(known, Steps(ints(0), ints(0), np.array([0.5]), np.array([0.25])), GRID)
    assert found[0].sum() == pytest.approx(1.0)
    assert found[0] @ GRID.times == pytest.approx(0.25)
