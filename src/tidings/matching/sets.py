"""Sets of values that are no interval: as their cuts, end to end in one array that all slots share.

A slot's entry is the number of its sets, and for each of them attribute, number of cuts, cuts. What lies behind an odd
number of cuts belongs to the set. Entries of slots that were given up stay until the table is built anew.
"""

import numpy as np
from numpy.typing import NDArray

SlotSet = tuple[int, int, NDArray[np.float64]]
"""Slot, attribute, cuts."""


class SetPool:
    """The entries, and for each slot where its entry begins."""

    def __init__(self, capacity: int) -> None:
        self.starts = np.full(capacity, -1, np.int64)
        """Of each slot; -1 without sets."""
        self.values = np.empty(64)
        self._size = 0

    def double(self) -> None:
        """Make room for twice as many slots."""
        self.starts = np.concatenate([self.starts, np.full_like(self.starts, -1)])

    def write(self, slots: NDArray[np.int64], sets: list[SlotSet]) -> None:
        """Forget what these slots had, and write their sets."""
        self.starts[slots] = -1
        gathered: dict[int, list[float]] = {}
        for slot, attribute, cuts in sets:
            entry = gathered.setdefault(slot, [0.0])
            entry[0] += 1
            entry += [float(attribute), float(cuts.size), *cuts.tolist()]
        for slot, entry in gathered.items():
            self._make_room(len(entry))
            self.starts[slot] = self._size
            self.values[self._size : self._size + len(entry)] = entry
            self._size += len(entry)

    def _make_room(self, size: int) -> None:
        while self._size + size > self.values.size:
            self.values = np.concatenate([self.values, np.empty_like(self.values)])
