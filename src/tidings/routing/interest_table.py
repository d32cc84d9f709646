"""Who wants what, at one broker in one tree, and what every neighbour must be told.

A neighbour is told the union of what all others want, reduced by covering and merging. Others than neighbours may say what
they want where they stand in for a neighbour that cannot be reached; they are on its side.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from tidings.matching import Aggregate
from tidings.routing.wants import TableOptions, Wanted, Wants
from tidings.vocabulary.event import Event

Difference: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""What a neighbour must be told: texts added, texts removed."""


class InterestTable:
    """The interests of one broker in one tree."""

    __slots__ = ("_aggregates", "_wants")

    def __init__(self, neighbours: Sequence[str], options: TableOptions) -> None:
        self._wants = Wants(neighbours, options)
        self._aggregates = {name: Aggregate(covering=options.covering, merging=options.merging) for name in neighbours}

    @property
    def version(self) -> int:
        """Grows with every change."""
        return self._wants.version

    def change(
        self, source: str, added: Iterable[str], removed: Iterable[str], *, side: str | None = None
    ) -> dict[str, Difference]:
        """`source`, on the side of a neighbour or itself one, wants more or less; what the other neighbours must be told."""
        added, removed = tuple(added), tuple(removed)
        self._wants.change(source, added, removed)
        return self._tell(source if side is None else side, added, removed)

    def subscribe(self, wishes: Mapping[int, str]) -> dict[str, Difference]:
        """Clients want more: filter texts by key. A key that is known must come with the same text, or be removed first."""
        return self._tell(None, self._wants.subscribe(wishes), ())

    def unsubscribe(self, keys: Iterable[int]) -> dict[str, Difference]:
        """Clients want less; unknown keys are ignored."""
        return self._tell(None, (), self._wants.unsubscribe(keys))

    def wanted(self, event: Event) -> Wanted:
        """Who wants `event`."""
        return self._wants.wanted(event)

    def wanted_many(self, events: Sequence[Event]) -> list[Wanted]:
        """The same for many events at once, whose contents should differ."""
        return self._wants.wanted_many(events)

    def __len__(self) -> int:
        return len(self._wants)

    def _tell(self, source: str | None, added: tuple[str, ...], removed: tuple[str, ...]) -> dict[str, Difference]:
        told = {}
        for name, aggregate in self._aggregates.items():
            if name != source:
                difference = aggregate.change(added, removed)
                if difference != ((), ()):
                    told[name] = difference
        return told
