"""Who wants what, at one broker: others by filter texts, clients by keys; and what an event means for all of them.

Others are whoever the broker passes events to: its neighbours in a tree, or brokers that events are addressed to.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidings.matching import Matcher
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter_parser import parsed

Ahead: TypeAlias = Callable[[Event, int], Sequence[Event]]
"""Up to so many events worth matching together with this one, which comes first. Changes speed only."""

AHEAD_MAX: Final = 4096
ANSWERS_MAX: Final = 4096
"""Contents of single events that answers are remembered for."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Who wants an event: others in their order, clients by ascending key."""

    others: tuple[str, ...]
    clients: NDArray[np.int64]


NOBODY: Final = Wanted((), np.empty(0, np.int64))


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """How a table works, the same for all tables of a broker."""

    new_matcher: Callable[[], Matcher]
    covering: bool = True
    merging: bool = False
    ahead: Ahead = lambda event, _count: (event,)


class Wants:
    """Wishes of others and of clients."""

    __slots__ = (
        "_ahead",
        "_answers",
        "_bits",
        "_clients",
        "_known",
        "_known_before",
        "_masks",
        "_matcher",
        "_options",
        "_since_ns",
        "_slots",
        "_texts",
        "version",
    )

    def __init__(self, others: Sequence[str], options: TableOptions) -> None:
        self._options = options
        self._bits = {name: 1 << position for position, name in enumerate(others)}
        self._matcher = options.new_matcher()
        """Filters of others; the key is a slot, and a text that several want has one slot."""
        self._slots: dict[str, int] = {}
        self._masks: dict[int, int] = {}
        self._clients = options.new_matcher()
        self._texts: dict[int, str] = {}
        self._known: dict[int, Wanted] = {}
        self._known_before: dict[int, Wanted] = {}
        self._ahead = 1
        self._answers: dict[tuple[object, ...], Wanted] = {}
        """By content, of events that nothing was looked at ahead with: stragglers, and those that nobody can foresee."""
        self._since_ns = 0
        """When the first of the events was published that were looked at ahead."""
        self.version = 0
        """Grows with every change."""

    def change(self, source: str, added: Iterable[str], removed: Iterable[str]) -> None:
        """`source`, one of the others or another one from now on, wants more or less."""
        bit = self._bits.setdefault(source, 1 << len(self._bits))
        for text in removed:
            self._withdraw(text, bit)
        for text in added:
            self._announce(text, bit)
        self._forget()

    def subscribe(self, wishes: Mapping[int, str]) -> tuple[str, ...]:
        """Clients want more: filter texts by key; gives the texts of keys that are new.

        A key that is known must come with the same text, or be removed first.
        """
        new = {key: text for key, text in wishes.items() if key not in self._texts}
        self._texts.update(new)
        self._clients.add_many([(key, parsed(text)) for key, text in new.items()])
        self._forget()
        return tuple(new.values())

    def unsubscribe(self, keys: Iterable[int]) -> tuple[str, ...]:
        """Clients want less; gives the texts that they had. Unknown keys are ignored."""
        gone = [(key, self._texts.pop(key)) for key in keys if key in self._texts]
        for key, _ in gone:
            self._clients.remove(key)
        self._forget()
        return tuple(text for _, text in gone)

    def wanted(self, event: Event) -> Wanted:
        """Who wants `event`."""
        known = self._known.get(event.id) or self._known_before.get(event.id)
        return known or self._look_ahead(event)

    def wanted_many(self, events: Sequence[Event]) -> list[Wanted]:
        """The same for many events at once, whose contents should differ."""
        others, clients = self._matcher.match(events), self._clients.match(events)
        return [Wanted(self._others_of(slots), keys) for slots, keys in zip(others, clients, strict=True)]

    def __len__(self) -> int:
        return len(self._slots) + len(self._texts)

    def _forget(self) -> None:
        self._known, self._known_before, self._ahead, self._since_ns = {}, {}, 1, 0
        self._answers = {}
        self.version += 1

    def _look_ahead(self, event: Event) -> Wanted:
        """A straggler is looked at alone: those after it are over or known, and to ask again for each would never end."""
        if event.published_ns < self._since_ns:
            return self._alone(event)
        self._since_ns = event.published_ns
        events = self._options.ahead(event, self._ahead)
        self._ahead = min(self._ahead * 2, AHEAD_MAX)
        if len(events) == 1:
            return self._alone(event)
        contents = [_content(one) for one in events]
        distinct = dict(zip(contents, events, strict=True))
        wanted = dict(zip(distinct, self.wanted_many(tuple(distinct.values())), strict=True))
        self._known_before = self._known
        self._known = {one.id: wanted[content] for one, content in zip(events, contents, strict=True)}
        return self._known[event.id]

    def _alone(self, event: Event) -> Wanted:
        content = _content(event)
        found = self._answers.get(content)
        if found is None:
            if len(self._answers) == ANSWERS_MAX:
                self._answers = {}
            found = self._answers[content] = self.wanted_many((event,))[0]
        return found

    def _others_of(self, slots: NDArray[np.int64]) -> tuple[str, ...]:
        if len(slots) == 0:
            return ()
        wanted = 0
        for slot in slots.tolist():
            wanted |= self._masks[slot]
        return tuple(name for name, bit in self._bits.items() if wanted & bit)

    def _announce(self, text: str, bit: int) -> None:
        slot = self._slots.get(text)
        if slot is None:
            slot = self._slots[text] = self._free_slot()
            self._matcher.add(slot, parsed(text))
            self._masks[slot] = 0
        self._masks[slot] |= bit

    def _withdraw(self, text: str, bit: int) -> None:
        slot = self._slots[text]
        self._masks[slot] &= ~bit
        if not self._masks[slot]:
            self._matcher.remove(slot)
            del self._masks[slot], self._slots[text]

    def _free_slot(self) -> int:
        return next(reversed(self._masks), -1) + 1


def _content(event: Event) -> tuple[object, ...]:
    """Equal for events that every filter treats alike; types count, since 1 and True are equal to Python only."""
    values = event.attributes.values()
    return (event.topic, *event.attributes, *values, *map(type, values))
