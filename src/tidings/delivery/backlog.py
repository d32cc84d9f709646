"""Events that wait for a client that is out of reach: in order, bounded, and without those whose lifetime is over."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final

from tidings.vocabulary.event import Event

BACKLOG_MAX: Final = 65_536
"""Events that wait for one client, at most; the oldest go first."""


class Backlog:
    """Counts places from 0 as events come; a place is never used again."""

    __slots__ = ("_events", "_most", "first")

    def __init__(self, most: int = BACKLOG_MAX) -> None:
        self._most = most
        self._events: deque[Event] = deque()
        self.first = 0
        """Place of the oldest event that is still here."""

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    @property
    def end(self) -> int:
        """Place of the next event that comes."""
        return self.first + len(self._events)

    def add(self, event: Event) -> Event | None:
        """One more; returns the oldest when there is no room for both."""
        self._events.append(event)
        return self._leave() if len(self._events) > self._most else None

    def forget_before(self, place: int) -> None:
        """Those at earlier places are in other hands."""
        while self._events and self.first < place:
            self._leave()

    def forget(self, event_ids: Iterable[int]) -> None:
        """These are in other hands, mostly the oldest; nobody may be going by places at the time."""
        for event_id in event_ids:
            if self._events and self._events[0].id == event_id:
                self._leave()
            else:
                self._events = deque(event for event in self._events if event.id != event_id)

    def some(self, start: int, most: int) -> tuple[int, tuple[Event, ...]]:
        """Events from `start` on, at most so many, and the place of the first of them."""
        start = max(start, self.first)
        offset = min(start - self.first, len(self._events))
        return start, tuple(self._events[place] for place in range(offset, min(offset + most, len(self._events))))

    def take_all(self) -> list[Event]:
        """All of them, which are then no longer here."""
        events = list(self._events)
        self.first += len(events)
        self._events.clear()
        return events

    def take_expired(self, now: int) -> list[Event]:
        """The oldest as long as their lifetimes are over; one that lives longer hides those behind it."""
        expired = []
        while self._events and self._events[0].expired(now):
            expired.append(self._leave())
        return expired

    def _leave(self) -> Event:
        self.first += 1
        return self._events.popleft()
