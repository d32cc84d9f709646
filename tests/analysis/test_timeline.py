"""Timelines: walks known from their beginning, against instants looked at one by one."""

import numpy as np
import pytest

from tidings.analysis.coverage import NOWHERE
from tidings.analysis.delay_law import TimeGrid
from tidings.analysis.presence import Latency
from tidings.analysis.timeline import known_presence, timeline_of
from tidings.vocabulary.distribution import Constant, Uniform

GRID = TimeGrid(40.0, 4000)


def line(*pieces, begin=0.0):
    """Point and length, one after the other."""
    point, length = zip(*pieces, strict=True)
    return timeline_of(np.array(point), np.array(length, float), begin)


def looked_at(timeline, latencies, duration, limit, count=20_000):
    """Dumb twin: draw latencies, look at many instants, and see when it is attached next."""
    generator = np.random.default_rng(1)
    stays = list(timeline.stays())
    good = 0
    for instant in generator.uniform(0, duration, count):
        drawn = generator.choice(latencies, len(stays))
        spans = [(start + (h if start > 0 else 0.0), end) for (_, start, end), h in zip(stays, drawn, strict=True)]
        spans = [(since, end) for since, end in spans if since < end]
        back = min((max(since, instant) for since, end in spans if end > instant), default=np.inf)
        good += back - instant <= limit
    return good / count


def within(presence, limit):
    """Share of time attached, or attached again within a limit."""
    return float(presence.attached.sum()) + float(presence.waits(GRID)[GRID.times <= limit].sum())


@pytest.mark.parametrize("limit", [1.0, 6.0, 30.0])
def test_a_twin_that_looks_at_many_instants(limit):
    """Stays of all lengths, latencies longer than some, an end in the middle of a gap."""
    walk = line((NOWHERE, 3), (0, 5), (NOWHERE, 4), (1, 2), (NOWHERE, 3), (0, 6), (1, 5), (NOWHERE, 9), (1, np.inf))
    latency = Latency(Uniform(0.0, 4.0))
    found = known_presence(walk, 2, latency, (33.0, 0))
    assert found.attached.sum() + found.away.sum() == pytest.approx(1.0)
    assert within(found, limit) == pytest.approx(looked_at(walk, np.linspace(0.05, 3.95, 40), 33.0, limit), abs=0.012)


def test_who_keeps_what():
    """Its own broker until it has been somewhere, then the one where it was last."""
    walk = line((NOWHERE, 4), (1, 6), (NOWHERE, np.inf))
    found = known_presence(walk, 2, Latency(Constant(2.0)), (20.0, 0))
    assert found.attached.tolist() == pytest.approx([0.0, 0.2])
    assert found.away.tolist() == pytest.approx([0.3, 0.5])
    assert found.waits(GRID).sum() == pytest.approx(0.3, abs=1e-9), "what never comes back is missing"


def test_in_range_at_the_beginning():
    """Attached at once, whatever a hand-off takes."""
    found = known_presence(line((0, 5), (NOWHERE, np.inf)), 1, Latency(Constant(9.0)), (10.0, 0))
    assert found.attached.tolist() == [0.5]


def test_never_in_range():
    """Everything waits at its own broker, for ever."""
    found = known_presence(line((NOWHERE, np.inf)), 2, Latency(Constant(0.0)), (10.0, 1))
    assert (found.attached.sum(), found.away.tolist(), found.waits(GRID).sum()) == (0.0, [0.0, 1.0], 0.0)


def test_pieces_before_the_beginning():
    """Left out, but that it was somewhere is remembered; neighbours at one point are one phase."""
    walk = line((1, 2), (NOWHERE, 6), (NOWHERE, 2), (0, 3), (0, 0), (NOWHERE, 1), begin=-4.0)
    assert walk.home == 1
    assert walk.start.tolist() == [0.0, 6.0, 9.0]
    assert walk.end.tolist() == [6.0, 9.0, 10.0]
    assert walk.point.tolist() == [NOWHERE, 0, NOWHERE]
    assert list(walk.stays()) == [(0, 6.0, 9.0)]
    found = known_presence(walk, 2, Latency(Constant(0.0)), (10.0, 0))
    assert found.away.tolist() == pytest.approx([0.1, 0.6])


def test_waits_that_reach_beyond_the_end():
    """Absent from 4 on, back at 30: at the end, at 10, another 20 are left."""
    found = known_presence(line((0, 4), (NOWHERE, 26), (0, 9)), 1, Latency(Constant(0.0)), (10.0, 0))
    waits = found.waits(GRID)
    assert waits.sum() == pytest.approx(0.6)
    assert GRID.times[np.flatnonzero(waits > 1e-9)[[0, -1]]].tolist() == pytest.approx([20.0, 26.0], abs=0.02)
