"""Random waypoint as a graph: legs and speeds as books have them, shares as walkers of the simulator have them."""

import itertools

import numpy as np
import pytest

from tidings.analysis.coverage import NOWHERE
from tidings.analysis.phase_laws import steady
from tidings.analysis.waypoint_walk import mean_leg, places_of, waypoint_graph
from tidings.scenario.world import Map, Mobility
from tidings.simulation.contacts import contacts
from tidings.simulation.walks import walk
from tidings.vocabulary.distribution import Constant, Uniform
from tidings.vocabulary.instant import HOUR, SECOND
from tidings.vocabulary.streams import Streams

MAP = Map(size=(1000.0, 600.0), range=150.0, points=((500.0, 300.0), (200.0, 100.0), (280.0, 150.0)))


def test_the_mean_leg():
    """In the unit square 0.5214054332 (validation cases); a line has a third of its length."""
    assert mean_leg((1.0, 1.0)) == pytest.approx(0.5214054332, abs=1e-10)
    assert mean_leg((3.0, 3.0)) == pytest.approx(3 * 0.5214054332, abs=1e-9)
    assert mean_leg((1.0, 1e-3)) == pytest.approx(1 / 3, abs=1e-3)


def test_legs_take_what_they_take():
    """In the mean the mean leg over the speed, and with several speeds times the mean slowness."""
    still = waypoint_graph(MAP, Constant(10.0), None)
    assert still.duration.mean() == pytest.approx(mean_leg(MAP.size) / 10 * SECOND, rel=1e-6)
    assert still.moves.sum(axis=1) == pytest.approx(1.0)
    several = waypoint_graph(MAP, Uniform(1.0, 10.0), Uniform(0.0, 20.0 * SECOND))
    expected = mean_leg(MAP.size) / 3.9086503 * SECOND + 10 * SECOND
    assert several.duration.mean() == pytest.approx(expected, rel=0.01)


def test_places_fill_the_map():
    """One in each cell, as many columns as the map is wider than high."""
    places = places_of(MAP, 240)
    assert len(places) == 240
    columns, rows = (places / (50.0, 50.0)).astype(int).T
    assert len(set(zip(columns.tolist(), rows.tolist(), strict=True))) == 240
    assert len(places_of(Map(size=(10.0, 1e4), range=1.0, points=()), 50)) > 10


def test_shares_of_time_are_those_of_walkers():
    """Against twelve walkers that go for four days each: in range of each point, and how often they change."""
    laws = steady(waypoint_graph(MAP, Constant(20.0), None))
    mobility = Mobility(model="random-waypoint", options={"speed": Constant(20.0), "pause": None})
    end, shares, changes = 60 * HOUR, np.zeros(4), 0
    for seed in range(4):
        legs = walk(mobility, MAP, Streams(seed)("walk"))
        seen = list(itertools.takewhile(lambda change: change[0] < end, contacts(legs, MAP.points, MAP.range)))
        for (start, point), (stop, _) in itertools.pairwise(seen):
            shares[NOWHERE if point is None else point] += (stop - start) / (seen[-1][0] - seen[0][0]) / 4
            changes += (point is not None) / (seen[-1][0] - seen[0][0]) / 4
    assert [laws.share(point) for point in (0, 1, 2, NOWHERE)] == pytest.approx(shares.tolist(), abs=0.012)
    assert sum(laws.rate(point) for point in range(3)) == pytest.approx(changes, rel=0.03)
