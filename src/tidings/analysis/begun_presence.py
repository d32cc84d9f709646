"""Where a walker is who began at time 0 at a given state: how often he comes and goes until the end of a run.

The expected number of arrivals at each state is followed forward on a grid of times. Phases have the laws that they have
on the graph; only when they begin, and how much of them is left at the end, depends on the time.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from tidings.analysis.coverage import NOWHERE, Floats
from tidings.analysis.delay_law import TimeGrid
from tidings.analysis.phase_laws import PhaseLaws, Steps, renewed, spread, times_left
from tidings.analysis.presence import Latency, Presence, absence, longer
from tidings.analysis.walk_graph import WalkGraph

_POINTS: Final = 2_048


@dataclass(frozen=True, eq=False, slots=True)
class Begun:
    """A walk on a graph that begins at time 0, by these probabilities of its states."""

    graph: WalkGraph
    start: Floats


def begun_presence(walk: Begun, points: int, latency: Latency, window: tuple[float, int]) -> Presence:
    """Over a run: how long it is, and the point that keeps events for a walker that has not been anywhere yet.

    Who is in range at the beginning is attached at once.
    """
    duration, home = window
    until = _Since(walk, latency, TimeGrid(duration, _POINTS))
    attached = np.array([until.attached(point) for point in range(points)]) / duration
    counted = np.array([float(until.leaving(point).sum()) for point in range(points)])
    counted[home] += until.begins_away
    rest = max(1 - float(attached.sum()), 0.0)
    away = rest * (counted / counted.sum() if counted.sum() > 0 else np.eye(points)[home])

    def waits(grid: TimeGrid) -> Floats:
        far = _Since(walk, latency, TimeGrid(duration + 1.01 * grid.horizon, _POINTS))
        edges = np.maximum(np.arange(grid.points + 2) - 0.5, 0.0) * grid.step
        beyond = far.waiting(edges, points, duration) / duration
        return np.maximum(-np.diff(beyond), 0.0)

    # What comes back later than a whole run after is taken for gone.
    return Presence(attached, away, min(float(waits(TimeGrid(duration)).sum()), float(away.sum())), waits)


@dataclass(frozen=True, eq=False)
class _Since:
    """Everything on one grid of times since the beginning."""

    walk: Begun
    latency: Latency
    grid: TimeGrid

    @property
    def graph(self) -> WalkGraph:
        return self.walk.graph

    @property
    def start(self) -> Floats:
        return self.walk.start

    @cached_property
    def _arrivals(self) -> Floats:
        """Expected arrivals at each state, the beginning among them: states by times."""
        graph, known = self.graph, np.zeros((self.graph.states, self.grid.points + 1))
        known[:, 0] = self.start
        kept = np.flatnonzero(graph.duration < self.grid.horizon)
        backward = Steps(graph.target, graph.origin, graph.share, graph.duration).only(kept)
        return renewed(known, backward, self.grid)

    @cached_property
    def _laws(self) -> PhaseLaws:
        return PhaseLaws(self.graph, self._arrivals.sum(axis=1)[self.graph.origin] * self.graph.share)

    def _first(self, point: int) -> Floats:
        """How long the walk is at the point at first: masses that sum to the probability that it begins there."""
        graph, grid = self.graph, self.grid
        first = np.flatnonzero(graph.point[graph.first] == point)
        weights = self.start[graph.origin[first]] * graph.share[first]
        whole = graph.first[first] == graph.last[first]
        length, target = graph.length[graph.first[first]], graph.target[first]
        found: Floats = spread(np.zeros(np.sum(~whole), np.int64), length[~whole], weights[~whole], (1, grid))[0]
        if weights[whole].sum() > 0:
            so_far = spread(target[whole], length[whole], weights[whole], (graph.states, grid))
            for state in np.flatnonzero(so_far.any(axis=1)).tolist():
                found = found + _sum(so_far[state], times_left(graph, point, grid)[state])
        return found

    def _begins(self, point: int) -> float:
        """Probability to begin there; a state without passages is where it is, for ever."""
        graph = self.graph
        first = graph.point[graph.first] == point
        return float((self.start[graph.origin[first]] * graph.share[first]).sum())

    @property
    def begins_away(self) -> float:
        """Probability to begin out of range."""
        return self._begins(NOWHERE)

    def _coming(self, point: int) -> Floats:
        """When stays at a point begin, but for one that the walk begins with: expected numbers."""
        graph, found = self.graph, np.zeros(self.grid.points + 1)
        pieces, _ = self._laws.beginning(point)
        passage = graph.passage[pieces]
        so_far = np.cumsum(graph.length) - graph.length
        offset = so_far[pieces] - so_far[graph.first[passage]]
        rows = spread(graph.origin[passage], offset, graph.share[passage], (graph.states, self.grid))
        for state in np.flatnonzero(rows.any(axis=1)).tolist():
            found = found + _sum(rows[state], self._arrivals[state])
        found[0] -= min(found[0], self._begins(point) if (offset == 0).any() else 0.0)
        return found

    def leaving(self, point: int) -> Floats:
        """When stays that count end."""
        counts = self._laws.law(point, self.grid) * (1 - self.latency.longer(self.grid.times))
        return _sum(self._coming(point), counts) + self._first(point)

    def attached(self, point: int) -> float:
        """Expected time attached, until the end of the grid."""
        grid = self.grid
        there = longer(self._laws.law(point, grid)) * (1 - self.latency.longer(grid.times))
        so_far = np.concatenate([[0.0], np.cumsum((there[1:] + there[:-1]) / 2)]) * grid.step
        begins = self._begins(point)
        first = longer(self._first(point) + _rest(grid, 1 - begins)) if begins > 0 else np.zeros(grid.points + 1)
        return float(self._coming(point) @ so_far[::-1]) + float(np.trapezoid(first, grid.times))

    def waiting(self, waits: Floats, points: int, duration: float) -> Floats:
        """Expected time before `duration` that is further than each of these from being attached."""
        grid, gap = self.grid, self._laws.gap(self.grid)
        rates = np.array([self._laws.rate(point) for point in range(points)])
        stays = [rate * self._laws.law(point, grid) for point, rate in enumerate(rates.tolist()) if rate > 0]
        stay = np.sum(stays, axis=0) / rates.sum() if stays else _rest(grid, 1.0)
        began = np.sum([self.leaving(point) for point in range(points)], axis=0) * (grid.times < duration)
        away = absence(gap, stay, self.latency, grid)
        first = _rest(grid, 1 - self.begins_away) + absence(self._first(NOWHERE), stay, self.latency, grid)
        return _longer_than(waits, began, away, (grid, duration)) + _longer_than(
            waits, _rest(grid, 1.0), first, (grid, duration)
        )


def _longer_than(waits: Floats, began: Floats, law: Floats, until: tuple[TimeGrid, float]) -> Floats:
    """Of times with this law, begun when `began` says: what of them, before the end, is further from theirs."""
    grid, duration = until
    capped = np.concatenate([[0.0], np.cumsum(np.maximum(1 - np.cumsum(law), 0.0)[:-1])]) * grid.step
    here = np.flatnonzero(began > 0)
    found = np.zeros(len(waits))
    base = np.interp(waits, grid.times, capped)
    for place in here.tolist():
        found += began[place] * (np.interp(waits + duration - grid.times[place], grid.times, capped) - base)
    return found


def _rest(grid: TimeGrid, share: float) -> Floats:
    """This much of no time at all."""
    found = np.zeros(grid.points + 1)
    found[0] = share
    return found


def _sum(one: Floats, other: Floats) -> Floats:
    size = 2 * len(one)
    found: Floats = np.fft.irfft(np.fft.rfft(one, size) * np.fft.rfft(other, size), size)[: len(one)]
    return found
