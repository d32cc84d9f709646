"""The front of a broker: to the driver one machine, to the broker machine inside it all its clients.

One turn is: any number of `receive`, then one `drain`. What clients said in the turn is told to the broker machine in
one go; what it delivers goes to the sessions; what they owe, and all else that must not be forgotten, is one batch.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidings.errors import PeerError
from tidings.mqtt.desk import Desk
from tidings.mqtt.house import CONFIRM, CONNECT, EXPIRY, KEEP_ALIVE, WILL, FrontOptions, House
from tidings.mqtt.notices import (
    BytesArrived,
    ConnectionEnded,
    ConnectionOpened,
    DrainBegun,
    FrontEffects,
    FrontNotice,
    Judged,
    ReadRecords,
    RecordsRead,
    RightsChanged,
)
from tidings.mqtt.parcel import Parcel
from tidings.mqtt.publishing import Identities, Publishing
from tidings.mqtt.recall import Recall, revive, session_records
from tidings.mqtt.records import AnyRecord, FromBroker, Reserved, RetainedSet, Seen, read_event, write_record
from tidings.mqtt.session import Session
from tidings.mqtt.sessions import Sessions
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Accepted, Deliver, Forward, Subscribe, Subscribed
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.machine import (
    DeliverEvent,
    Effects,
    FramesArrived,
    LogFilled,
    Machine,
    RecordsStored,
    SendFrame,
    Started,
)
from tidings.wire.mqtt_reasons import Reason

RESERVED_AHEAD: Final = 1_024
"""Indices of publishers that are reserved on disk in one go."""
RETURN_NS: Final = 10 * SECOND
"""After a start, wills of sessions that were connected are said no sooner: their clients may be on their way back."""


class BrokerMachine(Machine, Protocol):
    """What a front can stand before."""

    @property
    def clients(self) -> Sequence[str]:
        """Names of clients by the numbers that `DeliverEvent` names them by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What an earlier life left on disk."""

    incarnation: int = 0
    """Of the process that starts now."""
    checkpoint: Sequence[bytes] = ()
    records: Sequence[bytes] = ()
    first: int = 0
    """The number of the first of `records`."""
    shift_ns: int = 0
    """What to add to the instants in them."""


Ahead: TypeAlias = Callable[[Event, int], Sequence[Event]]
"""What is worth matching together: up to so many events of this turn, from the one given on."""


class Front:
    """The machine. `start` comes first, then the driver's recipe."""

    def __init__(self, options: FrontOptions, new_broker: Callable[[Ahead], BrokerMachine]) -> None:
        """`new_broker` makes the machine inside."""
        self.options = options
        self.house = House(options)
        self.broker = new_broker(self._ahead)
        self._place = 0
        """Of the event among this turn's that was asked about last."""
        self._fed = True
        """The machine inside has been told something since it was drained."""
        self._reserved = 0
        self._stored: deque[tuple[int, int]] = deque()
        """Of batches that are on their way to the disk: records, and how many of them are the broker machine's."""
        self._broker_records = 0
        self._effects = FrontEffects()
        self.publishing: Publishing
        self.sessions: Sessions
        self.desk: Desk

    # ---- life

    def start(self, earlier: Earlier, now: int) -> NDArray[np.int64]:
        """Take up what an earlier life has left; gives the records that are claimed, each as often as it is.

        What must be on disk from then on is what `checkpoint` gives, before anything that `drain` gives.
        """
        self.house.now = now
        recall = Recall(earlier.shift_ns)
        recall.checkpoint(earlier.checkpoint)
        recall.records(earlier.records, earlier.first)
        first_index = max(self.options.first_index, recall.indices)
        self.house.ledger.begin(earlier.first + len(earlier.records), recall.seen)
        self.publishing = Publishing(self.house, Identities(self.options.number, first_index))
        self._reserved = self.publishing.identities.indices + RESERVED_AHEAD
        self.sessions = Sessions(self.house, self.publishing)
        self.desk = Desk(self.house, self.publishing, self.sessions)
        self.broker.receive(Started(earlier.incarnation, tuple(recall.broker), tuple(recall.seen)), now)
        for event in recall.retained.values():
            self.house.retained.put(event)
        sessions = [revive(kept, self.house) for kept in recall.sessions.values()]
        for session in sessions:
            self._return(session)
        return np.array([number for session in sessions for number in session.outgoing.numbers()], np.int64)

    def _return(self, session: Session) -> None:
        """A session is there again, without its client."""
        identity, timers, now = session.identity, self.house.timers, self.house.now
        self.sessions.add(session)
        for one in session.subscriptions:
            self.house.say(session.name, Subscribe(one.number, one.text))
        timers.set((EXPIRY, identity.number), now + max(identity.expiry_ns, RETURN_NS))
        if identity.will is not None:
            delay_ns = (identity.will.properties.will_delay_s or 0) * SECOND
            timers.set((WILL, identity.number), now + max(delay_ns, RETURN_NS))

    def checkpoint(self) -> list[bytes]:
        """Records that say all that must outlive the process, but for the events that they claim. Follows a `drain`."""
        self.broker.receive(LogFilled(), self.house.now)
        effects = self.broker.drain()
        records: list[AnyRecord] = [
            Reserved(self._reserved),
            Seen(tuple(self.house.ledger.recent)),
            FromBroker(tuple(one.record for one in effects.store), anew=True),
            *(RetainedSet(event) for event in self.house.retained.everything()),
        ]
        for session in self.sessions:
            if session.identity.durable:
                records += session_records(session)
        self._stored.append((len(records), len(effects.store)))
        effects.store = []
        self._take(effects)
        return [write_record(record) for record in records]

    # ---- the machine contract

    def receive(self, notice: FrontNotice, now: int) -> None:
        """Take in what happened."""
        self.house.now = now
        action = self._ACTIONS.get(type(notice))
        if action is not None:
            action(self, notice)
        else:
            self.broker.receive(notice, now)  # type: ignore[arg-type] # all others are for it
            self._fed = True

    def expire(self, now: int) -> None:
        """Do what is due."""
        self.house.now = now
        for kind, number in self.house.timers.due(now):
            self._DUE[kind](self, number)
        due = self.broker.deadline()
        if due is not None and due <= now:
            self.broker.expire(now)
            self._fed = True

    def deadline(self) -> int | None:
        """When `expire` has something to do; ask after `drain`."""
        one, other = self.house.timers.deadline, self.broker.deadline()
        if one is None or other is None:
            return one if other is None else other
        return min(one, other)

    def drain(self) -> FrontEffects:
        """Everything wanted since the last call."""
        house = self.house
        while self._fed or house.said or self.sessions.gone or house.touched or house.overflown:
            self._tell_broker()
            self._end_overflown()
            while house.touched:
                self._finish(house.touched.pop(next(iter(house.touched))))
        if self.options.durable and self.publishing.identities.indices > self._reserved:
            self._reserved = self.publishing.identities.indices + RESERVED_AHEAD
            house.ledger.note(Reserved(self._reserved))
        effects, self._effects = self._effects, FrontEffects()
        effects.records, effects.claims, effects.released = house.ledger.take()
        if effects.records:
            self._stored.append((len(effects.records), self._broker_records))
            self._broker_records = 0
        for link in house.active:
            at_once, after = link.take()
            if at_once:
                effects.at_once.append((link.number, at_once))
            if after:
                effects.after.append((link.number, after))
        house.active.clear()
        effects.close, self.desk.closing = self.desk.closing, []
        effects.judge, self.desk.judging = self.desk.judging, []
        effects.report, house.reports = house.reports, []
        house.events.clear()
        self._place = 0
        return effects

    def published_on(self, connection: int) -> int:
        """Events that a client has published on a connection, so far."""
        found = self.desk.connections.get(connection)
        return 0 if found is None else found.link.published

    # ---- a turn

    def _tell_broker(self) -> None:
        house = self.house
        said, house.said = house.said, []
        for sender, frames in said:
            try:
                self.broker.receive(FramesArrived(sender, frames), house.now)
            except PeerError as problem:
                self._effects.refused.append((sender, str(problem)))
        gone, self.sessions.gone = self.sessions.gone, []
        for notice in gone:
            self.broker.receive(notice, house.now)
        if said or gone or self._fed:
            self._fed = False
            self._take(self.broker.drain())

    def _take(self, effects: Effects) -> None:
        """Do what the broker machine wants."""
        for delivery in effects.deliver:
            self._deliver(delivery)
        for send in effects.send:
            self._send(send)
        if effects.store:
            self.house.ledger.note(FromBroker(tuple(one.record for one in effects.store), effects.anew))
            self._broker_records += len(effects.store)
        self.house.reports += effects.report

    def _deliver(self, delivery: DeliverEvent) -> None:
        parcel, names = Parcel(delivery.event, self.house.now), self.broker.clients
        numbers = delivery.clients.tolist()
        self.house.counts.delivered += len(numbers)
        for number in numbers:
            session = self.sessions.named(names[number])
            if session is not None:
                session.offer(parcel)

    def _send(self, send: SendFrame) -> None:
        frame = send.frame
        if type(frame) is Accepted:
            self.publishing.accepted(frame.event_id)
            return
        session = self.sessions.named(send.to)
        if session is None:
            self._effects.send.append(send)
        elif type(frame) is Subscribed:
            self.desk.subscribing.known(session, frame)
        elif type(frame) is Deliver:
            session.offer(Parcel(frame.event, self.house.now))

    def _finish(self, session: Session) -> None:
        """Send what a session has gathered, and ask for what it must read."""
        session.flush()
        numbers = session.wanted()
        if numbers:
            self._effects.read.append(ReadRecords(session.identity.number, numbers))
        session.flush()

    def _end_overflown(self) -> None:
        overflown, self.house.overflown = self.house.overflown, {}
        for session in overflown.values():
            if session.link is not None:
                self.desk.connections[session.link.number].end(Reason.QUOTA_EXCEEDED, "too far behind")

    def _ahead(self, event: Event, count: int) -> Sequence[Event]:
        """What is matched in one go: this event and those of the turn behind it."""
        events = self.house.events
        for place in range(self._place, len(events)):
            if events[place] is event:
                self._place = place
                return events[place : place + count]
        return (event,)

    # ---- notices and timers

    def _arrived(self, notice: BytesArrived) -> None:
        connection = self.desk.connections.get(notice.connection)
        if connection is not None:
            connection.receive(notice.data)

    def _frames(self, notice: FramesArrived) -> None:
        self.house.events += [frame.event for frame in notice.frames if type(frame) is Forward]
        self.house.said.append((notice.sender, list(notice.frames)))

    def _read(self, notice: RecordsRead) -> None:
        session = self.sessions.numbered(notice.session)
        if session is not None:
            events = {number: read_event(data, shift_ns) for number, data, shift_ns in notice.found}
            session.found(notice.numbers, events)

    def _records_stored(self, _notice: RecordsStored) -> None:
        """One batch with records has been applied, or a checkpoint."""
        _, broker_records = self._stored.popleft()
        if broker_records:
            self.broker.receive(RecordsStored(broker_records), self.house.now)
            self._fed = True

    def _rights_changed(self, _notice: RightsChanged) -> None:
        for session in self.sessions:
            session.forget_rights()

    def _silent(self, number: int) -> None:
        connection = self.desk.connections.get(number)
        if connection is None or connection.silence_ns is None:
            return
        if connection.silence_ns <= self.house.now:
            connection.end(Reason.KEEP_ALIVE_TIMEOUT)
        else:
            self.house.timers.set((KEEP_ALIVE, number), connection.silence_ns)

    def _too_late(self, number: int) -> None:
        connection = self.desk.connections.get(number)
        if connection is not None:
            connection.over(will=False)

    def _with_session(self, number: int, action: Callable[[Session], None]) -> None:
        session = self.sessions.numbered(number)
        if session is not None:
            action(session)

    _ACTIONS: ClassVar[dict[type, Callable[["Front", Any], None]]] = {
        BytesArrived: _arrived,
        ConnectionOpened: lambda self, notice: self.desk.opened(notice),
        ConnectionEnded: lambda self, notice: self.desk.ended(notice.connection),
        Judged: lambda self, notice: self.desk.judged(notice),
        RecordsRead: _read,
        RecordsStored: _records_stored,
        FramesArrived: _frames,
        RightsChanged: _rights_changed,
        DrainBegun: lambda self, _notice: self.desk.drain(),
    }
    """What each notice is about; all others are for the broker machine."""

    _DUE: ClassVar[dict[str, Callable[["Front", int], None]]] = {
        CONNECT: _too_late,
        KEEP_ALIVE: _silent,
        EXPIRY: lambda self, number: self._with_session(number, self.sessions.end),
        WILL: lambda self, number: self._with_session(number, self.sessions.publish_will),
        CONFIRM: lambda self, number: self._with_session(number, self.desk.subscribing.answer_due),
    }
    """What is done when the timer of a kind rings."""
