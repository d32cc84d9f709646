"""The Manhattan model as a graph (thesis, 4.4.3.3): a state for each stop and each heading in which it may be left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from tidings.analysis.coverage import Floats, cut, nearest
from tidings.analysis.walk_graph import WalkGraph, graph_of
from tidings.scenario.roads import QUARTERS, Point, roads_of
from tidings.scenario.world import Map
from tidings.vocabulary.instant import SECOND

State: TypeAlias = tuple[Point, int]
"""A stop, and the heading in which it is left."""


@dataclass(frozen=True)
class RoadWalk:
    """Of walkers on one map with the same roads and turns."""

    options: Mapping[str, Any]
    where: Map

    @cached_property
    def _roads(self) -> Any:
        return roads_of(self.options["vertical"], self.options["horizontal"], self.where)

    @cached_property
    def states(self) -> dict[State, int]:
        """Every state that a walker can come to, by its number."""
        starts = [(here, heading) for here, heading, _ in self._stretches()]
        found = dict.fromkeys(starts)
        for state in (queue := list(found)):
            for following, _, _ in self._onward(state):
                if following not in found:
                    found[following] = None
                    queue.append(following)
        return {state: number for number, state in enumerate(found)}

    @property
    def begin(self) -> Floats:
        """Where a walker starts: on any stretch of road, as likely as it is long, in one of two directions."""
        found = np.zeros(len(self.states))
        for here, heading, length in self._stretches():
            found[self.states[here, heading]] += length
        return found / float(found.sum())

    def places(self, count: int) -> Floats:
        """About so many places, evenly spread over all roads."""
        width, height = self.where.size
        roads = self._roads
        step = (len(roads.vertical) * height + len(roads.horizontal) * width) / count
        found = [(x, y) for x in roads.vertical for y in np.arange(step / 2, height, step)]
        found += [(x, y) for y in roads.horizontal for x in np.arange(step / 2, width, step)]
        return np.array(found, np.float64)

    def graph(self, speed: float, pauses: Floats) -> WalkGraph:
        """Of a walker with this speed (metres per second) whose pauses at junctions are one of these."""
        moves = [
            (number, self.states[following], share / times, pause)
            for state, number in self.states.items()
            for following, share, drawn in self._onward(state)
            for times, pause in ((len(pauses), one) for one in (pauses.tolist() if drawn else [0.0] * len(pauses)))
        ]
        origin, target = (np.array([move[place] for move in moves]) for place in (0, 1))
        share, pause = (np.array([move[place] for move in moves]) for place in (2, 3))
        stops = np.array([here for here, _ in self.states])
        points = np.array(self.where.points)
        legs = cut(stops[origin], stops[target], points, self.where.range)
        lengths = np.hypot(*(stops[target] - stops[origin]).T) * SECOND / speed
        at = nearest(stops, points, self.where.range)
        pieces = (
            np.concatenate([legs.leg, np.arange(len(origin))]),
            np.concatenate([legs.point, at[target]]),
            np.concatenate([(legs.end - legs.start) * lengths[legs.leg], pause]),
        )
        return graph_of((origin, target, share), pieces, at)

    def _onward(self, state: State) -> list[tuple[State, float, bool]]:
        """Where the next stop is left for, how likely, and whether that was drawn at a junction."""
        roads, heading = self._roads, state[1]
        there = roads.next_stop(*state)
        if roads.turns_back(there, heading):
            return [((there, (heading + 2) % 4), 1.0, False)]
        found: dict[State, float] = {}
        for name, quarter in QUARTERS.items():
            turned = (heading + quarter) % 4
            if roads.turns_back(there, turned):
                turned = (turned + 2) % 4
            chance = float(getattr(self.options["turns"], name))
            if chance > 0:
                found[there, turned] = found.get((there, turned), 0.0) + chance
        total = sum(found.values())
        return [(following, chance / total, True) for following, chance in found.items()]

    def _stretches(self) -> Sequence[tuple[Point, int, float]]:
        """Stops, headings and lengths of all stretches of road, each in both directions."""
        roads, (width, height) = self._roads, self.where.size
        found = []
        for x in roads.vertical:
            found += [((x, y), heading, 0.0) for y in roads.along for heading in (0, 2)]
        for y in roads.horizontal:
            found += [((x, y), heading, 0.0) for x in roads.across for heading in (1, 3)]
        measured = [(here, heading, roads.next_stop(here, heading)) for here, heading, _ in found]
        return [
            (here, heading, abs(there[0] - here[0]) + abs(there[1] - here[1]))
            for here, heading, there in measured
            if there != here and 0 <= here[0] <= width and 0 <= here[1] <= height
        ]
