"""The last delay differences that a receiver has measured, and what is read from them at once."""

from bisect import bisect_left, insort
from collections import deque
from typing import Final

from tidings.errors import InputError

SAMPLES_MAX: Final = 1_000_000


class Samples:
    """The newest `size` differences without their signs, in whole nanoseconds: sums stay exact for ever."""

    __slots__ = ("_newest", "_ordered", "size", "total_ns")

    def __init__(self, size: int) -> None:
        if not 1 <= size <= SAMPLES_MAX:
            raise InputError(f"samples = {size} must be a whole number from 1 to {SAMPLES_MAX}")
        self.size = size
        self.total_ns = 0
        """Sum of all that are in."""
        self._newest: deque[int] = deque()
        self._ordered: list[int] = []

    def __len__(self) -> int:
        return len(self._ordered)

    def add(self, difference_ns: int) -> None:
        """Take one in, the oldest out when there are `size`."""
        absolute = abs(difference_ns)
        if len(self._newest) == self.size:
            oldest = self._newest.popleft()
            del self._ordered[bisect_left(self._ordered, oldest)]
            self.total_ns -= oldest
        self._newest.append(absolute)
        insort(self._ordered, absolute)
        self.total_ns += absolute

    def ranked_ns(self, rank: int) -> int:
        """The `rank`-th smallest, 1 ≤ rank ≤ how many there are."""
        return self._ordered[rank - 1]

    @property
    def squares_ns2(self) -> int:
        """Sum of the squares of all that are in."""
        return sum(one * one for one in self._ordered)
