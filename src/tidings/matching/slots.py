"""Which slots belong to which filter, and which are free."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


class Slots:
    """Hands out the numbers of slots; those that come back are used again first."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.key_of = np.full(capacity, -1, np.int64)
        """Of each slot, the key that it was last taken for."""
        self._used = 0
        self._free: list[int] = []
        self._slots_of: dict[int, int | list[int]] = {}

    @property
    def room(self) -> int:
        """How many slots can be taken."""
        return self.capacity - self._used + len(self._free)

    def double(self) -> None:
        """Make room for as many again."""
        self.key_of = np.concatenate([self.key_of, np.full(self.capacity, -1, np.int64)])
        self.capacity *= 2

    def take(self, count: int) -> NDArray[np.int64]:
        """So many slots, ascending; there must be room."""
        again = self._free[len(self._free) - min(count, len(self._free)) :]
        del self._free[len(self._free) - len(again) :]
        fresh = count - len(again)
        slots = np.concatenate([np.sort(np.array(again, np.int64)), np.arange(self._used, self._used + fresh)])
        self._used += fresh
        return slots

    def assign(self, keys: list[int], slots: NDArray[np.int64]) -> None:
        """Say whose the slots are that were taken; a key may stand several times."""
        self.key_of[slots] = keys
        if len(set(keys)) == len(keys):
            self._slots_of.update(zip(keys, slots.tolist(), strict=True))
        else:
            self._assign_several(keys, slots.tolist())

    def release(self, keys: Iterable[int]) -> NDArray[np.int64]:
        """Take back the slots of `keys`; keys without any are allowed."""
        back: list[int] = []
        for key in keys:
            slots = self._slots_of.pop(key, None)
            if isinstance(slots, list):
                back += slots
            elif slots is not None:
                back.append(slots)
        self._free += back
        return np.array(back, np.int64)

    def _assign_several(self, keys: list[int], slots: list[int]) -> None:
        slots_of = self._slots_of
        for key, slot in zip(keys, slots, strict=True):
            known = slots_of.get(key)
            if known is None:
                slots_of[key] = slot
            elif isinstance(known, list):
                known.append(slot)
            else:
                slots_of[key] = [known, slot]
