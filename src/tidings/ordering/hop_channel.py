"""A channel between two machines over a network that loses, repeats and reorders: each item once, in the order sent.

The sender numbers its items and keeps each in an *output buffer* until the receiver has acknowledged it; what is not
acknowledged in time is sent again, in order, less and less often while nobody answers. An acknowledgement covers
everything up to its number.
"""

from collections import deque
from dataclasses import dataclass
from typing import Generic, TypeVar

from tidings.errors import PeerError

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Numbered(Generic[Item]):
    """One item on its way."""

    number: int
    """From 1."""
    item: Item


class OutputBuffer(Generic[Item]):
    """The sending end. At most `flight_max` items are on their way at once; others wait for their turn."""

    __slots__ = ("_first", "_flight_max", "_items", "_resend_at", "_resend_ns", "_sent", "_slower", "_wanted", "tries")

    def __init__(self, resend_ns: int, *, flight_max: int = 1_024, slower: int = 0) -> None:
        """`slower`: how often the time between two tries doubles while nothing is acknowledged."""
        self._resend_ns = resend_ns
        self._slower = slower
        self.tries = 0
        """How often the oldest item was sent again."""
        self._flight_max = flight_max
        self._items: deque[Item] = deque()
        self._first = 1
        """The number of the oldest item that is not acknowledged."""
        self._sent = 0
        """How many of the items have been sent since they were last thought lost."""
        self._resend_at: int | None = None
        self._wanted: list[Numbered[Item]] = []

    def __len__(self) -> int:
        """Items that are not acknowledged."""
        return len(self._items)

    def send(self, item: Item, now: int) -> None:
        """Send after all that was sent before."""
        self._items.append(item)
        self._fill(now)

    def acknowledge(self, number: int, now: int) -> None:
        """Everything up to `number` has arrived. Raises PeerError for what was never sent."""
        if number >= self._first + len(self._items):
            raise PeerError(
                f"number {number} is acknowledged, and {self._first + len(self._items) - 1} was the last sent"
            )
        while self._first <= number:
            self._items.popleft()
            self._first += 1
            self._sent = max(0, self._sent - 1)
            self.tries = 0
            self._resend_at = now + self._resend_ns
        self._fill(now)
        if not self._items:
            self._resend_at = None

    def expire(self, now: int) -> None:
        """Send again what should have been acknowledged by now."""
        if self._resend_at is not None and self._resend_at <= now:
            self.tries += 1
            self.repeat(now)

    def repeat(self, now: int) -> None:
        """Send all again that is not acknowledged, and nothing twice that still waits to be drained."""
        self._sent, self._resend_at, self._wanted = 0, None, []
        self._fill(now)

    def deadline(self) -> int | None:
        """When something is to be sent again unless it is acknowledged."""
        return self._resend_at

    def drain(self) -> list[Numbered[Item]]:
        """What is to be sent now, in this order."""
        wanted, self._wanted = self._wanted, []
        return wanted

    def _fill(self, now: int) -> None:
        end = min(len(self._items), self._flight_max)
        for place in range(self._sent, end):
            self._wanted.append(Numbered(self._first + place, self._items[place]))
        self._sent = max(self._sent, end)
        if self._resend_at is None and self._sent:
            self._resend_at = now + (self._resend_ns << min(self.tries, self._slower))


class InputBuffer(Generic[Item]):
    """The receiving end. What comes more than `ahead_max` numbers too early is dropped; it will come again."""

    __slots__ = ("_ahead_max", "_early", "arrived")

    def __init__(self, *, ahead_max: int = 1_024) -> None:
        self._ahead_max = ahead_max
        self._early: dict[int, Item] = {}
        self.arrived = 0
        """The number up to which everything has: what is to be acknowledged, after every item, new or not."""

    def receive(self, frame: Numbered[Item]) -> list[Item]:
        """Take in what has arrived; gives the items that are now next, in order."""
        if self.arrived < frame.number <= self.arrived + self._ahead_max:
            self._early[frame.number] = frame.item
        found = []
        while self.arrived + 1 in self._early:
            self.arrived += 1
            found.append(self._early.pop(self.arrived))
        return found
