"""What can be expected of every broker on the way to a destination: the recursion `<d, r>` (DCRD, III-B and III-C).

A broker's d and r follow from those of its neighbours, and theirs from its own: the recursion is circular. It is solved
here so that it always ends, for many destinations at once:

1. *Who is kept.* A neighbour is on a broker's list while its d is below what the broker has left of the deadline.
2. *r* for given lists rises from 0 (only the destination is certain) towards its least fixed point: every step is
   monotone and r never exceeds 1.
3. *d* for given lists and r rises from the shortest delay, of which it cannot be less. For a fixed order Eq. 3 is monotone in
   the neighbours' d, and by Theorem 1 the order taken is the one that makes it least; the least of monotone functions is
   monotone. So d rises to its least fixed point, or beyond every bound.
4. When some d reaches what a broker has left, that neighbour leaves the list, for good, and 2 and 3 begin anew. As d only
   rises, it would have left at the fixed point too. Lists only shrink, so this ends.

Plain iteration, as printed, may swing for ever: a list that is too slow loses a neighbour, is quick enough without it, and
takes it back.

Where links are bad, d may feed on itself and rise for ever. No walk lasts longer than trying every link once, there and
back, so no d is taken for more than that: without a deadline every neighbour with a way to the destination stays listed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from tidings.routing.link_quality import LinkQuality

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Ints: TypeAlias = NDArray[np.int64]

TOLERANCE_NS: Final = 1.0
TOLERANCE_RATIO: Final = 1e-12
STEPS_MAX: Final = 2_000
"""Of r, and of d; what rises more slowly than this settles is taken as it stands, which is too low by very little."""


@dataclass(frozen=True)
class Lattice:
    """Brokers and their links out, as arrays: row by broker, column by neighbour, in the order of the brokers.

    Rows are filled up with links to the broker itself that deliver nothing.
    """

    brokers: tuple[str, ...]
    neighbours: NDArray[np.int64]
    delays_ns: Floats
    ratios: Floats

    @property
    def is_link(self) -> Flags:
        """False where a row is only filled up."""
        found: Flags = self.neighbours != np.arange(len(self.brokers))[:, None]
        return found


def lattice(brokers: Sequence[str], links: Mapping[tuple[str, str], LinkQuality], *, transmissions: int = 1) -> Lattice:
    """The arrays of directed `links`, each tried so often; raises KeyError for a link of an unknown broker."""
    places = {name: place for place, name in enumerate(brokers)}
    rows: list[list[tuple[int, LinkQuality]]] = [[] for _ in brokers]
    for (one, other), quality in links.items():
        rows[places[one]].append((places[other], quality.repeated(transmissions)))
    width = max(map(len, rows), default=0) or 1
    neighbours = np.repeat(np.arange(len(brokers))[:, None], width, axis=1)
    delays, ratios = np.zeros((2, len(brokers), width))
    for place, row in enumerate(rows):
        for column, (there, quality) in enumerate(sorted(row, key=lambda one: one[0])):
            neighbours[place, column] = there
            delays[place, column], ratios[place, column] = quality.delay_ns, quality.ratio
    return Lattice(tuple(brokers), neighbours, delays, ratios)


@dataclass(frozen=True)
class Expectations:
    """For each destination (first axis) and each broker (second): d, r and the sending list."""

    delays_ns: Floats
    ratios: Floats
    order: Ints
    """Neighbours, best first, filled up with -1."""
    rounds: int
    """How often lists had to shrink."""


def expect(net: Lattice, destinations: Sequence[int], left_ns: Floats) -> Expectations:
    """The recursion for each destination (places of brokers), with what each broker has left (destination, broker)."""
    goals = np.asarray(destinations, np.int64)
    shortest = shortest_delays(net, destinations)
    kept = np.broadcast_to(net.is_link, (len(goals), *net.neighbours.shape)).copy()
    kept[np.arange(len(goals)), goals] = False
    kept &= (shortest < np.inf)[:, net.neighbours] & (shortest[:, net.neighbours] < left_ns[:, :, None])
    delays, ratios = np.empty((2, *shortest.shape))
    waiting = np.arange(len(goals))
    rounds = 0
    while len(waiting):
        one = _Round(net, goals[waiting], kept[waiting], left_ns[waiting], shortest[waiting])
        ratios[waiting], delays[waiting], too_slow = one.ratios, *one.delays()
        kept[waiting] &= ~too_slow
        waiting = waiting[too_slow.any(axis=(1, 2))]
        rounds += 1
    return Expectations(delays, ratios, _order(net, delays, ratios, kept), rounds)


def shortest_delays(net: Lattice, destinations: Sequence[int]) -> Floats:
    """From every broker to each destination, over links that ever deliver; infinite where there is no way."""
    if not len(destinations):
        return np.empty((0, len(net.brokers)))
    rows, columns = np.nonzero(net.is_link & (net.ratios > 0))
    size = len(net.brokers)
    # Turned round, since the ways lead to the destinations.
    data = (net.delays_ns[rows, columns], (net.neighbours[rows, columns], rows))
    found: Floats = dijkstra(csr_array(data, shape=(size, size)), indices=list(destinations))
    return found


def _walk_bound(net: Lattice) -> float:
    """Longer than any walk that tries every link once, there and back."""
    return 1.0 + 2 * float((net.delays_ns * net.is_link).sum())


def _order(net: Lattice, delays: Floats, ratios: Floats, kept: Flags) -> Ints:
    offers = _offers(net, delays, ratios, kept)
    best = np.argsort(offers.costs, axis=2, kind="stable")
    listed = np.take_along_axis(offers.costs, best, axis=2) < np.inf
    neighbours = np.take_along_axis(np.broadcast_to(net.neighbours, kept.shape), best, axis=2)
    return np.where(listed, neighbours, -1)


@dataclass(frozen=True)
class _Offers:
    """What every neighbour on every list promises; a cost (d/r) that is infinite is no offer."""

    delays_ns: Floats
    ratios: Floats
    costs: Floats


def _offers(net: Lattice, delays: Floats, ratios: Floats, kept: Flags) -> _Offers:
    through = net.ratios * ratios[:, net.neighbours] * kept
    usable = through > 0
    spent = np.where(usable, net.delays_ns + delays[:, net.neighbours], 0.0)
    costs = np.full(kept.shape, np.inf)
    np.divide(spent, through, out=costs, where=usable)
    return _Offers(spent, through, costs)


class _Round:
    """One round: r and d for given lists, as far as they rise before some list must shrink."""

    def __init__(self, net: Lattice, goals: Ints, kept: Flags, left: Floats, shortest: Floats) -> None:
        self._net, self._kept, self._left, self._shortest = net, kept, left, shortest
        self._at_goal = (np.arange(len(goals)), goals)
        self._bound = _walk_bound(net)
        self.ratios = self._risen_ratios()

    def _risen_ratios(self) -> Floats:
        through = self._net.ratios * self._kept
        found = np.zeros(self._shortest.shape)
        found[self._at_goal] = 1.0
        for _ in range(STEPS_MAX):
            risen = 1.0 - np.prod(1.0 - through * found[:, self._net.neighbours], axis=2)
            risen[self._at_goal] = 1.0
            rise = (risen - found).max(initial=0.0)
            found = risen
            if rise <= TOLERANCE_RATIO:
                break
        return found

    def delays(self) -> tuple[Floats, Flags]:
        """The delays, and which neighbours turned out to be too slow.

        A destination stands still as soon as it is done, so that what else is worked out with it changes nothing.
        """
        found = np.where(self.ratios > 0, self._shortest, np.inf)
        done = np.zeros(len(found), bool)
        for _ in range(STEPS_MAX):
            risen = np.where(done[:, None], found, self._step(found))
            settled = ~(risen > found + TOLERANCE_NS).any(axis=1)
            found = risen
            too_slow = self._kept & (found[:, self._net.neighbours] >= self._left[:, :, None])
            done |= settled | too_slow.any(axis=(1, 2))
            if bool(done.all()):
                break
        return found, too_slow

    def _step(self, found: Floats) -> Floats:
        """Eq. 3 in the best order, for every broker at once."""
        offers = _offers(self._net, found, self.ratios, self._kept)
        best = np.argsort(offers.costs, axis=2, kind="stable")
        ratios = np.take_along_axis(offers.ratios, best, axis=2)
        spent = np.cumsum(np.take_along_axis(offers.delays_ns, best, axis=2), axis=2)
        missed = np.cumprod(1.0 - ratios, axis=2)
        first = np.concatenate([np.ones((*missed.shape[:2], 1)), missed[:, :, :-1]], axis=2)
        delivered = 1.0 - missed[:, :, -1]
        risen = np.full(found.shape, np.inf)
        np.divide((spent * ratios * first).sum(axis=2), delivered, out=risen, where=delivered > 0)
        risen[self._at_goal] = 0.0
        return np.where(delivered > 0, np.minimum(risen, self._bound), risen)
