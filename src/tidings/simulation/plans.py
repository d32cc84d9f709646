"""What brokers do with events, as numbers: the links to send to and the clients to show it to, each combination once."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tidings.simulation.columns import Ints
from tidings.simulation.flow_state import PLAN, Records

ENTRIES_MAX: Final = 1 << 22
"""Clients and links of all plans together; beyond it is time to forget them."""
_ROOM: Final = 64


class Plans:
    """Combinations that were met, until they are too many."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, tuple[int, ...], bytes], int] = {}
        self._plans = _Growing(PLAN)
        self._links = _Growing(np.int32)
        self._clients = _Growing(np.int64)

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def is_full(self) -> bool:
        """True when it is time to begin anew."""
        return len(self._plans) + len(self._links) + len(self._clients) > ENTRIES_MAX

    @property
    def arrays(self) -> tuple[Records, NDArray[np.int32]]:
        """Plans and links as the kernel takes them, with room behind; valid until the next plan is added."""
        return self._plans.array, self._links.array

    def number(self, broker: int, links: Sequence[int], clients: Ints) -> int:
        """The number of the plan of `broker` to send over these links and to show the event to these clients."""
        key = (broker, tuple(links), clients.tobytes())
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            span = (*self._links.append(links), *self._clients.append(clients))
            self._plans.append(np.array([span], PLAN))
        return number

    def clients(self, numbers: NDArray[Any]) -> tuple[Ints, Ints]:
        """The clients of plans, one plan after the other, and how many each has."""
        plans = self._plans.array[numbers]
        counts = plans["clients_end"] - plans["clients"]
        ends = np.cumsum(counts)
        places = np.repeat(plans["clients"] - ends + counts, counts) + np.arange(counts.sum())
        return self._clients.array[places], counts


class _Growing:
    """An array that doubles when it is full; what is behind its length means nothing."""

    def __init__(self, kind: Any) -> None:
        self.array: NDArray[Any] = np.zeros(_ROOM, kind)
        self._used = 0

    def __len__(self) -> int:
        return self._used

    def append(self, values: Sequence[int] | NDArray[Any]) -> tuple[int, int]:
        """Add values; returns where they stand: from, to."""
        start, end = self._used, self._used + len(values)
        if end > len(self.array):
            self.array = np.concatenate([self.array, np.zeros(max(end, len(self.array)), self.array.dtype)])
        self.array[start:end] = values
        self._used = end
        return start, end
