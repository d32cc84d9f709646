"""How often something took how long, in steps."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

STEPS_S: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


class Histogram:
    """Counts by upper bounds."""

    __slots__ = ("_counts", "count", "total")

    def __init__(self) -> None:
        self._counts = [0] * (len(STEPS_S) + 1)
        self.count = 0
        self.total = 0.0

    def add(self, seconds: float) -> None:
        """It took so long once more."""
        self._counts[bisect_left(STEPS_S, seconds)] += 1
        self.count += 1
        self.total += seconds

    def cumulated(self) -> Iterator[tuple[str, int]]:
        """Bounds, and how often it took at most so long; the last bound is infinite."""
        below = 0
        for bound, count in zip((*map(str, STEPS_S), "+Inf"), self._counts, strict=True):
            below += count
            yield bound, below
