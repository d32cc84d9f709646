"""Whole ways, decided where an event starts: which ways each scheme takes to a destination."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from tidings.routing.ways import Links, Way, Ways, delay_ways, hop_ways, second_way, shortest_simple_ways

Scheme: TypeAlias = Literal["r-tree", "d-tree", "multipath"]

WAY_SCHEMES: Final[tuple[Scheme, ...]] = ("r-tree", "d-tree", "multipath")


class WayPlans:
    """Of one origin. What was found is kept until links are taken for something else."""

    def __init__(self, scheme: Scheme, brokers: Sequence[str], origin: str) -> None:
        self._scheme, self._brokers, self._origin = scheme, brokers, origin
        self._links: Links | None = None
        self._first: Ways = {}
        self._second: dict[str, Way | None] = {}

    def ways(self, links: Links, destinations: Sequence[str]) -> Mapping[str, tuple[Way, ...]]:
        """By destination the ways that its copies take; one without a way is not there."""
        if links is not self._links:
            find = hop_ways if self._scheme == "r-tree" else delay_ways
            self._links, self._second = links, {}
            self._first = find(self._brokers, links, self._origin)
        return {name: self._ways_to(links, name) for name in destinations if name in self._first}

    def _ways_to(self, links: Links, destination: str) -> tuple[Way, ...]:
        first = self._first[destination]
        if self._scheme != "multipath":
            return (first,)
        if destination not in self._second:
            candidates = shortest_simple_ways(self._brokers, links, self._origin, destination)
            self._second[destination] = second_way(first, candidates, self._origin)
        second = self._second[destination]
        return (first,) if second is None else (first, second)
