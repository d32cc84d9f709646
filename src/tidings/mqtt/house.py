"""What all parts of a broker's front share: the turn's instant, ledger, timers, and what is to be said to the broker."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from tidings.mqtt.ledger import Ledger
from tidings.mqtt.limits import Limits
from tidings.mqtt.link import Link
from tidings.mqtt.retained import Retained
from tidings.mqtt.rights import Rights
from tidings.mqtt.session import Session
from tidings.mqtt.timers import Timers
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Frame
from tidings.vocabulary.machine import DropEvent

Timer: TypeAlias = tuple[str, int]
"""What is due, and for which connection or session."""
CONNECT: Final = "connect"
KEEP_ALIVE: Final = "keep alive"
EXPIRY: Final = "expiry"
WILL: Final = "will"
CONFIRM: Final = "confirm"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontOptions:
    """What a front is told when it is made."""

    name: str
    """Of the broker."""
    number: int = 0
    """Of the broker in its overlay: part of every identity that it gives out."""
    rights_of: Callable[[str], Rights]
    """What a principal may do; asked anew after `RightsChanged`."""
    limits: Limits = field(default_factory=Limits)
    durable: bool = False
    """Sessions and retained messages outlive the process."""
    json: bool = False
    """Payloads are read as JSON attributes although their publishers do not ask for it."""
    first_index: int = 0
    """Where a process without memory begins to count publishers."""
    clock: str = ""
    """Which clock instants are of, as told to clients that may read the same one."""


@dataclass(slots=True)
class Counts:
    """What has happened, for those who watch."""

    published: int = 0
    refused: int = 0
    """Publications that were not taken."""
    delivered: int = 0
    """Events times clients."""
    given_up: dict[str, int] = field(default_factory=dict)
    """Events times clients, by reason."""
    protocol_errors: int = 0
    connects: int = 0
    connects_refused: int = 0
    taken_over: int = 0


class House:
    """One front's."""

    def __init__(self, options: FrontOptions) -> None:
        self.options, self.limits = options, options.limits
        self.now = 0
        self.ledger = Ledger()
        self.retained = Retained()
        self.timers: Timers[Timer] = Timers()
        self.counts = Counts()
        self.active: list[Link] = []
        """Links with something to write."""
        self.touched: dict[int, Session] = {}
        """Sessions with something to send or to read when the turn ends."""
        self.overflown: dict[int, Session] = {}
        """Sessions whose connections fell too far behind."""
        self.said: list[tuple[str, list[Frame]]] = []
        """What clients say to the broker machine in this turn."""
        self.events: list[Event] = []
        """The events among it, in their order."""
        self.reports: list[DropEvent] = []

    def rights_of(self, principal: str) -> Rights:
        """What a principal may do, as of now."""
        return self.options.rights_of(principal)

    def say(self, sender: str, frame: Frame) -> None:
        """Let the broker machine hear this from a client, at the end of the turn."""
        if self.said and self.said[-1][0] == sender:
            self.said[-1][1].append(frame)
        else:
            self.said.append((sender, [frame]))

    def give_up(self, event: Event, name: str, reason: str) -> None:
        """An event is not shown to a client that had wanted it."""
        self.counts.given_up[reason] = self.counts.given_up.get(reason, 0) + 1
        self.reports.append(DropEvent(event, reason, (name,)))

    def touch(self, session: Session) -> None:
        """The session has something to send, or to be read, when the turn ends."""
        self.touched[session.identity.number] = session

    def overflowing(self, session: Session) -> None:
        """More waits in memory for the session's connection than it may."""
        self.overflown[session.identity.number] = session
