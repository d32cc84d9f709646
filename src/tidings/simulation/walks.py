"""Where a roaming subscriber goes: straight legs, one after the other, by the models of `scenario.mobility_tables`.

Walks that have no beginning of their own (random waypoint, Manhattan, a semi-Markov graph without a first state) start
`WARM_UP_NS` before time 0, by when where they are depends no more on where they began. All others begin at time 0.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tidings.scenario.roads import QUARTERS, roads_of
from tidings.scenario.world import Map, Mobility
from tidings.simulation.recorded_walk import recorded_legs
from tidings.simulation.steps import Leg, Point, straight
from tidings.vocabulary.distribution import Distribution, Draws
from tidings.vocabulary.instant import HOUR

WARM_UP_NS: Final = 6 * HOUR


def walk(mobility: Mobility, where: Map, generator: np.random.Generator) -> Iterator[Leg]:
    """The legs of one walker in the order of time; the walk of a model without an end never ends."""
    return _WALKS[mobility.model](mobility.options, where, generator)


# ---- random waypoint


def _random_waypoint(options: Mapping[str, Any], where: Map, generator: np.random.Generator) -> Iterator[Leg]:
    speeds, pauses = Draws(options["speed"], generator.spawn(1)[0]), _pauses(options["pause"], generator)
    now, here = -WARM_UP_NS, _somewhere(where, generator)
    while True:
        there = _somewhere(where, generator)
        leg = straight(now, here, there, speeds.next())
        yield leg
        if leg.end_ns is None:
            return
        now, here = leg.end_ns, there
        pause = pauses()
        if pause:
            yield Leg(now, now + pause, here, here)
            now += pause


def _somewhere(where: Map, generator: np.random.Generator) -> Point:
    x, y = generator.random(2)
    return float(x * where.size[0]), float(y * where.size[1])


def _pauses(law: Distribution | None, generator: np.random.Generator) -> Callable[[], int]:
    return (lambda: 0) if law is None else Draws(law, generator.spawn(1)[0]).next_ns


# ---- Manhattan


def _manhattan(options: Mapping[str, Any], where: Map, generator: np.random.Generator) -> Iterator[Leg]:
    vertical, horizontal = options["vertical"], options["horizontal"]
    roads = roads_of(vertical, horizontal, where)
    pauses = _pauses(options["pause"], generator)
    speed = float(Draws(options["speed"], generator.spawn(1)[0]).next())
    turns = [getattr(options["turns"], name) for name in QUARTERS]
    quarters = list(QUARTERS.values())
    now, here, heading = -WARM_UP_NS, *_on_a_road(vertical, horizontal, where, generator)
    while True:
        there = roads.next_stop(here, heading)
        if there != here:
            leg = straight(now, here, there, speed)
            yield leg
            if leg.end_ns is None:
                return
            now, here = leg.end_ns, there
        if roads.turns_back(here, heading):
            heading = (heading + 2) % 4
            continue
        pause = pauses()
        if pause:
            yield Leg(now, now + pause, here, here)
            now += pause
        heading = (heading + quarters[int(generator.choice(4, p=turns))]) % 4


def _on_a_road(
    vertical: Sequence[float], horizontal: Sequence[float], where: Map, generator: np.random.Generator
) -> tuple[Point, int]:
    """A place drawn evenly over the length of all roads, and one of the two directions."""
    width, height = where.size
    lengths = [height] * len(vertical) + [width] * len(horizontal)
    road = int(generator.choice(len(lengths), p=np.array(lengths) / sum(lengths)))
    at, forward = float(generator.random()), int(generator.integers(2))
    if road < len(vertical):
        return (float(vertical[road]), at * height), 2 * forward
    return (at * width, float(horizontal[road - len(vertical)])), 1 + 2 * forward


# ---- trajectories


def _trajectory(options: Mapping[str, Any], _where: Map, generator: np.random.Generator) -> Iterator[Leg]:
    """Every repetition draws its way anew."""
    ways = options["ways"]
    weights = np.array([way.weight for way in ways], float)
    now = 0
    while True:
        way = ways[int(generator.choice(len(ways), p=weights / weights.sum()))] if ways else None
        here, legs = (way.start, way.legs) if way else (options["start"], options["legs"])
        for leg in legs:
            there = (here[0] + leg.move[0], here[1] + leg.move[1])
            yield Leg(now, now + leg.lasting, here, there)
            now, here = now + leg.lasting, there
        if not options["repeat"]:
            yield Leg(now, None, here, here)
            return


# ---- semi-Markov graphs


def _semi_markov(options: Mapping[str, Any], _where: Map, generator: np.random.Generator) -> Iterator[Leg]:
    states = options["states"]
    leaving: dict[str, list[tuple[str, float, Draws]]] = {name: [] for name in states}
    for one in options["transitions"]:
        leaving[one.origin].append((one.target, one.probability, Draws(one.lasting, generator.spawn(1)[0])))
    state, now = options["start"], 0
    if state is None:
        state, now = list(states)[int(generator.integers(len(states)))], -WARM_UP_NS
    still = 0
    while leaving[state] and still < _STILL_MAX:
        chances = [probability for _, probability, _ in leaving[state]]
        target, _, draws = leaving[state][int(generator.choice(len(chances), p=np.array(chances) / sum(chances)))]
        lasting = draws.next_ns()
        still = 0 if lasting else still + 1
        yield Leg(now, now + lasting, states[state], states[target])
        now, state = now + lasting, target
    yield Leg(now, None, states[state], states[state])


_STILL_MAX: Final = 10_000
"""After so many steps that take no time a walker stays where it is: a loop of them would never end."""


# ---- recorded positions


def _recorded(options: Mapping[str, Any], _where: Map, _generator: np.random.Generator) -> Iterator[Leg]:
    return recorded_legs(options["file"].path)


_WALKS: Final[Mapping[str, Callable[[Mapping[str, Any], Map, np.random.Generator], Iterator[Leg]]]] = {
    "random-waypoint": _random_waypoint,
    "manhattan": _manhattan,
    "trajectory": _trajectory,
    "semi-markov": _semi_markov,
    "recorded": _recorded,
}
