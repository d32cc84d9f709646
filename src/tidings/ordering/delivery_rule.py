"""When a subscriber may be shown an event: the rule, and the window that holds events back until it holds.

The subscriber keeps, for each of its topics, the number of the last event shown. An event may be shown when it is the
next of its own topic and every other number in its timestamp, as far as the subscriber has the topic, is just what it
has been shown. Entries of topics that it does not have say nothing to it and are ignored.
"""

from collections.abc import Collection, Mapping
from enum import Enum
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tidings.errors import InputError, PeerError
from tidings.ordering.timestamp import Layout, Timestamp

Item = TypeVar("Item")


class Verdict(Enum):
    """What the rule says about an event."""

    SHOW = "now"
    WAIT = "something that comes before it has not been shown"
    LATE = "it has been shown already, or something that comes after it has"


class SubscriberClock:
    """The number of the last event shown, by topic."""

    __slots__ = ("_exact", "_numbers", "_relevant")

    def __init__(
        self, topics: Collection[str], numbers: Mapping[str, int] | None = None, *, exact: bool = True
    ) -> None:
        """Starts with nothing shown.

        Args:
            topics: that the subscriber has.
            numbers: where it starts (0 where absent).
            exact: other topics' numbers in a timestamp must be just what has been shown. Else they must have been
                shown, and what has been shown beyond them does not matter: the weaker rule, for timestamps that may
                name topics with which an event is not put in order any more.
        """
        self._exact = exact
        self._numbers = {topic: (numbers or {}).get(topic, 0) for topic in sorted(topics)}
        self._relevant: dict[str, tuple[Layout, tuple[list[str], NDArray[np.int64]]]] = {}

    def __getitem__(self, topic: str) -> int:
        return self._numbers[topic]

    def verdict(self, stamp: Timestamp) -> Verdict:
        """What the rule says; see `awaited` for what a waiting event waits for."""
        if stamp.number <= self._last(stamp.topic):
            return Verdict.LATE
        others = [(number, self._numbers[topic]) for topic, number in self.others(stamp)]
        if self._exact and any(number < shown for number, shown in others):
            return Verdict.LATE
        waits = stamp.number > self._numbers[stamp.topic] + 1 or any(number > shown for number, shown in others)
        return Verdict.WAIT if waits else Verdict.SHOW

    def awaited(self, stamp: Timestamp) -> tuple[str, int] | None:
        """A topic and number that must have been shown before this event; None when there is no such."""
        if stamp.number > self._last(stamp.topic) + 1:
            return stamp.topic, stamp.number - 1
        for topic, number in self.others(stamp):
            if number > self._numbers[topic]:
                return topic, number
        return None

    def others(self, stamp: Timestamp) -> list[tuple[str, int]]:
        """What the timestamp says of the subscriber's other topics."""
        topics, places = self._others(stamp)
        return list(zip(topics, stamp.numbers[places].tolist(), strict=True))

    def show(self, stamp: Timestamp) -> None:
        """Note that an event was shown; the verdict on it was SHOW."""
        assert stamp.number == self._numbers[stamp.topic] + 1, "events of a topic are shown one after the other"
        self._numbers[stamp.topic] = stamp.number

    def begin(self, topic: str, number: int) -> None:
        """The subscriber has `topic` from the event after this one on. All before count as shown."""
        self._numbers[topic] = number
        self._relevant.clear()

    def forget(self, topic: str) -> None:
        """The subscriber does not have `topic` any more."""
        del self._numbers[topic]
        self._relevant.clear()

    def _last(self, topic: str) -> int:
        if topic not in self._numbers:
            raise PeerError(f"an event of topic {topic} came to a subscriber that does not have it")
        return self._numbers[topic]

    def _others(self, stamp: Timestamp) -> tuple[list[str], NDArray[np.int64]]:
        """The subscriber's other topics in the timestamp, and where. Worked out once for each layout."""
        known = self._relevant.get(stamp.topic)
        if known is None or known[0] is not stamp.layout:
            places = stamp.layout.place
            topics = [topic for topic in self._numbers if topic in places and topic != stamp.topic]
            found = topics, np.array([places[topic] for topic in topics], np.int64)
            known = self._relevant[stamp.topic] = (stamp.layout, found)
        return known[1]


class OrderedWindow(Generic[Item]):
    """Holds events back until the rule lets them be shown; each waits for one number at a time.

    A late event that was never shown can only come when something else has gone wrong. It is kept among those that wait
    and never shown, so that the failure can be seen.
    """

    __slots__ = ("_held", "_limit", "_waiting", "clock", "duplicates", "refused")

    def __init__(
        self,
        topics: Collection[str],
        numbers: Mapping[str, int] | None = None,
        *,
        held_max: int = 65_536,
        exact: bool = True,
    ) -> None:
        """`held_max`: with so many events held back, further ones are not taken until they can be shown at once.

        The rest as for `SubscriberClock`.
        """
        if not topics:
            raise InputError("a subscriber needs at least one topic")
        self.clock = SubscriberClock(topics, numbers, exact=exact)
        self.duplicates = 0
        """Events that had come before; they were dropped."""
        self.refused = 0
        """Events not taken for want of room; they must be asked for again."""
        self._limit = held_max
        self._held: dict[tuple[str, int], tuple[Timestamp, Item]] = {}
        self._waiting: dict[tuple[str, int], list[tuple[str, int]]] = {}

    @property
    def held(self) -> int:
        """How many events are held back."""
        return len(self._held)

    def missing(self) -> list[tuple[str, int]]:
        """Topics and numbers that others wait for and that have not come, in the order of their names."""
        return sorted(awaited for awaited in self._waiting if awaited not in self._held)

    def receive(self, stamp: Timestamp, item: Item) -> list[Item]:
        """Take in an event; gives what may be shown now, in order."""
        key = stamp.topic, stamp.number
        awaited = self.clock.awaited(stamp)
        if stamp.number <= self.clock[stamp.topic] or key in self._held:
            self.duplicates += 1
        elif awaited is not None and len(self._held) >= self._limit:
            self.refused += 1
        else:
            self._held[key] = stamp, item
            return self._shown([key])
        return []

    def begin(self, topic: str, number: int) -> None:
        """Take `topic` on, from the event after this one on."""
        self.clock.begin(topic, number)

    def forget(self, topics: Collection[str]) -> list[Item]:
        """Give `topics` up, with what is held of them; gives what need not wait for them any more, in order."""
        for topic in topics:
            self.clock.forget(topic)
        for key in [key for key in self._held if key[0] in topics]:
            del self._held[key]
        waiting = {awaited: [key for key in keys if key in self._held] for awaited, keys in self._waiting.items()}
        self._waiting = {awaited: keys for awaited, keys in waiting.items() if keys and awaited[0] not in topics}
        return self._shown([key for awaited, keys in waiting.items() if awaited[0] in topics for key in keys])

    def _shown(self, candidates: list[tuple[str, int]]) -> list[Item]:
        """Show what can be, and look again at what waited for it."""
        shown = []
        for key in candidates:
            stamp, item = self._held[key]
            awaited = self.clock.awaited(stamp)
            if awaited is not None:
                self._waiting.setdefault(awaited, []).append(key)
            elif self.clock.verdict(stamp) is Verdict.SHOW:
                self.clock.show(stamp)
                del self._held[key]
                shown.append(item)
                candidates += self._waiting.pop(key, ())
        return shown
