"""Whole ways to a destination, decided where an event starts: fewest hops, least delay, and a second way beside it.

A way is the row of brokers after the first, the destination last. Ties never depend on hashing.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import yen

from tidings.routing.link_quality import LinkQuality
from tidings.vocabulary.overlay import Overlay

Way: TypeAlias = tuple[str, ...]
Ways: TypeAlias = Mapping[str, Way]
"""By destination; a destination without a way is not there."""

Links: TypeAlias = Mapping[tuple[str, str], LinkQuality]
"""Directed links, as they are believed to be."""

CANDIDATES: Final = 5
"""How many of the shortest ways the second one is chosen from."""


def hop_ways(brokers: Sequence[str], links: Links, origin: str) -> Ways:
    """Ways with the fewest hops: the most reliable ones where all links fail alike. Delays do not count."""
    return _tree_ways(Overlay(tuple(brokers), *_undirected(links, lambda _: 1.0)), origin)


def delay_ways(brokers: Sequence[str], links: Links, origin: str) -> Ways:
    """Ways with the least expected delay."""
    return _tree_ways(Overlay(tuple(brokers), *_undirected(links, lambda quality: quality.delay_ns)), origin)


def shortest_simple_ways(brokers: Sequence[str], links: Links, origin: str, destination: str) -> list[Way]:
    """The `CANDIDATES` ways of least delay without loops, shortest first; fewer where there are not so many."""
    places = {name: place for place, name in enumerate(brokers)}
    ends = np.array([(places[one], places[other]) for one, other in links], np.int32).reshape(-1, 2)
    delays = np.array([quality.delay_ns for quality in links.values()])
    graph = csr_array((delays, (ends[:, 0], ends[:, 1])), shape=(len(brokers), len(brokers)))
    source, sink = places[origin], places[destination]
    _, before = yen(graph, source, sink, CANDIDATES, directed=True, return_predecessors=True)
    return [_walk_back(brokers, row.tolist(), source, sink) for row in before]


def second_way(first: Way, candidates: Sequence[Way], origin: str) -> Way | None:
    """The candidate other than `first` that shares fewest links with it, of those the shortest; None: there is no other."""
    taken = set(_hops(origin, first))
    others = [way for way in candidates if way != first]
    return min(others, key=lambda way: sum(hop in taken for hop in _hops(origin, way)), default=None)


def _hops(origin: str, way: Way) -> list[tuple[str, str]]:
    return list(zip((origin, *way), way, strict=False))


def _tree_ways(overlay: Overlay, origin: str) -> Ways:
    return {name: way[1:] for name, way in overlay.ways_from(origin).items()}


def _undirected(
    links: Links, weight: Callable[[LinkQuality], float]
) -> tuple[tuple[tuple[str, str], ...], tuple[float, ...]]:
    """Each pair of directions once, with the mean of their weights; one direction alone stands for both."""
    weights: dict[tuple[str, str], list[float]] = {}
    for (one, other), quality in links.items():
        pair = (other, one) if (other, one) in weights else (one, other)
        weights.setdefault(pair, []).append(weight(quality))
    return tuple(weights), tuple(sum(found) / len(found) for found in weights.values())


def _walk_back(brokers: Sequence[str], before: Sequence[int], source: int, sink: int) -> Way:
    way: list[str] = []
    place = sink
    while place != source:
        way.append(brokers[place])
        place = before[place]
    return tuple(reversed(way))
