"""The broker: takes events from clients and neighbours, and passes them to those who want them.

It composes what is wanted, the memory of duplicates and, where the mechanism asks for it, safe keeping and detours, and
decides nothing by itself. Clients are known by name; `clients` gives each the number by which bulk deliveries name it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tidings.delivery.duplicates import Duplicates
from tidings.errors import PeerError
from tidings.node.care import CAREFUL
from tidings.node.demand import Demand, DemandOptions
from tidings.node.detours import DetourOptions, Detours
from tidings.node.safe_passage import SafePassage
from tidings.routing.wants import NOBODY, TableOptions, Wanted
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import (
    Accepted,
    Forward,
    Interests,
    InterestsKnown,
    LinkReports,
    LinkReportsKnown,
    Publish,
    Received,
    Relayed,
    Subscribe,
    Unsubscribe,
)
from tidings.vocabulary.machine import (
    ClientLost,
    ClientReached,
    ClientRemoved,
    DeliverEvent,
    DropEvent,
    Effects,
    FramesArrived,
    LogFilled,
    NeighbourLost,
    NeighbourReturned,
    Notice,
    RecordsStored,
    SendFrame,
    Started,
)

REMEMBERED: Final = 65_536
"""Events that a broker recognises as duplicates, at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerOptions:
    """What a broker is told when it is made."""

    name: str
    neighbours: Mapping[str, Sequence[str]]
    """By tree; a tree in which the broker is alone has none."""
    tree_of: Callable[[str], str | None]
    """The tree of a topic, None for a topic that no tree serves."""
    table: TableOptions
    renew_ns: int | None = None
    """Interests are renewed this often, and forgotten when renewals stop; None: never, and a restart forgets all."""
    drop_expired: bool = True
    keeps: bool = False
    """Events and interests are written down before anybody is told, and sent until they are acknowledged."""
    detours: DetourOptions | None = None
    """Events and interests are led around what has failed; None: they are not."""
    clients_kept: bool = False
    """Clients are kept by whoever stands between them and this machine: what they want and are owed is not written here."""
    remembered: int = REMEMBERED


class Broker:
    """The machine. One object lives as long as one process; its first notice is `Started`."""

    def __init__(self, options: BrokerOptions) -> None:
        self.options = options
        self._demand: Demand
        """There from the first notice on."""
        self._duplicates = Duplicates(options.remembered)
        self._neighbours = dict.fromkeys(name for others in options.neighbours.values() for name in others)
        self._safe = self._safe_passage() if options.keeps else None
        self._detours = None if options.detours is None else Detours(options.name, options.detours)
        self._effects = Effects()
        self._now = 0

    @property
    def clients(self) -> Sequence[str]:
        """Names of clients by number; grows, and never changes otherwise."""
        return self._demand.wishes.clients

    @property
    def holds(self) -> bool:
        """True while events wait here for a neighbour to acknowledge them."""
        return self._safe is not None and self._safe.courier.owes

    def owed_to_clients(self) -> Iterator[tuple[str, Event]]:
        """What clients that acknowledge have not acknowledged, each with its name."""
        return iter(()) if self._safe is None else self._safe.courier.owed_to_clients()

    def way(self, to: str) -> tuple[str, ...] | None:
        """The shortest way to another broker that is known to work; None where nobody looks for one, too."""
        return None if self._detours is None else self._detours.way(to)

    @property
    def version(self) -> int:
        """Grows whenever what `answers` says may have changed."""
        return self._demand.version

    def answers(self, events: Sequence[Event]) -> list[tuple[tuple[str, ...], NDArray[np.int64]]]:
        """For events of one tree: the neighbours that would be sent each, its sender among them, and numbers of clients."""
        tree = self.options.tree_of(events[0].topic)
        wanted = [NOBODY] * len(events) if tree is None else self._demand.spreadings[tree].table.wanted_many(events)
        return [(one.others, self._demand.wishes.clients_of(one.clients)) for one in wanted]

    def answer(self, event: Event) -> tuple[tuple[str, ...], bool]:
        """The neighbours that would be sent `event`, its sender among them, and whether any client would be."""
        wanted = self._demand.wanted(event)
        return wanted.others, len(wanted.clients) > 0

    def clients_wanting(self, event: Event) -> NDArray[np.int64]:
        """Numbers of the clients that would be sent `event`."""
        return self._demand.wishes.clients_of(self._demand.wanted(event).clients)

    # ---- the machine contract

    def receive(self, notice: Notice, now: int) -> None:
        """Take in what happened; raises PeerError when a neighbour or client breaks the rules."""
        self._now = now
        if type(notice) is FramesArrived:
            sender = notice.sender
            for frame in notice.frames:
                action = self._ACTIONS.get(type(frame))
                if action is None:
                    raise PeerError(f"{sender} sent {type(frame).__name__}, which no broker takes")
                action(self, sender, frame)
        elif type(notice) is RecordsStored:
            if self._safe is not None:
                self._safe.stored(notice.count)
        elif type(notice) is Started:
            self._start(notice)
        elif type(notice) is ClientRemoved:
            self._demand.wishes.forget(notice.name)
        else:
            self._hear_of(notice)

    def expire(self, now: int) -> None:
        """Renew, ask again, forget, send again."""
        self._now = now
        self._demand.due(now)
        if self._safe is not None:
            self._effects.send += self._safe.courier.due(now)

    def deadline(self) -> int | None:
        """When `expire` has something to do; ask after `drain`."""
        due = self._demand.deadline
        if self._safe is not None:
            due = _earlier(due, self._safe.courier.deadline)
        return due if self._detours is None else _earlier(due, self._detours.deadline)

    def drain(self) -> Effects:
        """Everything wanted since the last call."""
        if self._detours is None:
            self._effects.send += self._demand.flush(self._now)
        else:
            self._turn(self._detours)
        if self._safe is not None:
            self._safe.finish(self._demand.notes, self._effects)
        effects, self._effects = self._effects, Effects()
        return effects

    # ---- life

    def _start(self, notice: Started) -> None:
        self._demand = self._new_demand(notice.incarnation)
        if self._detours is not None:
            self._detours.begin(notice.incarnation)
        for event_id in notice.seen:
            self._duplicates.seen(event_id)
        if self._safe is not None:
            self._resume(self._safe, notice.records)
        elif notice.incarnation > 0 and self.options.renew_ns is not None:
            self._demand.recover(self._now)

    def _new_demand(self, incarnation: int) -> Demand:
        one = self.options
        return Demand(
            DemandOptions(
                name=one.name,
                neighbours=one.neighbours,
                tree_of=one.tree_of,
                table=one.table,
                renew_ns=one.renew_ns,
                lasting=one.keeps,
                side_of=None if self._detours is None else self._detours.side,
                clients_kept=one.clients_kept,
            ),
            incarnation,
        )

    def _safe_passage(self) -> SafePassage:
        return SafePassage(self._neighbours, drop_expired=self.options.drop_expired)

    def _resume(self, safe: SafePassage, records: Sequence[bytes]) -> None:
        """Take up what an earlier process wrote down: interests first, then the events that it had not finished."""
        if not records:
            return
        found = safe.remember(records)
        for note in found.notes:
            self._care_for(safe, note.sender, note.frame)
        self._demand.resume(found.notes, self._now)
        for event_id in found.seen:
            self._duplicates.seen(event_id)
        for kept in found.kept:
            safe.resume(kept, self._now, self._effects)
            if kept.for_clients:
                self._deliver(kept.event, self._demand.wanted(kept.event))

    def _hear_of(self, notice: Notice) -> None:
        if self._detours is not None:
            self._detours.hear_of(notice)
        if self._safe is not None:
            self._keep_on(self._safe, notice)
        if type(notice) is NeighbourReturned:
            self._demand.hurry(notice.name, self._now)

    def _keep_on(self, safe: SafePassage, notice: Notice) -> None:
        if type(notice) is LogFilled:
            safe.begin_anew()
        elif type(notice) is NeighbourLost or type(notice) is ClientLost:
            safe.courier.lost(notice.name)
        elif type(notice) is NeighbourReturned or type(notice) is ClientReached:
            self._effects.send += safe.courier.back(notice.name, self._now)

    # ---- events

    def _take(self, sender: str, frame: Publish) -> None:
        self._effects.send.append(SendFrame(sender, Accepted(frame.event.id)))
        self._forward(sender, frame.event)

    def _pass_on(self, sender: str, frame: Forward) -> None:
        if self._safe is not None:
            self._effects.send.append(SendFrame(sender, Received((frame.event.id,))))
        self._forward(sender, frame.event)

    def _forward(self, sender: str, event: Event) -> None:
        if self._duplicates.seen(event.id):
            return
        if self._now > event.expires_ns and self.options.drop_expired:
            self._effects.report.append(DropEvent(event, "expired"))
            return
        wanted = self._demand.wanted(event)
        if self._detours is None:
            towards = [name for name in wanted.others if name != sender]
        else:
            towards = self._lead(self._detours, sender, event, wanted)
        if self._safe is None:
            frame = Forward(event)
            self._effects.send += [SendFrame(name, frame) for name in towards]
            self._deliver(event, wanted)
        elif self._safe.care:
            self._keep_with_care(self._safe, event, towards, wanted)
        else:
            for_clients = len(wanted.clients) > 0 and not self.options.clients_kept
            if towards or for_clients:
                self._safe.take(event, towards, self._now, self._effects, for_clients=for_clients)
            self._deliver(event, wanted)

    def _keep_with_care(self, safe: SafePassage, event: Event, towards: list[str], wanted: Wanted) -> None:
        """Where some clients are no plain ones: those who acknowledge are owed the event like neighbours."""
        numbers = self._demand.wishes.clients_of(wanted.clients).tolist()
        keepings = [safe.care.keeping(self.clients[number]) for number in numbers]
        careful = [self.clients[one] for one, keeping in zip(numbers, keepings, strict=True) if keeping in CAREFUL]
        for_clients = "plain" in keepings and not self.options.clients_kept
        if towards or careful or for_clients:
            safe.take(event, [*towards, *careful], self._now, self._effects, for_clients=for_clients)
        self._deliver(event, wanted)

    def _deliver(self, event: Event, wanted: Wanted) -> None:
        if not len(wanted.clients):
            return
        numbers = self._demand.wishes.clients_of(wanted.clients)
        if self._safe is not None and self._safe.care:
            care = self._safe.care
            mine = [care.keeping(self.clients[number]) not in CAREFUL for number in numbers.tolist()]
            numbers = numbers[np.array(mine, np.bool_)]
        if len(numbers):
            self._effects.deliver.append(DeliverEvent(event, numbers))

    def _acknowledged(self, sender: str, frame: Received) -> None:
        if self._safe is not None and not self._safe.courier.serves(sender) and sender not in self._neighbours:
            return  # a client that has taken everything back and hears what was on its way
        if self._safe is None or not self._safe.courier.serves(sender):
            raise PeerError(f"{sender} acknowledges events, which {self.options.name} does not ask it for")
        self._safe.courier.received(sender, frame.event_ids, self._now)

    # ---- around what has failed

    def _lead(self, detours: Detours, sender: str, event: Event, wanted: Wanted) -> list[str]:
        """Send an event aside where the tree will not do; gives the tree neighbours that it is for all the same."""
        tree = self.options.tree_of(event.topic)
        if tree is None:
            return []
        side = detours.side(tree, sender)
        names = [name for name in wanted.others if detours.side(tree, name) != side]
        aside = dict.fromkeys(one for name in names for one in detours.aside(tree, name))
        self._effects.send += detours.relayed(tuple(aside), Forward(event))
        near = [name for name in names if detours.side(tree, name) == name]
        return near if self._safe is not None else [name for name in near if detours.is_direct(name)]

    def _turn(self, detours: Detours) -> None:
        """After every batch: what is owed to a neighbour that cannot be reached goes to those who stand in for it too."""
        for tree, name, new in detours.changes(self._demand, self._now):
            for event in self._safe.courier.owed_to(name) if self._safe is not None and new else ():
                if self.options.tree_of(event.topic) == tree and not event.expired(self._now):
                    self._effects.send += detours.relayed(new, Forward(event))
        self._effects.send += detours.led(self._demand.flush(self._now))
        self._effects.send += detours.flush(self._now)

    def _relayed(self, sender: str, frame: Relayed) -> None:
        if self._detours is None:
            raise PeerError(
                f"{sender} relays {type(frame.frame).__name__}, which {self.options.name} does not take part in"
            )
        hop = self._detours.next_hop(frame)
        if hop is not None:
            self._effects.send.append(SendFrame(hop, frame))
            return
        origin, inside = frame.way[0], frame.frame
        if isinstance(inside, Forward):
            self._forward(origin, inside.event)
        elif isinstance(inside, Interests):
            self._learn(origin, inside)
        elif isinstance(inside, InterestsKnown):
            self._hear(origin, inside)
        else:
            raise PeerError(f"{origin} sent {type(inside).__name__}, which no broker takes without a door")

    def _reported(self, sender: str, frame: LinkReports | LinkReportsKnown) -> None:
        if self._detours is None:
            raise PeerError(f"{sender} reports links, which {self.options.name} does not take part in")
        self._detours.reported(sender, frame)

    # ---- what is wanted

    def _subscribe(self, sender: str, frame: Subscribe) -> None:
        if self._safe is not None:
            self._care_for(self._safe, sender, frame)
        is_news = self._demand.subscribe(sender, frame)
        self._keep_if(is_news and not self.options.clients_kept and frame.keeping != "none", sender, frame)

    def _unsubscribe(self, sender: str, frame: Unsubscribe) -> None:
        passes = self._safe is not None and self._safe.care.keeping(sender) == "none"
        if self._safe is not None:
            self._care_for(self._safe, sender, frame)
        is_news = self._demand.unsubscribe(sender, frame)
        self._keep_if(is_news and not self.options.clients_kept and not passes, sender, frame)

    def _care_for(self, safe: SafePassage, sender: str, frame: Interests | Subscribe | Unsubscribe) -> None:
        if isinstance(frame, Subscribe):
            safe.care.subscribed(sender, frame)
        elif isinstance(frame, Unsubscribe):
            safe.care.unsubscribed(sender, frame.number)

    def _learn(self, sender: str, frame: Interests) -> None:
        is_news = self._demand.learn(sender, frame, self._now)
        self._keep_if(is_news and sender in self.options.neighbours[frame.tree], sender, frame)

    def _hear(self, sender: str, frame: InterestsKnown) -> None:
        self._demand.hear(sender, frame, self._now)

    def _keep_if(self, is_news: bool, sender: str, frame: Interests | Subscribe | Unsubscribe) -> None:  # noqa: FBT001 - reads as said
        if is_news and self._safe is not None:
            self._safe.note(sender, frame, self._effects)

    _ACTIONS: ClassVar[dict[type, Callable[["Broker", str, Any], None]]] = {
        Forward: _pass_on,
        Received: _acknowledged,
        Publish: _take,
        Subscribe: _subscribe,
        Unsubscribe: _unsubscribe,
        Interests: _learn,
        InterestsKnown: _hear,
        Relayed: _relayed,
        LinkReports: _reported,
        LinkReportsKnown: _reported,
    }
    """What a broker does about each kind of frame."""


def _earlier(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return one if other is None else other
    return min(one, other)
