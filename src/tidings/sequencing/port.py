"""The face that every endpoint of an order turns to its network, whatever that is.

An endpoint is a pure machine: it is told messages with the names that they came on, and says what it wants. The network
must do three things for it: publish a payload on a name, deliver what is published on a name to those who listen there,
and let an endpoint begin or stop listening. It may lose, repeat, delay and reorder, and need not say when it has
understood that somebody listens.

The order of wishes is that of `tidings.vocabulary.machine`: nothing is told or shown before every record in `store` is on
disk, and no batch overtakes one that still waits for the disk.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tidings.sequencing.messages import Message
from tidings.vocabulary.event import Event


@dataclass(frozen=True, slots=True)
class Showing:
    """An event for the application."""

    event: Event
    arrived_ns: int
    late: bool = False
    """Tagged: not in the order promised."""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """An event that will not be shown, or not be published."""

    event: Event
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamping:
    """What a complete timestamp cost; a row of the table `timestamps`."""

    event: int
    topic: str
    number: int
    version: int
    term: int
    requested_ns: int
    stages: int
    entries: int
    size: int
    """Bytes as it travels."""


@dataclass(slots=True)
class Wishes:
    """One batch."""

    store: list[bytes] = field(default_factory=list)
    listen: list[str] = field(default_factory=list)
    leave: list[str] = field(default_factory=list)
    """Names on which the endpoint does not listen any more."""
    tell: list[tuple[str, Message]] = field(default_factory=list)
    """Publish a message on a name."""
    show: list[Showing] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)
    """Identities of events that are on a stage's log: the publisher's application may know."""
    joined: bool = False
    """The subscription is entered: what is published from now on is owed."""
    given_up: list[GivenUp] = field(default_factory=list)
    stamped: list[Stamping] = field(default_factory=list)


class Endpoint(Protocol):
    """A publisher, a stage or a subscriber."""

    def receive(self, name: str, message: Message, now: int) -> None:
        """Take in what came on a name; PeerError for what no honest peer says, and then nothing has changed."""

    def expire(self, now: int) -> None:
        """Do what is due; harmless when nothing is."""

    def deadline(self) -> int | None:
        """The instant of the next `expire`, or None."""

    @property
    def holds(self) -> bool:
        """True while something waits that may still come to a good end by itself."""

    def drain(self) -> Wishes:
        """What is wanted since the last call. The caller owns the batch."""


class SharedLog(Protocol):
    """Where a stage's records are: it outlives processes, and takes records from one owner at a time."""

    def open(self) -> tuple[int, Sequence[bytes]]:
        """Begin a new term, which ends all earlier ones; gives it, and all records."""

    def append(self, term: int, records: Sequence[bytes]) -> None:
        """Append and sync. Raises StaleTerm for a term that has ended: who asked must stop."""
