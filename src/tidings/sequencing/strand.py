"""What a subscriber knows of one topic: how far it has read, what came too early, and what it lacks.

Timestamps of a topic are read in the order of their numbers, since each may build on the one before.
"""

from dataclasses import dataclass
from typing import Final

from tidings.errors import PeerError
from tidings.ordering import Timestamp, TimestampReader
from tidings.sequencing.deployment import Deployment
from tidings.sequencing.messages import ASKED_MAX, Published
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import MILLISECOND, SECOND

AHEAD_MAX: Final = 4_096
"""Events of a topic kept that came before their turn; further ones are asked for later."""
PATIENCE_NS: Final = 500 * MILLISECOND
"""How long something may be missing before it is asked for: most of it is only slower than the rest."""
PATIENCE_NS_MAX: Final = 30 * SECOND
JOINING_NS: Final = 50 * MILLISECOND
"""Doubled with every question of who joins: the first comes to the stage before the subscription is known on the way."""
TRIES_HELD: Final = 12


@dataclass(frozen=True, slots=True)
class Arrival:
    """An event, or the hole that one has left (None), and when it came."""

    event: Event | None
    arrived_ns: int


class Strand:
    """One topic of one subscriber."""

    def __init__(self, deployment: Deployment, topic: str, *, starts_at: int | None) -> None:
        """`starts_at`: the number before the first event that the subscriber has; None: it does not know yet."""
        self.topic = topic
        self.read = starts_at or 0
        """Up to here everything has been read."""
        self.joining = starts_at is None
        self.tail = self.read
        """Up to here there are events, as far as we know."""
        self.duplicates = self.refused = 0
        self.tries = 0
        self.since_ns: int | None = None
        """Since when something is missing."""
        self.ask_ns: int | None = None
        self._reader = TimestampReader(topic, deployment.topics)
        self._early: dict[int, tuple[Published, int]] = {}

    def begin(self, number: int, now: int) -> None:
        """Everything after `number` is ours."""
        self.joining, self.read, self.tail = False, number, number
        self.look(now)

    def receive(self, message: Published, now: int) -> None:
        """Keep an event until its turn comes."""
        if message.number <= self.read or message.number in self._early:
            self.duplicates += 1
        elif message.number > self.read + AHEAD_MAX:
            self.refused += 1
            self.reaches(message.number)
        else:
            self._early[message.number] = message, now
            self.reaches(message.number)

    def reaches(self, number: int) -> None:
        """There are events up to `number`. No claim makes us look further ahead than we can keep."""
        self.tail = max(self.tail, min(number, self.read + AHEAD_MAX))

    def ends_at(self, number: int) -> None:
        """The stage, which was asked for more, has published no further than this."""
        self.tail = max(self.read, min(self.tail, max(number, *self._early, 0)))

    def next(self) -> tuple[Timestamp, Arrival] | None:
        """The event whose turn it is; None while it is missing, or cannot be read and must be asked for.

        Whoever takes it says `advance`; one that nobody takes is missing again.
        """
        found = self._early.pop(self.read + 1, None)
        if found is None:
            return None
        message, arrived_ns = found
        try:
            stamp = self._reader.read(message.stamp)
        except PeerError:
            return None
        if stamp.number != message.number or message.event.topic != self.topic:
            self.refused += 1
            return None
        return stamp, Arrival(message.event, arrived_ns)

    def hole(self, number: int, now: int) -> tuple[Timestamp, Arrival] | None:
        """The next number is gone, if it is missing and `number` or lower: what stands in its place."""
        hole = self.read + 1
        if hole > min(number, self.tail) or hole in self._early:
            return None
        return Timestamp.of(self.topic, {self.topic: hole}), Arrival(None, now)

    def look(self, now: int) -> None:
        """See whether something is missing, and when to ask for it."""
        if not self.joining and self.read >= self.tail:
            self.since_ns = self.ask_ns = None
            self.tries = 0
        elif self.since_ns is None:
            self.since_ns = now
            self.ask_ns = now if self.joining else now + PATIENCE_NS

    def asked(self, now: int) -> None:
        """A question leaves; the next one later, and later still."""
        self.tries += 1
        first_ns = JOINING_NS if self.joining else PATIENCE_NS
        self.ask_ns = now + min(first_ns << min(self.tries, 16), PATIENCE_NS_MAX)

    @property
    def missing(self) -> tuple[int, ...]:
        """The lowest numbers that are missing, as many as one question may name."""
        last = min(self.tail, self.read + ASKED_MAX)
        return tuple(number for number in range(self.read + 1, last + 1) if number not in self._early)

    def advance(self) -> None:
        """The next number is dealt with."""
        self.read += 1
        self.since_ns = self.ask_ns = None
        self.tries = 0
