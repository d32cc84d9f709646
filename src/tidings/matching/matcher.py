"""What every matcher promises."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tidings.matching.limits import KEY_MAX
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import Filter


class Matcher(Protocol):
    """A changing set of filters under keys that the caller chooses, asked which of them want an event.

    Keys are small non-negative integers. The answers equal `tidings.vocabulary.filter.holds`, filter by filter.
    """

    def add(self, key: int, wish: Filter) -> None:
        """Keep `wish` under `key`; raises ValueError when the key is taken, negative or beyond KEY_MAX."""
        ...

    def add_many(self, items: Iterable[tuple[int, Filter]]) -> None:
        """Keep many at once, which is cheaper; raises ValueError at the first key that is taken or negative."""
        ...

    def remove(self, key: int) -> None:
        """Forget the filter under `key`; raises KeyError when there is none."""
        ...

    def match(self, events: Sequence[Event]) -> list[NDArray[np.int64]]:
        """For each event the keys whose filters hold, ascending; the arrays must not be written to."""
        ...

    def __len__(self) -> int:
        """How many filters are kept."""
        ...


def check_key(key: int, taken: object) -> None:
    """Raise ValueError when `key` cannot be given to a filter; `taken` is truthy when another has it."""
    if key < 0:
        raise ValueError(f"key {key} is negative: keys count from 0")
    if key > KEY_MAX:
        raise ValueError(f"key {key} is too large: the largest is {KEY_MAX}")
    if taken:
        raise ValueError(f"key {key} is taken: remove it first, or choose another")
