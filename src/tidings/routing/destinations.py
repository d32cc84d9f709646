"""Which brokers and clients want an event, where events are addressed to brokers: every broker knows what each one wants.

What a broker says of itself is the union of its clients' wishes, reduced by covering and merging.
"""

from collections.abc import Iterable, Mapping, Sequence

from tidings.matching import Aggregate
from tidings.routing.wants import TableOptions, Wanted, Wants
from tidings.vocabulary.event import Event


class DestinationTable:
    """The wishes of one broker's clients, and of all other brokers."""

    __slots__ = ("_own", "_texts", "_wants")

    def __init__(self, others: Sequence[str], options: TableOptions) -> None:
        self._wants = Wants(others, options)
        self._own = Aggregate(covering=options.covering, merging=options.merging)
        self._texts: dict[str, dict[str, None]] = {name: {} for name in others}

    @property
    def version(self) -> int:
        """Grows with every change."""
        return self._wants.version

    @property
    def announced(self) -> tuple[str, ...]:
        """What the clients want together, sorted: this broker says so of itself."""
        return self._own.announced

    def replace(self, broker: str, texts: Iterable[str]) -> None:
        """`broker` says all that it wants from now on."""
        before, after = self._texts[broker], dict.fromkeys(texts)
        self._texts[broker] = after
        added = tuple(text for text in after if text not in before)
        removed = tuple(text for text in before if text not in after)
        if added or removed:
            self._wants.change(broker, added, removed)

    def subscribe(self, wishes: Mapping[int, str]) -> None:
        """Clients want more: filter texts by key."""
        self._own.change(self._wants.subscribe(wishes), ())

    def unsubscribe(self, keys: Iterable[int]) -> None:
        """Clients want less; unknown keys are ignored."""
        self._own.change((), self._wants.unsubscribe(keys))

    def wanted(self, event: Event) -> Wanted:
        """The other brokers and the clients that want `event`."""
        return self._wants.wanted(event)

    def wanted_many(self, events: Sequence[Event]) -> list[Wanted]:
        """The same for many events at once, whose contents should differ."""
        return self._wants.wanted_many(events)

    def __len__(self) -> int:
        return len(self._wants)
