"""Walks that begin at a state: against walks on the same graph that are walked one by one."""

import numpy as np
import pytest

from tidings.analysis.begun_presence import Begun, begun_presence
from tidings.analysis.coverage import NOWHERE
from tidings.analysis.delay_law import TimeGrid
from tidings.analysis.presence import Latency
from tidings.analysis.timeline import known_presence, timeline_of
from tidings.analysis.walk_graph import graph_of
from tidings.vocabulary.distribution import Constant, Uniform

GRID = TimeGrid(40.0, 1000)
LATENCY = Latency(Uniform(0.0, 2.0))


def ints(*values):
    """An array of numbers."""
    return np.array(values, np.int64)


def graph(*, final):
    """Three states and two points; from the last state back to the others, or, if `final`, nowhere."""
    rows = [(0, 1, 0.3), (0, 2, 0.7), (1, 0, 0.6), (1, 2, 0.4)] + ([] if final else [(2, 0, 1.0)])
    cuts = [
        [(NOWHERE, 4.0), (0, 3.0)],
        [(NOWHERE, 2.0), (1, 5.0), (NOWHERE, 3.0)],
        [(0, 2.0), (NOWHERE, 7.0)],
        [(0, 3.0), (NOWHERE, 6.0)],
        [(NOWHERE, 5.0), (1, 2.0), (NOWHERE, 2.0)],
    ]
    pieces = [(number, point, length) for number, _ in enumerate(rows) for point, length in cuts[number]]
    columns = [np.array(part) for part in zip(*rows, strict=True)]
    return graph_of(
        tuple(columns), tuple(np.array(part) for part in zip(*pieces, strict=True)), ints(NOWHERE, 0, NOWHERE)
    )


def walked(walk, duration, limit, count=700):
    """Dumb twin: so many walks, each a timeline; the mean of what they say."""
    generator = np.random.default_rng(2)
    attached, good = np.zeros(2), 0.0
    for _ in range(count):
        state, points, lengths = int(generator.choice(3, p=walk.start)), [], []
        while sum(lengths) < duration + 40.0:
            steps = np.flatnonzero(walk.graph.origin == state)
            if not steps.size:
                break
            step = int(generator.choice(steps, p=walk.graph.share[steps]))
            own = slice(walk.graph.first[step], walk.graph.last[step] + 1)
            points += walk.graph.point[own].tolist()
            lengths += walk.graph.length[own].tolist()
            state = int(walk.graph.target[step])
        line = timeline_of(np.array([*points, NOWHERE]), np.array([*lengths, np.inf]))
        found = known_presence(line, 2, LATENCY, (duration, 0))
        attached += found.attached / count
        good += float(found.attached.sum() + found.waits(GRID)[GRID.times <= limit].sum()) / count
    return attached, good


@pytest.mark.parametrize(("final", "duration", "start"), [(False, 60.0, 0), (True, 40.0, 0), (True, 25.0, 1)])
def test_a_twin_that_walks_again_and_again(final, duration, start):
    """Few phases long, so that the beginning and the end count; with and without a state that is final.

    What waits is within 2.5 points: on so few and even phases it matters that a stay and the gap after it are known together.
    """
    walk = Begun(graph(final=final), np.eye(3)[start])
    found = begun_presence(walk, 2, LATENCY, (duration, 0))
    attached, good = walked(walk, duration, 8.0)
    assert found.attached == pytest.approx(attached, abs=0.01)
    assert found.attached.sum() + found.away.sum() == pytest.approx(1.0)
    within = float(found.attached.sum() + found.waits(GRID)[GRID.times <= 8.0].sum())
    assert within == pytest.approx(good, abs=0.025)


def test_a_walk_that_is_over_at_once():
    """Out of range from the first step on: everything waits where it always did, and nothing comes back."""
    gone = graph_of((ints(0), ints(1), np.ones(1)), (ints(0), ints(NOWHERE), np.array([5.0])), ints(NOWHERE, NOWHERE))
    found = begun_presence(Begun(gone, np.array([1.0, 0.0])), 2, Latency(Constant(1.0)), (20.0, 1))
    assert found.attached.sum() == 0.0
    assert found.away.tolist() == [0.0, 1.0]
    assert found.waits(GRID).sum() == pytest.approx(0.0, abs=1e-9)


def test_a_walk_that_stays_in_range():
    """It begins there and ends there: attached all the time, whatever a hand-off takes."""
    there = graph_of((ints(0), ints(1), np.ones(1)), (ints(0), ints(1), np.array([5.0])), ints(1, 1))
    found = begun_presence(Begun(there, np.array([1.0, 0.0])), 2, Latency(Constant(9.0)), (20.0, 0))
    assert found.attached.tolist() == pytest.approx([0.0, 1.0])
    assert found.away.sum() == pytest.approx(0.0, abs=1e-9)
