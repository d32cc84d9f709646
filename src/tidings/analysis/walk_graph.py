"""A walk as a graph: states, and passages between them that lead through the ranges of access points (thesis, 4.4.3).

What a walker does at a state depends on nothing before it. Every passage has a probability and a timeline, cut into
pieces: so long at this access point, so long out of range. Phases of contact and outage go on over as many passages as
they last.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from tidings.analysis.coverage import Floats, Ints, totals


@dataclass(frozen=True, eq=False)
class WalkGraph:
    """Passages in any order, and their pieces passage by passage. Every passage has a piece and takes some time."""

    states: int
    origin: Ints
    target: Ints
    share: Floats
    """Probability of each passage among those of its origin."""
    passage: Ints
    """Of each piece."""
    point: Ints
    length: Floats
    """Nanoseconds."""

    @cached_property
    def duration(self) -> Floats:
        """Of each passage."""
        return totals(self.passage, self.length, len(self.origin))

    @cached_property
    def first(self) -> Ints:
        """The first piece of each passage."""
        return np.searchsorted(self.passage, np.arange(len(self.origin)))

    @cached_property
    def last(self) -> Ints:
        """The last piece of each passage."""
        return np.searchsorted(self.passage, np.arange(len(self.origin)), side="right") - 1

    @cached_property
    def moves(self) -> Floats:
        """Probability to go from each state to each other; a state without passages goes nowhere."""
        flat = totals(self.origin * self.states + self.target, self.share, self.states**2)
        return flat.reshape(self.states, self.states)

    def only(self, states: Ints) -> "WalkGraph":
        """The part of the graph among some states that nobody leaves."""
        number = np.full(self.states, -1)
        number[states] = np.arange(len(states))
        kept = number[self.origin] >= 0
        renumbered = np.cumsum(kept) - 1
        pieces = kept[self.passage]
        return WalkGraph(
            len(states),
            number[self.origin[kept]],
            number[self.target[kept]],
            self.share[kept],
            renumbered[self.passage[pieces]],
            self.point[pieces],
            self.length[pieces],
        )


def graph_of(passages: tuple[Ints, Ints, Floats], pieces: tuple[Ints, Ints, Floats], at: Ints) -> WalkGraph:
    """A graph from loose parts.

    Args:
        passages: origin, target and share of each.
        pieces: passage, point and length of each; those of one passage in their order, the passages in any.
        at: the point of each state: passages that take no time are there for a nanosecond.
    """
    origin, target, share = passages
    taken = pieces[2] > 0
    passage, point, length = pieces[0][taken], pieces[1][taken], pieces[2][taken]
    empty = np.flatnonzero(np.bincount(passage, minlength=len(origin)) == 0)
    passage = np.concatenate([passage, empty])
    point = np.concatenate([point, at[target[empty]]])
    length = np.concatenate([length, np.ones(len(empty))])
    order = np.argsort(passage, kind="stable")
    passage, point, length = passage[order], point[order], length[order]
    first = np.ones(len(passage), np.bool_)
    first[1:] = (passage[1:] != passage[:-1]) | (point[1:] != point[:-1])
    starts = np.flatnonzero(first)
    return WalkGraph(len(at), origin, target, share, passage[starts], point[starts], np.add.reduceat(length, starts))


def stationary(moves: Floats) -> Floats:
    """Long-run shares of the states of a chain whose states all lead to each other (Eq. 4.9)."""
    size = len(moves)
    system = np.vstack([moves.T - np.eye(size), np.ones(size)])
    wanted = np.zeros(size + 1)
    wanted[-1] = 1.0
    found: Floats = np.maximum(np.linalg.lstsq(system, wanted, rcond=None)[0], 0.0)
    return found / float(found.sum())


def fundamental(moves: Floats) -> Floats:
    """Expected visits before the end, from each state that is left for good to each other; the first counts."""
    return np.asarray(np.linalg.inv(np.eye(len(moves)) - moves), np.float64)


def visit_shares(moves: Floats, start: int) -> Floats:
    """Of all visits before the end, how many each state gets (Eq. 4.8)."""
    visits: Floats = fundamental(moves)[start]
    return visits / float(visits.sum())


def ends(moves: Floats, start: Floats) -> Iterator[tuple[float, Ints]]:
    """Where a walker ends up who begins by `start`: sets of states that are never left, with their probabilities."""
    count, label = connected_components(coo_matrix(moves > 0), directed=True, connection="strong")
    leaves = np.zeros(count, np.bool_)
    one, other = np.nonzero(moves)
    leaves[label[one][label[one] != label[other]]] = True
    passing = np.flatnonzero(leaves[label])
    arriving = start.copy()
    if passing.size:
        visits = start[passing] @ fundamental(moves[np.ix_(passing, passing)])
        arriving = start + visits @ moves[passing]
        arriving[passing] = 0.0
    for number in np.flatnonzero(~leaves).tolist():
        states = np.flatnonzero(label == number)
        weight = float(arriving[states].sum())
        if weight > 0:
            yield weight, states
