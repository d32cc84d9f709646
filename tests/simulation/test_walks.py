"""Walks: continuous in space and time, within the map, and with the laws that their models have."""

import itertools
import math

import numpy as np
import pytest

from tidings.scenario.mobility_tables import MOBILITY
from tidings.scenario.source import Place, Source
from tidings.scenario.world import Map, Mobility
from tidings.simulation.walks import WARM_UP_NS, walk
from tidings.vocabulary.distribution import Constant
from tidings.vocabulary.instant import HOUR, SECOND
from tidings.vocabulary.streams import Streams

SQUARE = Map(size=(1000.0, 600.0), range=100.0, points=((500.0, 300.0),))
LEG = {"move": [100, 0], "lasting": "10s"}
MODELS = {
    "random-waypoint": {"model": "random-waypoint", "speed": "10m/s", "pause": "5s"},
    "manhattan": {"model": "manhattan", "speed": "10m/s", "vertical": [0, 250, 900], "horizontal": [300]},
    "trajectory": {"model": "trajectory", "start": [100, 100], "legs": [LEG, LEG]},
    "semi-markov": {
        "model": "semi-markov",
        "states": {"home": [0, 0], "work": [300, 400]},
        "transitions": [
            {"origin": "home", "target": "work", "probability": 1, "lasting": "100s"},
            {"origin": "work", "target": "home", "probability": 1, "lasting": "50s"},
        ],
    },
}


def legs_of(table, until_ns=HOUR, seed=1):
    """The legs of a walk that begin before some instant."""
    mobility = MOBILITY.read(table, Place(Source("x.toml"), "mobility"))
    legs = walk(mobility, SQUARE, Streams(seed)("walk"))
    return list(itertools.takewhile(lambda leg: leg.start_ns < until_ns, legs))


@pytest.mark.parametrize("name", MODELS)
def test_walks_have_no_jumps(name):
    """A leg begins when and where the one before ended, on the map."""
    legs = legs_of(MODELS[name])
    for one, other in itertools.pairwise(legs):
        assert one.end_ns == other.start_ns
        assert one.end == pytest.approx(other.start)
    for leg in legs:
        assert -1e-9 <= leg.start[0] <= 1000 + 1e-9
        assert -1e-9 <= leg.start[1] <= 600 + 1e-9


@pytest.mark.parametrize("name", MODELS)
def test_the_same_seed_walks_the_same_way(name):
    """And models without chance always do."""
    assert legs_of(MODELS[name]) == legs_of(MODELS[name])
    if name in {"random-waypoint", "manhattan"}:
        assert legs_of(MODELS[name]) != legs_of(MODELS[name], seed=2)


def test_walks_without_a_beginning_are_under_way_at_0():
    """Random waypoint, Manhattan and graphs without a first state; the others begin."""
    starts = {name: legs_of(table)[0].start_ns for name, table in MODELS.items()}
    assert starts == {
        "random-waypoint": -WARM_UP_NS,
        "manhattan": -WARM_UP_NS,
        "trajectory": 0,
        "semi-markov": -WARM_UP_NS,
    }


def test_legs_of_a_random_waypoint():
    """Their mean in the unit square is 0.5214054332 (validation cases); each takes distance over speed."""
    mobility = MOBILITY.read({"model": "random-waypoint", "speed": "10m/s"}, Place(Source("x.toml"), "mobility"))
    unit = Map(size=(1.0, 1.0), range=1.0, points=((0.5, 0.5),))
    legs = list(itertools.islice(walk(mobility, unit, Streams(3)("walk")), 20_000))
    lengths = np.array([math.dist(leg.start, leg.end) for leg in legs])
    spread = lengths.std() / math.sqrt(len(lengths))
    assert abs(lengths.mean() - 0.5214054332) < 4 * spread
    took = np.array([leg.end_ns - leg.start_ns for leg in legs]) / SECOND
    assert took == pytest.approx(lengths / 10, abs=1e-9)


def test_the_time_average_speed_of_random_waypoint():
    """With U(1, 10) metres per second it is 3.9086503, less than the mean of the draws (validation cases)."""
    table = {"model": "random-waypoint", "speed": {"dist": "uniform", "low": "1m/s", "high": "10m/s"}}
    legs = legs_of(table, until_ns=1000 * HOUR)
    distance = sum(math.dist(leg.start, leg.end) for leg in legs)
    took = sum(leg.end_ns - leg.start_ns for leg in legs) / SECOND
    assert distance / took == pytest.approx(3.9086503, rel=0.02)


def test_manhattan_keeps_to_the_roads_and_turns_as_it_is_told():
    """Turns at inner junctions come in the shares given; at borders it goes back."""
    turns = {"straight": 0.4, "left": 0.3, "right": 0.2, "back": 0.1}
    legs = legs_of({**MODELS["manhattan"], "turns": turns}, until_ns=200 * HOUR)
    counts = dict.fromkeys(turns, 0)
    for leg in legs:
        assert leg.start[0] in (0.0, 250.0, 900.0) or leg.start[1] == 300.0
    for one, other in itertools.pairwise(legs):
        if one.end == (250.0, 300.0):
            ahead, then = (np.subtract(leg.end, leg.start) for leg in (one, other))
            cross, dot = ahead[0] * then[1] - ahead[1] * then[0], float(np.dot(ahead, then))
            counts["straight" if dot > 0 else "back" if dot < 0 else "left" if cross > 0 else "right"] += 1
        elif one.end[1] in (0.0, 600.0):
            assert other.end[1] != one.end[1]
    total = sum(counts.values())
    assert total > 5000
    for name, share in turns.items():
        assert counts[name] / total == pytest.approx(share, abs=0.03)


def test_a_trajectory_ends_where_it_ends_or_begins_again():
    """With `repeat` it jumps to its start; ways are drawn by weight, anew each time."""
    once = legs_of(MODELS["trajectory"])
    assert [(leg.start_ns, leg.end_ns, leg.end) for leg in once] == [
        (0, 10 * SECOND, (200.0, 100.0)),
        (10 * SECOND, 20 * SECOND, (300.0, 100.0)),
        (20 * SECOND, None, (300.0, 100.0)),
    ]
    ways = [{"weight": weight, "start": [y, y], "legs": [LEG]} for weight, y in ((3, 100), (1, 200))]
    several = legs_of({"model": "trajectory", "ways": ways, "repeat": True}, until_ns=20 * HOUR)
    assert np.mean([leg.start == (100.0, 100.0) for leg in several]) == pytest.approx(0.75, abs=0.03)


def test_a_graph_without_an_end_shares_its_time():
    """Two thirds of the time on the way from home, one third back; with a final state it stays there."""
    legs = legs_of(MODELS["semi-markov"], until_ns=20 * HOUR)
    assert {leg.end_ns - leg.start_ns for leg in legs} == {100 * SECOND, 50 * SECOND}
    final = {**MODELS["semi-markov"], "start": "home", "transitions": MODELS["semi-markov"]["transitions"][:1]}
    assert [(leg.end_ns, leg.end) for leg in legs_of(final)] == [(100 * SECOND, (300.0, 400.0)), (None, (300.0, 400.0))]


def test_a_graph_that_takes_no_time_ends():
    """A loop without duration would never get to the next instant."""
    still = {**MODELS["semi-markov"], "start": "home"}
    still["transitions"] = [{**one, "lasting": "0s"} for one in still["transitions"]]
    assert legs_of(still)[-1].end_ns is None


@pytest.mark.parametrize("name", ["random-waypoint", "manhattan"])
def test_without_speed_a_walk_is_over(name):
    """It stays where it began."""
    mobility = MOBILITY.read(MODELS[name], Place(Source("x.toml"), "mobility"))
    standing = Mobility(model=name, options={**mobility.options, "speed": Constant(0.0)})
    (leg,) = walk(standing, SQUARE, Streams(1)("walk"))
    assert (leg.end_ns, leg.start) == (None, leg.end)
