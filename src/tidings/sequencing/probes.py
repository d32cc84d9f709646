"""When a stage says again how far a topic has come, so that nobody waits for ever for a last event that was lost.

After each publication a topic is probed soon, and then ever more seldom.
"""

import heapq
from typing import Final

from tidings.vocabulary.instant import SECOND

FIRST_NS: Final = SECOND
DOUBLED_MAX: Final = 6
HELD_TRIES: Final = 5
"""So many probes are waited for at the end of a run; more follow, for who was cut off for long."""


class Probes:
    """All topics of a stage."""

    def __init__(self) -> None:
        self._due: dict[str, tuple[int, int]] = {}
        """When, and which time it is since the last publication."""
        self._heap: list[tuple[int, str]] = []
        self._young = 0

    def published(self, topic: str, now: int) -> None:
        """Something was; the first probe is due some time after the last publication."""
        if topic not in self._due:
            self._enter(topic, now + FIRST_NS, 0)
        else:
            due, tries = self._due[topic]
            self._young += tries >= HELD_TRIES
            # A probe that is due anyway stays where it is: no entry in the heap for each event.
            self._due[topic] = (due, 0) if due <= now + FIRST_NS else (now + FIRST_NS, 0)
            if due > now + FIRST_NS:
                heapq.heappush(self._heap, (now + FIRST_NS, topic))

    def due(self, now: int) -> list[str]:
        """Topics to be probed now."""
        found = []
        while self._heap and self._heap[0][0] <= now:
            at, topic = heapq.heappop(self._heap)
            due, tries = self._due[topic]
            if at == due:
                found.append(topic)
                self._young -= tries < HELD_TRIES
                self._enter(topic, now + (FIRST_NS << min(tries, DOUBLED_MAX)), tries + 1)
        return found

    def deadline(self) -> int | None:
        """When the next probe is due, or one that is not needed any more."""
        return self._heap[0][0] if self._heap else None

    @property
    def holds(self) -> bool:
        """True while some topic was published on not long ago."""
        return self._young > 0

    def _enter(self, topic: str, due: int, tries: int) -> None:
        self._due[topic] = due, tries
        self._young += tries < HELD_TRIES
        heapq.heappush(self._heap, (due, topic))
