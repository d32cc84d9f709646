"""What publishers do: events drawn or replayed, in the order of time, a stretch of virtual time at once.

Every publisher draws from streams of its own. A stretch is as long as gives some thousands of events, so memory does
not grow with the run; its publications are written when each is acknowledged or lost.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from tidings.scenario.world import World
from tidings.simulation.columns import Ints
from tidings.simulation.publishing import Topics, expected_events, source_of
from tidings.simulation.stretch import Cast, Stretch
from tidings.simulation.tables import Tables
from tidings.vocabulary.event import Event
from tidings.vocabulary.records import NULL_NS
from tidings.vocabulary.streams import Streams

EVENTS_PER_STRETCH: Final = 4_096
EVENTS_PER_PUBLISHER: Final = 8
"""A stretch holds as many of each publisher, all in all, so that many publishers do not mean many small arrays."""
AHEAD_CELLS_MAX: Final = 1_000_000
"""Events worth matching ahead, times brokers and trees that each keep the answers."""


class Workload:
    """All publishers of a world together."""

    def __init__(self, world: World, streams: Streams, folder: Tables) -> None:
        self._folder = folder
        topics = Topics([topic.name for topic in world.topics])
        self._sources = [source_of(world, index, topics, streams) for index in range(len(world.publishers))]
        tree_of = {topic: number for number, tree in enumerate(world.trees) for topic in tree.topics}
        self._cast = Cast([publisher.id for publisher in world.publishers], topics, tree_of)
        self._codes = np.array([folder.code(name) for name in self._cast.publishers], np.int64)
        self._step_ns = _stretch_ns(world)
        self._duration_ns = world.duration_ns
        self._open: deque[Stretch] = deque()
        self._ahead_max = max(16, AHEAD_CELLS_MAX // (len(world.brokers) * max(1, len(world.trees))))
        self.published = 0

    def stretches(self) -> Iterator[Stretch]:
        """One after the other; ask for the next when the last one's time has come."""
        start = 0
        while start < self._duration_ns and self._sources:
            end = min(start + self._step_ns, self._duration_ns)
            drawn = [source.until(end) for source in self._sources]
            stretch = Stretch(drawn, first=self.published, cast=self._cast)
            if len(stretch):
                self._open.append(stretch)
                self.published += len(stretch)
                yield stretch
            start = end

    def ahead(self, event: Event, count: int) -> Sequence[Event]:
        """This event and those after it in its tree, as many as are drawn and asked for."""
        for stretch in reversed(self._open):
            place = stretch.place(event.id)
            if place is not None:
                return stretch.ahead(place, min(count, self._ahead_max))
        return (event,)

    # ---- what becomes of events

    def acknowledged(self, event_id: int, now: int) -> None:
        """The publisher has heard that its event was taken; hearing it twice changes nothing."""
        for stretch in reversed(self._open):
            place = stretch.place(event_id)
            if place is not None:
                stretch.decide_one(place, now)
                return

    def lost(self, event_id: int) -> None:
        """The event will not be acknowledged, unless another copy of it is."""
        self.acknowledged(event_id, NULL_NS)

    def decided(self, numbers: Ints, instants: Ints) -> None:
        """Events, counted over the run, were acknowledged then; `NULL_NS`: will not be."""
        while len(numbers):
            stretch = self._open[bisect_right(self._open, int(numbers[0]), key=lambda one: one.first) - 1]
            places = numbers - stretch.first
            inside = (places >= 0) & (places < len(stretch))
            stretch.decide(places[inside], instants[inside])
            numbers, instants = numbers[~inside], instants[~inside]

    # ---- what is written

    def write_decided(self) -> None:
        """Write the publications of finished stretches, but keep the last two for those who look ahead."""
        while len(self._open) > 2 and not self._open[0].undecided:
            self._write(self._open.popleft())

    def close(self) -> None:
        """Write all that is left; what is undecided was never acknowledged."""
        while self._open:
            self._write(self._open.popleft())

    def _write(self, stretch: Stretch) -> None:
        topics = np.array([self._folder.code(name) for name in self._cast.topics.names], np.int64)
        self._folder.write("publications", stretch.rows(self._codes, topics))


def _stretch_ns(world: World) -> int:
    rate = sum(expected_events(publisher, world.duration_ns) for publisher in world.publishers) / world.duration_ns
    events = max(EVENTS_PER_STRETCH, EVENTS_PER_PUBLISHER * len(world.publishers))
    return max(1, round(min(events / rate, 2**62))) if rate > 0 else world.duration_ns
