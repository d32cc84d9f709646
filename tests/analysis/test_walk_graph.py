"""Graphs of walks: chains as the thesis works them out, and pieces put together."""

import numpy as np
import pytest

from tidings.analysis.coverage import NOWHERE
from tidings.analysis.walk_graph import ends, fundamental, graph_of, stationary, visit_shares

ERGODIC = np.array([[0, 0.4, 0.6], [0, 0, 1], [0.9, 0.1, 0]])
ABSORBING = np.array([[0, 0.3, 0.7, 0], [0.6, 0, 0.4, 0], [0, 0.9, 0, 0.1], [0, 0, 0, 0]])
"""The two examples of the thesis (Fig. 4.8); whoever comes to the last state stays there."""


def ints(*values):
    """An array of numbers."""
    return np.array(values, np.int64)


def test_long_run_shares():
    """Eq. 4.9 for the first example: (0.381, 0.195, 0.424) (validation cases)."""
    assert stationary(ERGODIC).round(3).tolist() == [0.381, 0.195, 0.424]
    assert stationary(ERGODIC) @ ERGODIC == pytest.approx(stationary(ERGODIC))


def test_chains_that_go_round():
    """Periodic ones have shares too."""
    assert stationary(np.array([[0.0, 1.0], [1.0, 0.0]])) == pytest.approx([0.5, 0.5])


def test_visits_before_the_end():
    """The printed matrix of the second example is right, its printed shares are not (errata)."""
    printed = [[7.805, 11.341, 10], [7.317, 12.195, 10], [6.585, 10.976, 10]]
    assert fundamental(ABSORBING[:3, :3]).round(3).tolist() == printed
    assert visit_shares(ABSORBING[:3, :3], 0).round(3).tolist() == [0.268, 0.389, 0.343]


def test_where_walkers_end_up():
    """In the one state that nobody leaves; or in the whole graph."""
    ((weight, states),) = ends(ABSORBING, np.full(4, 0.25))
    assert (weight, states.tolist()) == (pytest.approx(1.0), [3])
    ((weight, states),) = ends(ERGODIC, np.array([0.0, 1.0, 0.0]))
    assert (weight, states.tolist()) == (pytest.approx(1.0), [0, 1, 2])


def test_several_ends():
    """From 0 to {1, 2} with 0.3 and to 3 with 0.7; who begins at 3 is there."""
    moves = np.array([[0, 0.3, 0, 0.7], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    found = {tuple(states.tolist()): weight for weight, states in ends(moves, np.array([0.5, 0, 0, 0.5]))}
    assert found == pytest.approx({(1, 2): 0.15, (3,): 0.85})


def test_pieces_in_any_order_become_passages():
    """Neighbours at one point are one piece; what takes no time is where it ends, for a nanosecond."""
    graph = graph_of(
        (ints(0, 0, 1), ints(1, 0, 0), np.array([0.5, 0.5, 1.0])),
        (ints(2, 0, 0, 2, 0), ints(5, NOWHERE, NOWHERE, 5, 7), np.array([1.0, 2.0, 3.0, 4.0, 0.0])),
        ints(3, 4),
    )
    assert graph.duration.tolist() == [5.0, 1.0, 5.0]
    assert graph.point.tolist() == [NOWHERE, 3, 5]
    assert graph.passage.tolist() == [0, 1, 2]
    assert graph.first.tolist() == graph.last.tolist() == [0, 1, 2]
    assert graph.moves.tolist() == [[0.5, 0.5], [1.0, 0.0]]


def test_a_part_of_a_graph():
    """States, passages and pieces are counted anew."""
    graph = graph_of(
        (ints(0, 1, 2), ints(1, 2, 1), np.ones(3)),
        (ints(0, 1, 1, 2), ints(0, 1, 0, 2), np.arange(1.0, 5.0)),
        ints(0, 1, 2),
    )
    part = graph.only(ints(1, 2))
    assert (part.states, part.origin.tolist(), part.target.tolist()) == (2, [0, 1], [1, 0])
    assert (part.passage.tolist(), part.point.tolist()) == ([0, 0, 1], [1, 0, 2])
    assert part.duration.tolist() == [5.0, 4.0]
