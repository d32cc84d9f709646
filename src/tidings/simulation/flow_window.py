"""The events of the compiled path: whole stretches, from the oldest one with an event under way to the newest."""

from collections import deque
from collections.abc import Sequence

import numpy as np

from tidings.simulation.channel import HEADER_BYTES
from tidings.simulation.columns import Ints
from tidings.simulation.flow_state import EVENT, Records
from tidings.simulation.stretch import Stretch
from tidings.vocabulary.event import Event


class FlowWindow:
    """Events by number, which counts them over the run in the order of publication."""

    def __init__(self, origins: Sequence[int]) -> None:
        self._origins = np.array(origins, np.int64)
        self._stretches: deque[Stretch] = deque()
        self.records: Records = np.zeros(0, EVENT)
        """From number `base` on, as the kernel takes them."""
        self.base = 0
        self.ids: Ints = np.zeros(0, np.int64)
        self.trees: Ints = np.zeros(0, np.int64)

    @property
    def end(self) -> int:
        """One behind the last number."""
        return self.base + len(self.records)

    @property
    def now(self) -> int:
        """When the last event is published; 0 before the first."""
        return int(self.records["published_ns"][-1]) if len(self.records) else 0

    def add(self, stretch: Stretch, contents: Ints) -> None:
        """Take in the next stretch; `contents` by place."""
        records = np.zeros(len(stretch), EVENT)
        records["published_ns"], records["expires_ns"] = stretch.published_ns, stretch.expires_ns
        records["bytes"] = stretch.sizes + HEADER_BYTES
        records["origin"] = self._origins[stretch.publishers]
        records["content"] = contents
        self._stretches.append(stretch)
        self.records = np.concatenate([self.records, records])
        self.ids = np.concatenate([self.ids, stretch.ids])
        self.trees = np.concatenate([self.trees, stretch.trees])

    def forget(self, oldest: int) -> None:
        """Let go of stretches whose events all come before number `oldest`."""
        gone = 0
        while self._stretches and self.base + gone + len(self._stretches[0]) <= oldest:
            gone += len(self._stretches.popleft())
        self.records, self.ids, self.trees = self.records[gone:], self.ids[gone:], self.trees[gone:]
        self.base += gone

    def at(self, numbers: Ints) -> list[Event]:
        """Events by number, which must ascend."""
        found: list[Event] = []
        for stretch in self._stretches:
            places = numbers - stretch.first
            inside = (places >= 0) & (places < len(stretch))
            found += stretch.at(places[inside])
        return found
