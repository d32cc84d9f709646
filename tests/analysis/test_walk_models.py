"""Models of movement: which walks each stands for, and that their shares sum to 1."""

from pathlib import Path

import numpy as np
import pytest

from tidings.analysis.begun_presence import Begun
from tidings.analysis.coverage import NOWHERE
from tidings.analysis.timeline import Timeline
from tidings.analysis.walk_graph import WalkGraph
from tidings.analysis.walk_models import walks_of
from tidings.errors import InputError
from tidings.scenario.mobility_tables import MOBILITY
from tidings.scenario.source import Place, Source
from tidings.scenario.world import Map, Mobility
from tidings.vocabulary.distribution import Constant, Uniform
from tidings.vocabulary.instant import HOUR, SECOND

MAP = Map(size=(1000.0, 600.0), range=100.0, points=((500.0, 300.0), (200.0, 300.0)))
PLACE = Place(Source(Path("x.toml")), "mobility")
EAST = {"move": [1000, 0], "lasting": "100s"}
STATES = {"home": [200, 300], "work": [500, 300], "far": [0, 0]}


def to(origin, target, probability=1, lasting="100s"):
    """A transition."""
    return {"origin": origin, "target": target, "probability": probability, "lasting": lasting}


def walks(table, until=HOUR):
    """Of a model as a scenario has it."""
    return walks_of(MOBILITY.read(table, PLACE), MAP, float(until))


def phases(line):
    """Point, beginning and end in seconds."""
    ends = zip(line.point.tolist(), line.start.tolist(), line.end.tolist(), strict=True)
    return [(point, round(start / SECOND, 6), round(end / SECOND, 6)) for point, start, end in ends]


def test_a_given_way():
    """Through two ranges, and out of range for ever; or again and again."""
    table = {"model": "trajectory", "start": [0, 300], "legs": [EAST]}
    ((weight, line),) = walks(table)
    crossing = [(NOWHERE, 0, 10), (1, 10, 30), (NOWHERE, 30, 40), (0, 40, 60)]
    assert weight == 1.0
    assert phases(line) == [*crossing, (NOWHERE, 60, np.inf)]
    ((_, line),) = walks({**table, "repeat": True}, 300 * SECOND)
    assert phases(line)[:6] == [*crossing, (NOWHERE, 60, 110), (1, 110, 130)]
    assert line.end[-1] >= 300 * SECOND
    ((_, graph),) = walks({**table, "repeat": True}, 100 * HOUR)
    assert isinstance(graph, WalkGraph), "so often that the beginning does not matter"


def test_several_ways():
    """One timeline each, by weight; repeated, a graph that begins somewhere."""
    ways = [{"weight": weight, "start": [x, 300], "legs": [EAST]} for weight, x in ((3, 0), (1, 200))]
    found = walks({"model": "trajectory", "ways": ways})
    assert [weight for weight, _ in found] == pytest.approx([0.75, 0.25])
    assert phases(found[1][1])[0] == (1, 0, 10)
    ((_, begun),) = walks({"model": "trajectory", "ways": ways, "repeat": True})
    assert isinstance(begun, Begun)
    assert begun.graph.share.tolist() == pytest.approx([0.75, 0.25])


def test_graphs_with_and_without_an_end():
    """Without a first state the long run; final states are for ever; with one it begins there."""
    there = [to("home", "work", lasting={"dist": "uniform", "low": "50s", "high": "150s"}), to("work", "home")]
    ((weight, graph),) = walks({"model": "semi-markov", "states": STATES, "transitions": [*there, to("far", "home")]})
    assert weight == pytest.approx(1.0)
    assert isinstance(graph, WalkGraph)
    assert graph.states == 2, "far is left for ever"
    assert graph.moves.tolist() == pytest.approx(np.array([[0.0, 1.0], [1.0, 0.0]]))
    ends = [to("home", "work", 0.5), to("home", "far", 0.5)]
    found = walks({"model": "semi-markov", "states": STATES, "transitions": ends})
    assert {(int(line.point[0]), round(weight, 9)) for weight, line in found} == {(0, 0.5), (NOWHERE, 0.5)}
    ((_, begun),) = walks({"model": "semi-markov", "states": STATES, "transitions": there, "start": "work"})
    assert begun.start.tolist() == [0.0, 1.0, 0.0]
    ((_, line),) = walks({"model": "semi-markov", "states": STATES, "transitions": there, "start": "far"})
    assert phases(line) == [(NOWHERE, 0, np.inf)]


def test_transitions_that_take_no_time():
    """A loop of them is a walk like any other."""
    table = {
        "model": "semi-markov",
        "states": {name: STATES[name] for name in ("home", "work")},
        "transitions": [to("home", "work", lasting="0s"), to("work", "home")],
    }
    ((_, graph),) = walks(table)
    assert graph.duration.min() == 1.0


def test_random_waypoint_and_who_may_stand_still():
    """Speed 0 is where somebody stays for ever: anywhere on the map."""
    ((_, graph),) = walks({"model": "random-waypoint", "speed": "10m/s"})
    assert isinstance(graph, WalkGraph)
    standing = walks_of(Mobility(model="random-waypoint", options={"speed": Constant(0.0), "pause": None}), MAP, 1.0)
    shares = {int(line.point[0]): weight for weight, line in standing}
    disk = np.pi * 100**2 / 600_000
    assert shares == pytest.approx({NOWHERE: 1 - 2 * disk, 0: disk, 1: disk}, abs=2e-3)
    assert all(isinstance(line, Timeline) for _, line in standing)


def test_manhattan_walkers_draw_one_speed():
    """Twelve walkers for one law of speeds, as many graphs; with speed 0 they stand on the roads."""
    table = {"model": "manhattan", "vertical": [200, 500], "horizontal": [300]}
    found = walks({**table, "speed": {"dist": "uniform", "low": "5m/s", "high": "15m/s"}, "pause": "5s"})
    assert len(found) == 12
    assert sum(weight for weight, _ in found) == pytest.approx(1.0)
    mobility = MOBILITY.read({**table, "speed": "1m/s"}, PLACE)
    standing = Mobility(model="manhattan", options={**mobility.options, "speed": Constant(0.0)})
    shares = {int(line.point[0]): weight for weight, line in walks_of(standing, MAP, 1.0)}
    assert shares == pytest.approx({0: 400 / 2200, 1: 400 / 2200, NOWHERE: 1400 / 2200}, abs=5e-3)
    moving = Mobility(model="manhattan", options={**mobility.options, "speed": Uniform(5.0, 5.0)})
    assert len(walks_of(moving, MAP, 1.0)) == 1


def test_recorded_positions(tmp_path):
    """Nowhere before the first, after the last and in gaps; what was before time 0 is remembered."""
    rows = [(-10, 200), (10, 200), (20, 500), (30, 500), (40, 500), (900, 500), (910, 200), (920, 0)]
    path = tmp_path / "walk.csv"
    path.write_text("time_ns,x,y\n" + "".join(f"{time * SECOND},{x},300\n" for time, x in rows))
    ((_, line),) = walks_of(_recorded(path), MAP, 1.0)
    steps = [(1, 0, 13.333333), (NOWHERE, 13.333333, 16.666667), (0, 16.666667, 40), (NOWHERE, 40, 900)]
    assert phases(line)[:4] == steps
    assert phases(line)[-1][2] == np.inf
    assert line.home == 1
    path.write_text("time_ns,x,y\n")
    with pytest.raises(InputError, match="no positions"):
        walks_of(_recorded(path), MAP, 1.0)


def test_one_position_is_no_walk(tmp_path):
    """Somebody who was seen once is nowhere."""
    path = tmp_path / "walk.csv"
    path.write_text("time_ns,x,y\n5,500,300\n")
    ((_, line),) = walks_of(_recorded(path), MAP, 1.0)
    assert line.point.tolist() == [NOWHERE]


def _recorded(path):
    table = {"model": "recorded", "file": path.name}
    return MOBILITY.read(table, Place(Source(path.parent / "x.toml"), "mobility"))
