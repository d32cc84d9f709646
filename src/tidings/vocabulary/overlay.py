"""The overlay as a plain graph: who is linked to whom, how far it is, and which ways are shortest.

Ties never depend on hashing: of equally short ways the one with fewer hops wins, then the parent that comes first in
the order of the brokers. `shortest_from` is the plain algorithm; `distance_matrix` is the fast one for many sources.
"""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class Overlay:
    """Brokers and undirected links with their mean delays.

    Raises ValueError for a broker named twice, a link that names an unknown broker, joins a broker to itself or is
    there twice, and a delay that is negative or not finite.
    """

    brokers: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    delays_ns: tuple[float, ...]
    """One for each link, in the same order; 0 is allowed."""

    def __post_init__(self) -> None:
        if len(self._places) < len(self.brokers):
            double = next(name for place, name in enumerate(self.brokers) if self._places[name] != place)
            raise ValueError(f"broker {double} is there twice; every broker needs its own name")
        if len(self.delays_ns) != len(self.links):
            raise ValueError(f"{len(self.links)} links need as many delays, not {len(self.delays_ns)}")
        seen: set[frozenset[str]] = set()
        for (one, other), delay_ns in zip(self.links, self.delays_ns, strict=True):
            self._check_link(one, other, delay_ns)
            pair = frozenset((one, other))
            if pair in seen:
                raise ValueError(f"link {one} – {other} is there twice; one link joins two brokers")
            seen.add(pair)

    def _check_link(self, one: str, other: str, delay_ns: float) -> None:
        for name in (one, other):
            if name not in self._places:
                raise ValueError(f"link {one} – {other} names {name}, which is no broker of the overlay")
        if one == other:
            raise ValueError(f"link {one} – {other} joins a broker to itself; a link needs two brokers")
        if not 0 <= delay_ns < math.inf:
            raise ValueError(f"link {one} – {other} has the delay {delay_ns}; it must be finite and not negative")

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.brokers)}

    @cached_property
    def _adjacent(self) -> dict[str, dict[str, float]]:
        """Delay by neighbour by broker, neighbours in the order of the brokers."""
        places = self._places
        unordered: dict[str, list[tuple[int, str, float]]] = {name: [] for name in self.brokers}
        for (one, other), delay_ns in zip(self.links, self.delays_ns, strict=True):
            unordered[one].append((places[other], other, delay_ns))
            unordered[other].append((places[one], one, delay_ns))
        return {
            name: {neighbour: delay_ns for _, neighbour, delay_ns in sorted(neighbours)}
            for name, neighbours in unordered.items()
        }

    @cached_property
    def _neighbours(self) -> dict[str, tuple[str, ...]]:
        return {name: tuple(adjacent) for name, adjacent in self._adjacent.items()}

    def neighbours(self, broker: str) -> tuple[str, ...]:
        """In the order of the brokers; KeyError for a stranger."""
        return self._neighbours[broker]

    def delay_ns(self, one: str, other: str) -> float:
        """Of the link between the two; KeyError when there is none."""
        return self._adjacent[one][other]

    def components(self) -> tuple[tuple[str, ...], ...]:
        """Parts without a way between them, each in the order of the brokers, ordered by their first broker."""
        part_of: dict[str, int] = {}
        count = 0
        for start in self.brokers:
            if start in part_of:
                continue
            part_of[start] = count
            reached = [start]
            for broker in reached:
                for neighbour in self._neighbours[broker]:
                    if neighbour not in part_of:
                        part_of[neighbour] = count
                        reached.append(neighbour)
            count += 1
        parts: list[list[str]] = [[] for _ in range(count)]
        for broker in self.brokers:
            parts[part_of[broker]].append(broker)
        return tuple(map(tuple, parts))

    @cached_property
    def is_connected(self) -> bool:
        """One part; an overlay without brokers is not."""
        return len(self.components()) == 1

    @cached_property
    def is_tree(self) -> bool:
        """Connected and without loops."""
        return len(self.links) == len(self.brokers) - 1 and self.is_connected

    def shortest_from(self, broker: str) -> tuple[dict[str, float], dict[str, str | None]]:
        """Shortest distances (nanoseconds) to, and the parents of, all that can be reached, nearest first.

        The source itself has distance 0 and no parent.
        """
        places, names = self._places, self.brokers
        best: dict[str, tuple[float, int, int]] = {broker: (0.0, 0, -1)}
        distances: dict[str, float] = {}
        waiting = [(0.0, 0, places[broker])]
        while waiting:
            distance, hops, place = heapq.heappop(waiting)
            here = names[place]
            if here in distances:
                continue
            distances[here] = distance
            for neighbour, delay_ns in self._adjacent[here].items():
                offer = (distance + delay_ns, hops + 1, place)
                known = best.get(neighbour)
                if known is None or offer < known:
                    best[neighbour] = offer
                    heapq.heappush(waiting, (offer[0], offer[1], places[neighbour]))
        parents = {name: names[best[name][2]] if name != broker else None for name in distances}
        return distances, parents

    def ways_from(self, broker: str) -> dict[str, tuple[str, ...]]:
        """The shortest ways to all that can be reached, both ends included; nearest first, the broker itself before all."""
        _, parents = self.shortest_from(broker)
        ways: dict[str, tuple[str, ...]] = {broker: (broker,)}
        for name, parent in parents.items():
            if parent is not None:
                ways[name] = (*ways[parent], name)
        return ways

    def distances_from(self, broker: str) -> dict[str, float]:
        """Shortest distances in nanoseconds to all that can be reached, the broker itself (0) included."""
        return self.shortest_from(broker)[0]

    def distance_matrix(self, sources: Sequence[str] | None = None) -> NDArray[np.float64]:
        """Row by source (None: every broker), column by broker; infinite where there is no way."""
        from scipy.sparse.csgraph import dijkstra  # noqa: PLC0415 - slow to import, and small overlays never need it

        rows = self.brokers if sources is None else sources
        if not rows:
            return np.empty((0, len(self.brokers)))
        matrix: NDArray[np.float64] = dijkstra(self._sparse, indices=[self._places[name] for name in rows])
        return matrix

    @cached_property
    def _sparse(self) -> "csr_array":
        """Both directions; links without delay stay in it as stored zeros, which csgraph takes for links."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import

        tails = [self._places[one] for one, _ in self.links]
        heads = [self._places[other] for _, other in self.links]
        size = len(self.brokers)
        return csr_array(([*self.delays_ns, *self.delays_ns], (tails + heads, heads + tails)), shape=(size, size))
