"""The scheme that no real broker can follow: it knows beforehand what will be down, and when (DCRD, IV-B).

For every event the way of least delay that meets no failure: each link works when the event is sent over it, each broker is
up when it comes there. Links take their mean delay; what brokers take for an event, and queues, are not foreseen. Of two
ways to a broker the quicker is followed on, though a link behind it may come back between the two.
"""

import heapq
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from tidings.routing.ways import Links, Way
from tidings.simulation.outages import Interval

Downs: TypeAlias = Mapping[str | tuple[str, str], Sequence[Interval]]
"""When brokers, and directed links, are down: ascending and apart; absent: never."""


class Oracle:
    """Knows one world's outages. `downs` is asked once, at the first event."""

    def __init__(self, links: Links, downs: Callable[[], Downs]) -> None:
        self._links, self._ask = links, downs
        self._neighbours: dict[str, list[tuple[str, int]]] = {}
        for (here, there), quality in links.items():
            self._neighbours.setdefault(here, []).append((there, round(quality.delay_ns)))
        self._starts: dict[str | tuple[str, str], list[int]] | None = None
        self._ends: dict[str | tuple[str, str], list[int]] = {}

    def ways(self, origin: str, destinations: Sequence[str], now: int) -> dict[str, tuple[Way, ...]]:
        """By destination its way for an event that is at `origin` now; a destination that cannot be reached is not there."""
        reached = {origin: now}
        ways: dict[str, Way] = {origin: ()}
        left = dict.fromkeys(destinations)
        border: list[tuple[int, str]] = [(now, origin)]
        while border and left:
            instant, here = heapq.heappop(border)
            if instant > reached[here]:
                continue
            left.pop(here, None)
            for there, delay_ns in self._neighbours.get(here, ()):
                arrives = instant + delay_ns
                if arrives < reached.get(there, arrives + 1) and self._passes(here, there, instant, arrives):
                    reached[there] = arrives
                    ways[there] = (*ways[here], there)
                    heapq.heappush(border, (arrives, there))
        return {name: (ways[name],) for name in destinations if name in ways}

    def _passes(self, here: str, there: str, sent: int, arrives: int) -> bool:
        return self._is_up((here, there), sent) and self._is_up(there, arrives)

    def _is_up(self, component: str | tuple[str, str], instant: int) -> bool:
        if self._starts is None:
            downs = self._ask()
            self._starts = {name: [start for start, _ in found] for name, found in downs.items() if found}
            self._ends = {name: [end for _, end in found] for name, found in downs.items() if found}
        starts = self._starts.get(component)
        if starts is None:
            return True
        place = bisect_right(starts, instant) - 1
        return place < 0 or instant >= self._ends[component][place]
