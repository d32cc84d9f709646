"""The plain matcher: one filter after the other. The others are compared with it, and small sets need no more."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tidings.matching.matcher import check_key
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import Filter, holds


class LinearMatcher:
    """Evaluates every filter for every event: work and memory grow with the number of filters."""

    def __init__(self) -> None:
        self._wishes: dict[int, Filter] = {}

    def add(self, key: int, wish: Filter) -> None:
        """Keep `wish` under `key`; raises ValueError when the key is taken or negative."""
        check_key(key, key in self._wishes)
        self._wishes[key] = wish

    def add_many(self, items: Iterable[tuple[int, Filter]]) -> None:
        """Keep many; raises ValueError at the first key that is taken or negative."""
        for key, wish in items:
            self.add(key, wish)

    def remove(self, key: int) -> None:
        """Forget the filter under `key`; raises KeyError when there is none."""
        del self._wishes[key]

    def match(self, events: Sequence[Event]) -> list[NDArray[np.int64]]:
        """For each event the keys whose filters hold, ascending."""
        items = sorted(self._wishes.items(), key=lambda item: item[0])
        return [np.array([key for key, wish in items if holds(wish, event)], dtype=np.int64) for event in events]

    def __len__(self) -> int:
        """How many filters are kept."""
        return len(self._wishes)
