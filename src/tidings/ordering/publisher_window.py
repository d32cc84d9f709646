"""What holds back the events of one publisher in one incarnation, for the sake of their order.

**The rule.** Held events are shown by ascending number. The lowest of them, the *head*, is shown when nothing that may
matter is missing below it, or when its latch is over: τ = max(0, reach − δ) after its arrival, δ being the time from
the departure of the latest missing event that may matter to its own. What stands above the head waits for it, even
when its own latch is over. That is what keeps the promise: an event is overtaken only if its delay exceeds
that of the *next one shown* by more than the reach. Were everything shown as soon as any latch is over, the
smallest delay of many followers would decide, and far more than the tolerance would be overtaken.

A reach is taken at an event's arrival, before its own delay is among the samples: else the two would be dependent.
"""

import heapq
from bisect import insort
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tidings.ordering.publication_record import Past, Stamp
from tidings.vocabulary.event import Event, split_event_id
from tidings.vocabulary.instant import FOREVER


@dataclass(frozen=True, slots=True)
class Held:
    """An event that has come, and what is needed to judge how long it may be held."""

    event: Event
    stamp: Stamp
    arrived_ns: int
    hold_ns: int
    """The longest to hold it."""
    reach_ns: int | None
    """None: hold it for all of `hold_ns`, whatever the departures."""
    due_ns: int
    """To be shown by then at the latest, whatever is missing."""

    @property
    def number(self) -> int:
        """The publisher's number."""
        return split_event_id(self.event.id)[1]


class PublisherWindow:
    """The events of one publisher's incarnation that wait, and how far showing has come."""

    __slots__ = ("_due", "_held", "_may_matter", "_numbers", "_remembered", "_settled", "floor")

    def __init__(self, first: int, may_matter: Callable[[Past], bool], remembered: int) -> None:
        """`first` is where the incarnation's numbers begin; `remembered`: how many settled ones are known again."""
        self.floor = first
        """The lowest number that is still waited for, if anything is."""
        self._may_matter = may_matter
        self._remembered = remembered
        self._settled: dict[int, None] = {}
        self._held: dict[int, Held] = {}
        self._numbers: list[int] = []
        self._due: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return len(self._numbers)

    def knows(self, number: int) -> bool:
        """True when it is held, or among the last that were settled: a duplicate."""
        return number in self._held or number in self._settled

    def add(self, held: Held) -> None:
        """Take in an event that is not known, at or above the floor."""
        number = held.number
        insort(self._numbers, number)
        self._held[number] = held
        if held.due_ns < FOREVER:
            heapq.heappush(self._due, (held.due_ns, number))

    def settle(self, number: int) -> None:
        """Nobody has to wait for this one any more: it was shown, or will never be."""
        if len(self._settled) == self._remembered:
            del self._settled[next(iter(self._settled))]
        self._settled[number] = None
        while self.floor in self._settled:
            self.floor += 1

    def release(self, now: int) -> Iterator[Held]:
        """Hand out what is to be shown by now, in order."""
        while self._numbers and (self._released_ns() <= now or self._forced_ns() <= now):
            yield self.pop()

    def pop(self) -> Held:
        """Hand out the head, whether its time has come or not; what is missing below it is given up."""
        number = self._numbers.pop(0)
        self.floor = number + 1
        self.settle(number)
        return self._held.pop(number)

    def deadline(self) -> int | None:
        """When there is something to hand out next."""
        return min(self._released_ns(), self._forced_ns()) if self._numbers else None

    def _forced_ns(self) -> int:
        """The first instant at which a held event may not be held any longer, nor what stands below it."""
        while self._due and self._due[0][1] < self.floor:
            heapq.heappop(self._due)
        return self._due[0][0] if self._due else FOREVER

    def _released_ns(self) -> int:
        """When the head's latch is over; its arrival when nothing is missing."""
        head = self._held[self._numbers[0]]
        departed_ns = self._latest_missing_ns(head)
        if departed_ns is None:
            return head.arrived_ns
        if head.reach_ns is None:
            return head.arrived_ns + head.hold_ns
        # Departures that run backwards say nothing: then the gap counts as 0, which is the longest wait.
        gap_ns = max(0, head.event.published_ns - departed_ns)
        return head.arrived_ns + min(head.hold_ns, max(0, head.reach_ns - gap_ns))

    def _latest_missing_ns(self, head: Held) -> int | None:
        """Departure of the latest event below the head that is missing and may matter, or the latest it can have been.

        Below the record of the head nothing is known but that it departed no later than the oldest in the record.
        """
        number, departed_ns = head.number, head.event.published_ns
        for past in head.stamp.before:
            number -= 1
            if number < self.floor:
                return None
            departed_ns = past.departed_ns
            if number not in self._settled and self._may_matter(past):
                return departed_ns
        return departed_ns if number > self.floor else None
