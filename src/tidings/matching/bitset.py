"""The matcher for many filters: tables of bits, and the plain way where that is quicker."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tidings.matching.limits import (
    BATCH_MAX,
    INSERTIONS_MIN,
    PLAIN_PAIRS_MAX,
    SHRINK_BELOW,
    WAITING_MAX,
    WAITING_PAIRS_MAX,
)
from tidings.matching.matcher import check_key
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import Filter
from tidings.vocabulary.predicate import Predicate, predicate

if TYPE_CHECKING:
    from tidings.matching.table import Table


class BitsetMatcher:
    """Answers like `LinearMatcher`, many times as fast when there are many filters.

    Additions and removals are noted and done at the next match, all together. Up to WAITING_MAX filters there is no
    table and nothing is compiled: a small matcher is a dictionary.
    """

    def __init__(self) -> None:
        self._wishes: dict[int, Filter] = {}
        self._waiting: dict[int, Filter] = {}
        """The filters that are not in the table yet."""
        self._predicates: dict[int, Predicate] = {}
        """Of filters that were evaluated one by one before."""
        self._gone: dict[int, None] = {}
        """Keys whose filters are still in the table."""
        self._table: Table | None = None
        self._laid_out_for = 0

    def add(self, key: int, wish: Filter) -> None:
        """Keep `wish` under `key`; raises ValueError when the key is taken or negative."""
        check_key(key, key in self._wishes)
        self._wishes[key] = self._waiting[key] = wish

    def add_many(self, items: Iterable[tuple[int, Filter]]) -> None:
        """Keep many at once; raises ValueError at the first key that is taken or negative."""
        for key, wish in items:
            self.add(key, wish)

    def remove(self, key: int) -> None:
        """Forget the filter under `key`; raises KeyError when there is none."""
        del self._wishes[key]
        self._predicates.pop(key, None)
        if self._waiting.pop(key, None) is None:
            self._gone[key] = None

    def match(self, events: Sequence[Event]) -> list[NDArray[np.int64]]:
        """For each event the keys whose filters hold, ascending."""
        table = self._settled(len(events))
        if table is None:
            return self._one_by_one(events)
        found: list[NDArray[np.int64]] = []
        for start in range(0, len(events), BATCH_MAX):
            found += self._match_batch(table, events[start : start + BATCH_MAX])
        return found

    def __len__(self) -> int:
        """How many filters are kept."""
        return len(self._wishes)

    def _settled(self, events: int) -> "Table | None":
        """The table with all that was noted done, or None while the plain way is quicker."""
        waiting = len(self._waiting)
        if self._table is None:
            if waiting > WAITING_MAX or waiting * events > PLAIN_PAIRS_MAX:
                self._insert()
            return self._table
        if self._gone:
            self._table.remove(self._gone)
            self._gone.clear()
            if len(self._wishes) * SHRINK_BELOW < self._laid_out_for:
                self._table, self._waiting = None, dict(self._wishes)
                return self._settled(events)
        if waiting > WAITING_MAX or waiting * events > WAITING_PAIRS_MAX:
            self._insert()
        return self._table

    def _insert(self) -> None:
        """Put what waits into the table, or into a new one when the old one was laid out for half as many."""
        table = self._table
        worn = table is None or table.inserted + len(self._waiting) > max(self._laid_out_for, INSERTIONS_MIN)
        if worn or table is None or not table.insert(self._waiting.items()):
            from tidings.matching.table import Table  # noqa: PLC0415 - brings Numba, which small matchers do not need

            self._table = Table(self._wishes.items())
            self._laid_out_for = len(self._wishes)
        self._waiting.clear()

    def _match_batch(self, table: "Table", events: Sequence[Event]) -> list[NDArray[np.int64]]:
        found = table.find(events, self._decides)
        if not self._waiting:
            return found
        both = zip(found, self._one_by_one(events), strict=True)
        return [np.sort(np.concatenate(keys)) if keys[1].size else keys[0] for keys in both]

    def _one_by_one(self, events: Sequence[Event]) -> list[NDArray[np.int64]]:
        """What the waiting filters want."""
        wanting = [(key, self._predicate(key)) for key in sorted(self._waiting)]
        return [np.array([key for key, wants in wanting if wants(event)], dtype=np.int64) for event in events]

    def _decides(self, key: int, event: Event) -> bool:
        return self._predicate(key)(event)

    def _predicate(self, key: int) -> Predicate:
        known = self._predicates.get(key)
        if known is None:
            known = self._predicates[key] = predicate(self._wishes[key])
        return known
