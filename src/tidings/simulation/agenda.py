"""Virtual time: what is to happen, in order.

Entries at the same instant happen in the order in which they were entered, so a run depends on nothing but its seed.
Background entries (renewals, retries, repairs) do not keep the world going once it is over.
"""

import heapq
from collections.abc import Callable
from typing import Any, TypeAlias

Action: TypeAlias = Callable[[int, Any, Any], None]
"""Called with the instant and the two arguments given to `at`."""


class Agenda:
    """The one queue of a simulated world."""

    __slots__ = ("_background", "_heap", "now", "sequence")

    def __init__(self) -> None:
        self.now = 0
        self.sequence = 0
        """Number of the last entry; whoever has entries of his own counts on it too."""
        self._heap: list[tuple[int, int, Action, Any, Any]] = []
        self._background: set[int] = set()

    def at(self, instant: int, action: Action, one: Any = None, other: Any = None) -> None:
        """Enter what happens at `instant`, which must not lie in the past."""
        assert instant >= self.now, f"{instant} has been over since {self.now}"
        self.sequence = sequence = self.sequence + 1
        heapq.heappush(self._heap, (instant, sequence, action, one, other))

    def in_background(self, instant: int, action: Action, one: Any = None, other: Any = None) -> None:
        """The same for what nobody waits for."""
        self.at(instant, action, one, other)
        self._background.add(self.sequence)

    @property
    def head(self) -> tuple[int, int] | None:
        """Instant and number of the first entry."""
        return self._heap[0][:2] if self._heap else None

    @property
    def is_over(self) -> bool:
        """True when only the background is left."""
        return len(self._heap) == len(self._background)

    def step(self) -> None:
        """Let the first entry happen."""
        instant, sequence, action, one, other = heapq.heappop(self._heap)
        self._background.discard(sequence)
        self.now = instant
        action(instant, one, other)

    def run(self, until: int) -> None:
        """Let everything happen up to and including `until`."""
        heap, background, pop = self._heap, self._background, heapq.heappop
        while heap and heap[0][0] <= until:
            instant, sequence, action, one, other = pop(heap)
            if background:
                background.discard(sequence)
            self.now = instant
            action(instant, one, other)

    def run_out(self) -> None:
        """Let everything happen until only the background is left."""
        while not self.is_over:
            self.step()
