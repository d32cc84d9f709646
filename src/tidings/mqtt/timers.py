"""Many timers behind one deadline."""

import heapq
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Timers(Generic[Key]):
    """One instant for each key; setting a key again moves it."""

    __slots__ = ("_count", "_heap", "_instants")

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Key]] = []
        self._instants: dict[Key, int] = {}
        self._count = 0

    def set(self, key: Key, instant: int) -> None:
        """Let `key` be due at `instant`, and at no other."""
        self._instants[key] = instant
        self._count += 1
        heapq.heappush(self._heap, (instant, self._count, key))
        if len(self._heap) > 64 + 2 * len(self._instants):
            self._heap = [one for one in self._heap if self._instants.get(one[2]) == one[0]]
            heapq.heapify(self._heap)

    def clear(self, key: Key) -> None:
        """Let `key` not be due at all."""
        self._instants.pop(key, None)

    @property
    def deadline(self) -> int | None:
        """When the next key is due."""
        heap = self._heap
        while heap and self._instants.get(heap[0][2]) != heap[0][0]:
            heapq.heappop(heap)
        return heap[0][0] if heap else None

    def due(self, now: int) -> list[Key]:
        """The keys that are due by `now`, in the order of their instants; they are no longer set."""
        found: list[Key] = []
        while (instant := self.deadline) is not None and instant <= now:
            key = heapq.heappop(self._heap)[2]
            del self._instants[key]
            found.append(key)
        return found
