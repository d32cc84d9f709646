"""What stands behind the door of a broker whose clients roam, and what the door is told."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from tidings.delivery.backlog import BACKLOG_MAX
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Keeping
from tidings.vocabulary.machine import Machine


class Inside(Machine, Protocol):
    """The broker machine behind the door."""

    @property
    def clients(self) -> Sequence[str]:
        """Names of clients by number; grows, and never changes otherwise."""

    @property
    def holds(self) -> bool:
        """True while events wait for its timer."""

    def owed_to_clients(self) -> Iterator[tuple[str, Event]]:
        """What clients that acknowledge have not acknowledged, each with its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoamingOptions:
    """What the door is told when it is made."""

    name: str
    scheme: str
    """`none`, `reactive` or `proactive`."""
    way: Callable[[str], tuple[str, ...] | None]
    """The way to another broker, both ends included; None where there is none."""
    neighbours: Sequence[str] | None = None
    """Brokers that a client may come to next; None: learned."""
    backlog_max: int = BACKLOG_MAX
    keeping: Keeping = "plain"
    """How the broker inside is to keep the wishes and events of those who roam."""
