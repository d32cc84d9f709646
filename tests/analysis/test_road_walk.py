"""The Manhattan model as a graph: states, turns at junctions and borders, shares of a walker of the simulator."""

import itertools

import numpy as np
import pytest

from tidings.analysis.coverage import NOWHERE
from tidings.analysis.phase_laws import steady
from tidings.analysis.road_walk import RoadWalk
from tidings.analysis.walk_graph import ends
from tidings.scenario.mobility_tables import Turns
from tidings.scenario.world import Map, Mobility
from tidings.simulation.contacts import contacts
from tidings.simulation.walks import walk
from tidings.vocabulary.distribution import Constant
from tidings.vocabulary.instant import HOUR, SECOND
from tidings.vocabulary.streams import Streams

MAP = Map(size=(1000.0, 600.0), range=120.0, points=((250.0, 300.0), (900.0, 0.0), (600.0, 350.0)))


def options(**more):
    """Two roads up, one across, the last of those up on the border."""
    given = {
        "vertical": (250.0, 1000.0),
        "horizontal": (300.0,),
        "turns": Turns(straight=0.5, left=0.2, right=0.2, back=0.1),
    }
    return given | {"speed": Constant(10.0), "pause": None} | more


def test_states_and_passages():
    """Every stop with each heading in which it can be left; one passage for each turn, and a way back at ends."""
    roads = RoadWalk(options(), MAP)
    graph = roads.graph(10.0, np.zeros(1))
    assert graph.moves.sum(axis=1) == pytest.approx(1.0)
    state = roads.states[(250.0, 600.0), 2]
    assert graph.duration[graph.origin == state].tolist() == pytest.approx([30 * SECOND] * 4)
    up = roads.states[(250.0, 300.0), 0]
    assert graph.target[graph.origin == up].tolist() == [state], "at the end of a road nothing is drawn"


def test_pauses_are_made_at_junctions_only():
    """At the point where the junction lies."""
    roads = RoadWalk(options(), MAP)
    paused = roads.graph(10.0, np.array([7.0 * SECOND, 9.0 * SECOND]))
    plain = roads.graph(10.0, np.zeros(1))
    longer = paused.duration.mean() - plain.duration.mean()
    assert longer > 0
    assert set(np.round((paused.duration % SECOND) / SECOND, 6)) <= {0.0, 1.0}
    up = roads.states[(250.0, 300.0), 0]
    assert paused.duration[paused.origin == up] == pytest.approx(30 * SECOND)


def test_roads_that_do_not_meet():
    """Who goes straight only stays on his road: as many ends as roads, each as likely as it is long."""
    straight = Turns(straight=1.0)
    roads = RoadWalk(options(turns=straight), MAP)
    graph = roads.graph(10.0, np.zeros(1))
    weights = sorted(weight for weight, _ in ends(graph.moves, roads.begin))
    assert weights == pytest.approx([600 / 2200, 600 / 2200, 1000 / 2200])


@pytest.mark.parametrize("pause", [None, Constant(20.0 * SECOND)])
def test_shares_of_time_are_those_of_a_walker(pause):
    """Of one that goes for a fortnight."""
    roads = RoadWalk(options(pause=pause), MAP)
    laws = steady(roads.graph(10.0, np.array([0.0 if pause is None else pause.mean])))
    legs = walk(Mobility(model="manhattan", options=options(pause=pause)), MAP, Streams(1)("walk"))
    seen = list(itertools.takewhile(lambda change: change[0] < 350 * HOUR, contacts(legs, MAP.points, MAP.range)))
    shares = np.zeros(4)
    for (start, point), (stop, _) in itertools.pairwise(seen):
        shares[NOWHERE if point is None else point] += (stop - start) / (seen[-1][0] - seen[0][0])
    assert [laws.share(point) for point in (0, 1, 2, NOWHERE)] == pytest.approx(shares.tolist(), abs=0.012)


def test_places_on_roads():
    """Evenly over all of them."""
    places = RoadWalk(options(), MAP).places(1000)
    assert len(places) == pytest.approx(1000, abs=3)
    assert (places[:, 1] == 300.0).mean() == pytest.approx(1000 / 2200, abs=0.01)
