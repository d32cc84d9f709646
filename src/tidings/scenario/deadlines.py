"""Deadlines in nanoseconds: one for every publisher, or a multiple of the shortest path from each."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from tidings.scenario.client_tables import SubscriberEntry
from tidings.scenario.schema import unknown
from tidings.scenario.source import Place
from tidings.scenario.world import Publisher
from tidings.vocabulary.instant import FOREVER
from tidings.vocabulary.overlay import Overlay


class Deadlines:
    """Distances are computed once per broker, tables of deadlines once per broker, multiple and set of topics."""

    def __init__(self, graph: Overlay, publishers: Sequence[Publisher]) -> None:
        self._graph, self._publishers = graph, publishers
        self._known = {publisher.id: None for publisher in publishers}
        self._distances: dict[str, Mapping[str, float]] = {}
        self._tables: dict[tuple[str, Fraction, tuple[str, ...] | None], dict[str, int]] = {}

    def check(self, place: Place, entry: SubscriberEntry) -> None:
        """Deadlines for single publishers name publishers that exist."""
        for name, deadline_ns in entry.deadlines.items():
            if name not in self._known:
                where = place.child("deadlines").child(name)
                raise where.wrong(deadline_ns, unknown("publisher", name, self._known))

    def of(self, entry: SubscriberEntry, broker: str, topics: tuple[str, ...] | None) -> tuple[int, Mapping[str, int]]:
        """The deadline for every publisher, and those that differ; `topics` of a subscriber at `broker`."""
        if entry.deadline is None:
            return FOREVER, entry.deadlines
        if entry.deadline.ns is not None:
            return entry.deadline.ns, entry.deadlines
        assert entry.deadline.multiple is not None, "a deadline is a duration or a multiple"
        table = self._table(broker, entry.deadline.multiple, topics)
        return FOREVER, {**table, **entry.deadlines} if entry.deadlines else table

    def _table(self, broker: str, multiple: Fraction, topics: tuple[str, ...] | None) -> dict[str, int]:
        asked = (broker, multiple, topics)
        if asked not in self._tables:
            distances = self._distances_from(broker)
            wanted = None if topics is None else frozenset(topics)
            self._tables[asked] = {
                one.id: _multiple_of(distances[one.broker], multiple)
                for one in self._publishers
                if one.broker in distances and (wanted is None or not one.topics or not wanted.isdisjoint(one.topics))
            }
        return self._tables[asked]

    def _distances_from(self, broker: str) -> Mapping[str, float]:
        if broker not in self._distances:
            self._distances[broker] = self._graph.distances_from(broker)
        return self._distances[broker]


def _multiple_of(distance_ns: float, multiple: Fraction) -> int:
    return min(round(Fraction(distance_ns) * multiple), FOREVER)
