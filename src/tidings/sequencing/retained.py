"""What a stage keeps of the events that it has published, for those who missed them."""

from collections import deque
from dataclasses import dataclass
from typing import Final

from tidings.ordering import Timestamp
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import HOUR

EVENT_BYTES: Final = 256
"""What an event is taken to need beside its payload and its timestamp."""


@dataclass(frozen=True, slots=True)
class Retention:
    """How much is kept at most; the oldest goes first."""

    lasting_ns: int = HOUR
    bytes_max: int = 1 << 30


@dataclass(frozen=True, slots=True)
class Kept:
    """A published event."""

    event: Event
    stamp: Timestamp
    since_ns: int

    @property
    def size(self) -> int:
        """In bytes, roughly."""
        return EVENT_BYTES + self.event.payload_bytes + self.stamp.numbers.nbytes


class Retained:
    """All topics of a stage. What is kept of a topic is always its last events, without a hole."""

    def __init__(self, retention: Retention) -> None:
        self._retention = retention
        self._by_number: dict[tuple[str, int], Kept] = {}
        self._in_order: deque[tuple[str, int]] = deque()
        self._bytes = 0
        self._gone: dict[str, int] = {}

    def keep(self, kept: Kept) -> None:
        """The next event of its topic, `kept.since_ns` being now."""
        key = kept.stamp.topic, kept.stamp.number
        self._by_number[key] = kept
        self._in_order.append(key)
        self._bytes += kept.size
        self.forget(kept.since_ns)

    def forget(self, now: int) -> None:
        """Let go of what is too old, or too much."""
        while self._in_order:
            oldest = self._by_number[self._in_order[0]]
            if self._bytes <= self._retention.bytes_max and now - oldest.since_ns <= self._retention.lasting_ns:
                return
            del self._by_number[self._in_order.popleft()]
            self._bytes -= oldest.size

    def find(self, topic: str, number: int) -> Kept | None:
        """The event, unless it is gone: what somebody was told to be gone is so for everybody."""
        return None if number <= self.gone(topic) else self._by_number.get((topic, number))

    def gone(self, topic: str) -> int:
        """Everything up to this number has been said to be gone."""
        return self._gone.get(topic, 0)

    def say_gone(self, topic: str, number: int) -> None:
        """From now on everything of the topic up to this number is gone, kept or not."""
        self._gone[topic] = max(number, self.gone(topic))
