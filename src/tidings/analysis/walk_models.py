"""How subscribers move, as walks whose phases can be worked out: graphs without an end, and known timelines.

One model may stand for several walks, each with a probability: whoever draws one speed for all his life, or one of
several ways, or begins in one of several parts of a graph that do not lead to each other, is one of several walkers.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from tidings.analysis.atoms import atoms
from tidings.analysis.begun_presence import Begun
from tidings.analysis.coverage import NOWHERE, Floats, Ints, cut, nearest
from tidings.analysis.law_shapes import survival
from tidings.analysis.road_walk import RoadWalk
from tidings.analysis.timeline import Timeline, timeline_of
from tidings.analysis.walk_graph import WalkGraph, ends, graph_of
from tidings.analysis.waypoint_walk import places_of, waypoint_graph
from tidings.scenario.positions import gaps, read_positions
from tidings.scenario.world import Map, Mobility
from tidings.vocabulary.distribution import Distribution

_PLACES: Final = 10_000
_SPEEDS: Final = 12
_LASTING: Final = 24
"""A time that a graph's transition takes is one of so many, each as likely as the others."""
_REPEATS_MAX: Final = 500
"""A way that is repeated more often is taken as a walk without a beginning."""


Walk: TypeAlias = WalkGraph | Timeline | Begun
Walks: TypeAlias = Sequence[tuple[float, Walk]]


def walks_of(mobility: Mobility, where: Map, until: float) -> Walks:
    """What a model stands for, known up to an instant at least; the probabilities sum to 1."""
    options = mobility.options
    if mobility.model == "random-waypoint":
        return _random_waypoint(options, where)
    if mobility.model == "manhattan":
        return _manhattan(options, where)
    if mobility.model == "trajectory":
        return list(_trajectory(options, where, until))
    if mobility.model == "semi-markov":
        return _semi_markov(options, where)
    return [(1.0, _recorded(options, where))]


def _random_waypoint(options: Mapping[str, Any], where: Map) -> Walks:
    if _may_stand(options["speed"]):
        return _standing(where, places_of(where, _PLACES))
    return [(1.0, waypoint_graph(where, options["speed"], options["pause"]))]


def _manhattan(options: Mapping[str, Any], where: Map) -> Walks:
    roads, speed = RoadWalk(options, where), options["speed"]
    pauses = np.zeros(1) if options["pause"] is None else atoms(options["pause"], _SPEEDS)
    stands = 1 - float(survival(speed, np.zeros(1))[0]) if speed.mean > 0 else 1.0
    found: list[tuple[float, Walk]] = []
    if stands > 0:
        found += [(stands * weight, walk) for weight, walk in _standing(where, roads.places(_PLACES))]
    speeds = atoms(speed, _SPEEDS)
    for pace in speeds[speeds > 0].tolist() if stands < 1 else []:
        graph = roads.graph(pace, pauses)
        parts = ends(graph.moves, roads.begin)
        found += [((1 - stands) * weight / np.sum(speeds > 0), graph.only(states)) for weight, states in parts]
    return found


def _may_stand(speed: Distribution) -> bool:
    """Whoever draws the speed 0 for a leg stays where he is for ever."""
    return bool(survival(speed, np.zeros(1))[0] < 1) or speed.mean <= 0


def _standing(where: Map, places: Floats) -> Walks:
    """At one of these places for ever."""
    at, counts = np.unique(nearest(places, np.array(where.points), where.range), return_counts=True)
    return [(float(count / len(places)), _for_ever(int(point))) for point, count in zip(at, counts, strict=True)]


def _for_ever(point: int) -> Timeline:
    return Timeline(np.zeros(1), np.full(1, np.inf), np.array([point]))


# ---- given ways


def _trajectory(options: Mapping[str, Any], where: Map, until: float) -> Iterator[tuple[float, Walk]]:
    ways = [(one.weight, one.start, one.legs) for one in options["ways"]]
    ways = ways or [(1.0, options["start"], options["legs"])]
    total = sum(weight for weight, _, _ in ways)
    cuts = [(weight / total, *_way(start, legs, where)) for weight, start, legs in ways]
    mean = sum(weight * float(length.sum()) for weight, _, length, _ in cuts)
    if not options["repeat"]:
        for weight, point, length, last in cuts:
            yield weight, timeline_of(np.append(point, last), np.append(length, np.inf))
    elif len(cuts) == 1 and until / mean <= _REPEATS_MAX:
        times = int(until / mean) + 2
        yield 1.0, timeline_of(np.tile(cuts[0][1], times), np.tile(cuts[0][2], times))
    else:
        graph = _repeated(cuts)
        yield 1.0, graph if until / mean > _REPEATS_MAX else Begun(graph, np.ones(graph.states) / graph.states)


def _way(start: tuple[float, float], legs: Sequence[Any], where: Map) -> tuple[Ints, Floats, int]:
    """Points and lengths of its pieces, and the point at its end."""
    moves = np.array([leg.move for leg in legs], np.float64)
    stops = np.array(start, np.float64) + np.concatenate([np.zeros((1, 2)), np.cumsum(moves, axis=0)])
    points = np.array(where.points)
    pieces = cut(stops[:-1], stops[1:], points, where.range)
    lasting = np.array([leg.lasting for leg in legs], np.float64)
    return (
        pieces.point,
        (pieces.end - pieces.start) * lasting[pieces.leg],
        int(nearest(stops[-1:], points, where.range)[0]),
    )


def _repeated(cuts: Sequence[tuple[float, Ints, Floats, int]]) -> WalkGraph:
    """A state between two ways, where the next one is drawn; where they end somewhere else there are several."""
    lasts = sorted({int(point[-1]) for _, point, _, _ in cuts})
    passages: list[tuple[int, int, float]] = []
    pieces: list[tuple[int, int, float]] = []
    for state in range(len(lasts)):
        for weight, point, length, _ in cuts:
            pieces += [(len(passages), int(at), float(some)) for at, some in zip(point, length, strict=True)]
            passages.append((state, lasts.index(int(point[-1])), weight))
    return graph_of(_columns(passages), _columns(pieces), np.array(lasts))


def _columns(rows: Sequence[tuple[int, int, float]]) -> tuple[Ints, Ints, Floats]:
    one, other, number = zip(*rows, strict=True)
    return np.array(one), np.array(other), np.array(number, np.float64)


def _recorded(options: Mapping[str, Any], where: Map) -> Timeline:
    times, x, y = read_positions(options["file"].path)
    stops = np.stack([x, y], axis=1)
    pieces = cut(stops[:-1], stops[1:], np.array(where.points), where.range)
    unknown = gaps(times)
    steps = np.diff(times).astype(np.float64)
    point = np.where(unknown[pieces.leg], NOWHERE, pieces.point)
    length = (pieces.end - pieces.start) * steps[pieces.leg]
    before, after = max(float(times[0]), 0.0), np.inf
    return timeline_of(
        np.concatenate([[NOWHERE], point, [NOWHERE]]),
        np.concatenate([[before], length, [after]]),
        begin=min(float(times[0]), 0.0),
    )


# ---- semi-Markov graphs


def _semi_markov(options: Mapping[str, Any], where: Map) -> Walks:
    names = {name: number for number, name in enumerate(options["states"])}
    stops = np.array(list(options["states"].values()), np.float64)
    at = nearest(stops, np.array(where.points), where.range)
    graph = _graph_of(options["transitions"], names, stops, where)
    if options["start"] is not None:
        start = np.zeros(len(names))
        first = names[options["start"]]
        start[first] = 1.0
        if not (graph.origin == first).any():
            return [(1.0, _for_ever(int(at[first])))]
        return [(1.0, Begun(graph, start))]
    found: list[tuple[float, Walk]] = []
    for weight, states in ends(graph.moves, np.full(len(names), 1 / len(names))):
        part = graph.only(states)
        found.append((weight, part if len(part.origin) else _for_ever(int(at[states[0]]))))
    return found


def _graph_of(transitions: Sequence[Any], names: Mapping[str, int], stops: Floats, where: Map) -> WalkGraph:
    used = [one for one in transitions if one.probability > 0]
    lasting = [atoms(one.lasting, _LASTING) for one in used]
    kinds = np.array([len(some) for some in lasting])
    origin, target = (np.array([names[getattr(one, end)] for one in used]) for end in ("origin", "target"))
    share = np.array([one.probability for one in used])
    sums = np.bincount(origin, share, len(names))
    points = np.array(where.points)
    which = np.repeat(np.arange(len(used)), kinds)
    legs = cut(stops[origin[which]], stops[target[which]], points, where.range)
    length = (legs.end - legs.start) * np.concatenate(lasting)[legs.leg]
    passages = origin[which], target[which], (share / sums[origin] / kinds)[which]
    return graph_of(passages, (legs.leg, legs.point, length), nearest(stops, points, where.range))
