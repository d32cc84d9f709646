"""How long phases of contact and outage last on a graph, phases that go on over many passages included.

Within a passage lengths are exact. What is left of a phase when a state is reached obeys a renewal equation over the
states, which is solved forward on a grid of times.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, identity
from scipy.sparse.linalg import splu

from tidings.analysis.coverage import NOWHERE, Floats, Ints, totals
from tidings.analysis.delay_law import TimeGrid
from tidings.analysis.walk_graph import WalkGraph, stationary


@dataclass(frozen=True, eq=False)
class PhaseLaws:
    """Of a graph, and how often each passage is made: per nanosecond, or altogether."""

    graph: WalkGraph
    flow: Floats

    def share(self, point: int) -> float:
        """Of the time, at a point (or `NOWHERE`)."""
        here = self.graph.point == point
        return float(self.flow[self.graph.passage[here]] @ self.graph.length[here])

    def rate(self, point: int) -> float:
        """How often a phase of this kind begins."""
        return float(self.beginning(point)[1].sum())

    @cached_property
    def touching(self) -> float:
        """Of the stays that end, the share after which another point is in range at once."""
        graph = self.graph
        inside = np.flatnonzero((graph.point[1:] != NOWHERE) & (graph.point[:-1] != NOWHERE) & ~self._is_first[1:]) + 1
        direct = float(self.flow[graph.passage[inside]].sum())
        for point in np.unique(graph.point[graph.point != NOWHERE]).tolist():
            starts = graph.share * (graph.point[graph.first] == point)
            direct += float(starts @ self._changing(point, NOWHERE)[graph.origin])
        gaps = self.rate(NOWHERE)
        return direct / (direct + gaps) if direct > 0 else 0.0

    def gap(self, grid: TimeGrid) -> Floats:
        """From leaving one point to coming to another: 0 where ranges touch."""
        found = (1 - self.touching) * self.law(NOWHERE, grid)
        found[0] += self.touching
        return found

    def law(self, point: int, grid: TimeGrid) -> Floats:
        """How long such a phase lasts: masses at the times of the grid; what is missing to 1 lasts longer."""
        graph = self.graph
        pieces, weights = self.beginning(point)
        total = weights.sum()
        if total <= 0:
            return np.zeros(grid.points + 1)
        over = graph.last[graph.passage[pieces]] != pieces
        found = spread(np.zeros(over.sum(), np.int64), graph.length[pieces[over]], weights[over], (1, grid))[0]
        going_on = pieces[~over]
        target = graph.target[graph.passage[going_on]]
        so_far = spread(target, graph.length[going_on], weights[~over], (graph.states, grid))
        if so_far.any():
            left = times_left(graph, point, grid)
            size = 2 * (grid.points + 1)
            both = np.fft.rfft(so_far, size, axis=1) * np.fft.rfft(left, size, axis=1)
            found = found + np.fft.irfft(both.sum(axis=0), size)[: grid.points + 1]
        masses: Floats = np.maximum(found, 0.0) / float(total)
        return masses

    def beginning(self, point: int) -> tuple[Ints, Floats]:
        """Pieces with which a phase begins, and how often it does."""
        graph = self.graph
        pieces = np.flatnonzero(graph.point == point)
        passage = graph.passage[pieces]
        changing = graph.share[passage] * self._changing(point)[graph.origin[passage]]
        weights = np.where(self._is_first[pieces], changing, self.flow[passage])
        return pieces[weights > 0], weights[weights > 0]

    @cached_property
    def _is_first(self) -> NDArray[np.bool_]:
        graph = self.graph
        found: NDArray[np.bool_] = graph.first[graph.passage] == np.arange(len(graph.passage))
        return found

    def _changing(self, *but: int) -> Floats:
        """How often each state is reached by a passage whose last piece is at none of these points."""
        graph = self.graph
        elsewhere = ~np.isin(graph.point[graph.last], but)
        return totals(graph.target[elsewhere], self.flow[elsewhere], graph.states)


def steady(graph: WalkGraph) -> PhaseLaws:
    """In the long run, on a graph whose states all lead to each other."""
    weights = stationary(graph.moves)[graph.origin] * graph.share
    return PhaseLaws(graph, weights / float(weights @ graph.duration))


def times_left(graph: WalkGraph, point: int, grid: TimeGrid) -> Floats:
    """For each state, how long a phase that has lasted until then goes on: states by times."""
    whole = (graph.first == graph.last) & (graph.point[graph.first] == point)
    ending = np.flatnonzero(~whole)
    last = np.where(graph.point[graph.first[ending]] == point, graph.length[graph.first[ending]], 0.0)
    known = spread(graph.origin[ending], last, graph.share[ending], (graph.states, grid))
    through = np.flatnonzero(whole & (graph.duration < grid.horizon))
    return renewed(known, Steps(graph.origin, graph.target, graph.share, graph.duration).only(through), grid)


@dataclass(frozen=True, eq=False, slots=True)
class Steps:
    """Steps between states: parallel arrays."""

    origin: Ints
    target: Ints
    share: Floats
    duration: Floats

    def only(self, kept: Ints) -> "Steps":
        """Some of them."""
        return Steps(self.origin[kept], self.target[kept], self.share[kept], self.duration[kept])


def spread(rows: Ints, times: Floats, weights: Floats, shape: tuple[int, TimeGrid]) -> Floats:
    """Masses on a grid for each row, shared between neighbouring times so that means stay."""
    count, grid = shape
    places = times / grid.step
    below = np.minimum(places.astype(np.int64), grid.points + 1)
    above = np.where(below > grid.points, 0.0, places - below)
    width = grid.points + 3
    at = rows * width + below
    found = totals(at, weights * (1 - above), count * width)
    found = found + totals(at + 1, weights * above, count * width)
    masses: Floats = found.reshape(count, width)[:, : grid.points + 1]
    return masses


def renewed(known: Floats, steps: Steps, grid: TimeGrid) -> Floats:
    """What is known of each state, and what it has from the targets of its steps, so much later: states by times."""
    if not len(steps.origin):
        return known
    steps = steps.only(np.argsort(steps.duration, kind="stable"))
    origin, target, share = steps.origin, steps.target, steps.share
    places = steps.duration / grid.step
    back = places.astype(np.int64)
    later = places - back
    at_once = back == 0
    states = len(known)
    within = (share[at_once] * (1 - later[at_once]), (origin[at_once], target[at_once]))
    solved = splu((identity(states) - coo_matrix(within, shape=(states, states))).tocsc())
    found = np.zeros((grid.points + 2, states))
    near, far = share * np.where(at_once, 0.0, 1 - later), share * later
    for place in range(grid.points + 1):
        active = int(np.searchsorted(back, place, side="right"))
        before, to = place + 1 - back[:active], target[:active]
        values = near[:active] * found[before, to] + far[:active] * found[before - 1, to]
        row = known[:, place] + totals(origin[:active], values, states)
        found[place + 1] = solved.solve(row) if at_once.any() else row
    return found[1:].T
