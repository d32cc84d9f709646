"""The broker where events are addressed to brokers: every broker knows what each one wants, and a scheme finds the way.

It composes what is wanted, the memory of duplicates and the scheme's passage. Clients are known by name, as `Broker` knows them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from tidings.delivery.duplicates import Duplicates
from tidings.errors import PeerError
from tidings.node.broker import REMEMBERED
from tidings.node.bulletin import Bulletin, BulletinOptions
from tidings.node.passage import Passage
from tidings.routing.link_monitor import LinkMonitor
from tidings.routing.wants import Wanted
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import (
    Accepted,
    LinkReports,
    LinkReportsKnown,
    Packet,
    PacketTaken,
    Publish,
    Reached,
    ReportHeard,
    Routed,
    Subscribe,
    Unsubscribe,
)
from tidings.vocabulary.machine import (
    ClientRemoved,
    DeliverEvent,
    DropEvent,
    Effects,
    FramesArrived,
    NeighbourReturned,
    Notice,
    SendFrame,
    Started,
)

NewPassage: TypeAlias = Callable[[LinkMonitor, int], Passage]
"""The scheme's part of a new process, which tells the monitor what it measures; told the incarnation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressedOptions:
    """What a broker is told when it is made."""

    bulletin: BulletinOptions
    passage: NewPassage
    drop_expired: bool = True
    remembered: int = REMEMBERED


class AddressedBroker:
    """The machine. One object lives as long as one process; its first notice is `Started`."""

    def __init__(self, options: AddressedOptions) -> None:
        self.options = options
        self._here = options.bulletin.name
        self._bulletin: Bulletin
        self._passage: Passage
        """Both there from the first notice on."""
        self._duplicates = Duplicates(options.remembered)
        self._effects = Effects()
        self._now = 0

    @property
    def clients(self) -> Sequence[str]:
        """Names of clients by number; grows, and never changes otherwise."""
        return self._bulletin.wishes.clients

    @property
    def holds(self) -> bool:
        """True while events wait here for an answer, or to be tried again."""
        return self._passage.holds

    def wanted(self, event: Event) -> Wanted:
        """Brokers and keys of clients that want `event`, as far as is known here."""
        return self._bulletin.table.wanted(event)

    # ---- the machine contract

    def receive(self, notice: Notice, now: int) -> None:
        """Take in what happened; raises PeerError when a neighbour or client breaks the rules."""
        self._now = now
        if type(notice) is FramesArrived:
            for frame in notice.frames:
                action = self._ACTIONS.get(type(frame))
                if action is None:
                    raise PeerError(
                        f"{notice.sender} sent {type(frame).__name__}, which no broker takes under this scheme"
                    )
                action(self, notice.sender, frame)
        elif type(notice) is Started:
            self._bulletin = Bulletin(self.options.bulletin, notice.incarnation, now)
            self._passage = self.options.passage(self._bulletin.monitor, notice.incarnation)
            for event_id in notice.seen:
                self._duplicates.seen(event_id)
        elif type(notice) is ClientRemoved:
            self._bulletin.wishes.forget(notice.name)
        elif type(notice) is NeighbourReturned:
            self._bulletin.returned(notice.name)

    def expire(self, now: int) -> None:
        """Ask again, report, send again."""
        self._now = now
        self._bulletin.due(now, self._passage.believe)
        self._passage.due(now, self._effects)

    def deadline(self) -> int | None:
        """When `expire` has something to do; ask after `drain`."""
        instants = (self._bulletin.deadline, self._passage.deadline)
        return min((instant for instant in instants if instant is not None), default=None)

    def drain(self) -> Effects:
        """Everything wanted since the last call."""
        self._effects.send += self._bulletin.flush(self._now)
        effects, self._effects = self._effects, Effects()
        return effects

    # ---- events

    def _publish(self, sender: str, frame: Publish) -> None:
        event = frame.event
        self._effects.send.append(SendFrame(sender, Accepted(event.id)))
        if self._duplicates.seen(event.id):
            return
        wanted = self._bulletin.table.wanted(event)
        if self.options.drop_expired and event.expired(self._now):
            here = (self._here,) if len(wanted.clients) else ()
            self._effects.report.append(DropEvent(event, "expired", (*wanted.others, *here)))
            return
        if wanted.others:
            self._passage.start(event, wanted.others, self._now, self._effects)
        self._deliver(event, wanted)

    def _pass_on(self, sender: str, frame: Routed | Packet) -> None:
        is_for_us = self._passage.take(sender, frame, self._now, self._effects)
        if not is_for_us or self._duplicates.seen(frame.event.id):
            return
        if self.options.drop_expired and frame.event.expired(self._now):
            self._effects.report.append(DropEvent(frame.event, "expired", (self._here,)))
            return
        self._deliver(frame.event, self._bulletin.table.wanted(frame.event))

    def _deliver(self, event: Event, wanted: Wanted) -> None:
        if len(wanted.clients):
            self._effects.deliver.append(DeliverEvent(event, self._bulletin.wishes.clients_of(wanted.clients)))

    def _taken(self, sender: str, frame: PacketTaken) -> None:
        self._passage.taken(sender, frame, self._now, self._effects)

    def _reached(self, sender: str, frame: Reached) -> None:
        self._passage.reached(sender, frame, self._now, self._effects)

    # ---- what is wanted, and links

    def _subscribe(self, sender: str, frame: Subscribe) -> None:
        self._bulletin.subscribe(sender, frame)

    def _unsubscribe(self, sender: str, frame: Unsubscribe) -> None:
        self._bulletin.unsubscribe(sender, frame)

    def _reported(self, sender: str, frame: LinkReports | LinkReportsKnown | ReportHeard) -> None:
        if not self._bulletin.is_neighbour(sender):
            raise PeerError(f"{sender} is no neighbour of {self._here} and has nothing to report")
        if isinstance(frame, LinkReports):
            self._bulletin.hear(sender, frame)
        elif isinstance(frame, LinkReportsKnown):
            self._bulletin.known(sender, frame, self._now)
        else:
            self._bulletin.heard(frame)

    _ACTIONS: ClassVar[dict[type, Callable[["AddressedBroker", str, Any], None]]] = {
        Routed: _pass_on,
        Packet: _pass_on,
        PacketTaken: _taken,
        Reached: _reached,
        Publish: _publish,
        Subscribe: _subscribe,
        Unsubscribe: _unsubscribe,
        LinkReports: _reported,
        LinkReportsKnown: _reported,
        ReportHeard: _reported,
    }
    """What a broker does about each kind of frame."""
