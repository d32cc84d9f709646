"""Coverage: legs cut by geometry, against the walkers of the simulator, and against figures known from books."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.analysis.coverage import NOWHERE, cut, nearest, totals
from tidings.simulation.contacts import contacts
from tidings.simulation.steps import Leg

LONG = 10**12
spots = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: (float(pair[0]), float(pair[1])))


def walked(way, points, reach):
    """Shares of each leg at each point, as a walker of the simulator is there."""
    found = np.zeros((len(way) - 1, len(points) + 1))
    for number, (here, there) in enumerate(itertools.pairwise(way)):
        seen = list(contacts(iter([Leg(0, LONG, here, there)]), points, reach))
        for (start, point), (end, _) in itertools.pairwise([*seen, (LONG, None)]):
            found[number, NOWHERE if point is None else point] += (end - start) / LONG
    return found


@given(
    st.lists(spots, min_size=2, max_size=6), st.lists(spots, min_size=1, max_size=4, unique=True), st.integers(1, 25)
)
def test_a_walker_of_the_simulator_is_where_the_pieces_say(way, points, reach):
    """Two implementations of one geometry; pieces cover each leg once and change at each border."""
    legs = np.array(way)
    found = cut(legs[:-1], legs[1:], np.array(points), float(reach))
    shares = np.zeros((len(way) - 1, len(points) + 1))
    for leg, start, end, point in zip(found.leg, found.start, found.end, found.point, strict=True):
        shares[leg, point] += end - start
    assert shares.sum(axis=1) == pytest.approx(1.0)
    assert shares == pytest.approx(walked(way, points, float(reach)), abs=1e-6)
    same = found.leg[1:] == found.leg[:-1]
    assert (found.point[1:][same] != found.point[:-1][same]).all()
    assert found.start[1:][same] == pytest.approx(found.end[:-1][same])


def test_many_legs_are_cut_in_portions():
    """More than are worked out in one go: as if every part had been cut by itself."""
    steps = np.arange(200_001)
    ways = 10 * np.stack([np.cos(3 * steps), np.sin(5 * steps)], axis=1)
    points = np.array([(0.0, 0.0), (4.0, 1.0)])
    whole = cut(ways[:-1], ways[1:], points, 5.0)
    first, rest = cut(ways[:1000], ways[1:1001], points, 5.0), cut(ways[1000:-1], ways[1001:], points, 5.0)
    assert whole.leg.tolist() == [*first.leg.tolist(), *(rest.leg + 1000).tolist()]
    for name in ("start", "end", "point"):
        assert (getattr(whole, name) == np.concatenate([getattr(first, name), getattr(rest, name)])).all()


def test_a_straight_crossing_on_average():
    """A disk of radius r is crossed in π r / 2 v when chords fall evenly (validation cases)."""
    offsets = (np.arange(200_000) + 0.5) / 100_000 - 1
    starts, ends = (np.stack([np.full_like(offsets, x), offsets], axis=1) for x in (-2.0, 2.0))
    found = cut(starts, ends, np.zeros((1, 2)), 1.0)
    inside = found.point == 0
    assert ((found.end - found.start)[inside] * 4).mean() == pytest.approx(math.pi / 2, abs=1e-7)


def test_standing_still():
    """One piece, wherever that is; without points nobody is anywhere."""
    here = np.array([(0.0, 0.0), (9.0, 0.0)])
    found = cut(here, here, np.zeros((1, 2)), 1.0)
    assert found.point.tolist() == [0, NOWHERE]
    assert found.end.tolist() == [1.0, 1.0]
    assert nearest(here, np.zeros((0, 2)), 1.0).tolist() == [NOWHERE, NOWHERE]
    assert len(cut(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros((1, 2)), 1.0).leg) == 0


def test_of_equals_the_first():
    """On the border between two, and just at the end of a range."""
    points = np.array([(0.0, 0.0), (2.0, 0.0)])
    assert nearest(np.array([(1.0, 0.0), (3.0, 0.0), (3.1, 0.0)]), points, 1.0).tolist() == [0, 1, NOWHERE]


def test_totals():
    """Sums by place."""
    assert totals(np.array([2, 0, 2]), np.array([1.0, 2.0, 3.0]), 4).tolist() == [2.0, 0.0, 4.0, 0.0]
