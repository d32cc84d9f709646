"""A broker's process in virtual time: up or down, busy or idle, with the machine inside.

The driver recipe of `tidings.vocabulary.machine`, word for word: feed, drain, apply, re-arm one timer. What the host
adds is what a real one has: it takes time for each event, loses everything in memory when it crashes, and may stop for
a while without crashing.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from tidings.errors import DiskError
from tidings.simulation.agenda import Agenda
from tidings.simulation.channel import Line
from tidings.simulation.journal import Journal
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import (
    Accepted,
    Frame,
    Interests,
    InterestsKnown,
    Packet,
    Publish,
    Relayed,
    Routed,
    event_of,
)
from tidings.vocabulary.machine import (
    DeliverEvent,
    DropEvent,
    Effects,
    FramesArrived,
    Machine,
    Notice,
    RecordsStored,
    Started,
)

IN_TURN: Final = frozenset((Interests, InterestsKnown, Relayed))
"""Frames by which a broker is told that it need not take a client's events in any more."""


class BrokerMachine(Machine, Protocol):
    """What every host can run."""

    @property
    def clients(self) -> Sequence[str]:
        """Names of clients by the numbers that `DeliverEvent` names them by; grows, and never changes otherwise."""

    @property
    def holds(self) -> bool:
        """True while events wait in the machine for its timer: the world is not over before that."""


class Surroundings(Protocol):
    """What the world does for its brokers."""

    def to_client(self, now: int, broker: str, client: str, frame: Frame) -> None:
        """A frame for a client of the broker."""

    def to_clients(self, now: int, broker: str, delivery: DeliverEvent) -> None:
        """An event for many clients of the broker."""

    def given_up(self, now: int, broker: str, drop: DropEvent) -> None:
        """The broker gave an event up, for clients of its own or for everyone behind it."""

    def never_taken(self, event_id: int) -> None:
        """A publisher's event was lost before its broker could say that it took it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOptions:
    """What a host is told when it is made."""

    name: str
    new_machine: Callable[[], BrokerMachine]
    channels: Mapping[str, Line]
    """To the neighbours, by name."""
    service_ns: Callable[[], int] | None
    """The time that the next event takes; None: none."""
    drop_expired: bool
    in_turn: bool = False
    """What is said about interests and hand-offs waits until the events before it have been served."""
    journal: Journal | None = None
    """Where records are kept; None: nowhere, for machines that store nothing."""
    touched: Callable[[str], None] = lambda _name: None
    """Told when the process or the machine's tables may have changed."""
    disk_failed: Callable[[int, str], None] = lambda _now, _name: None
    """Told that the process has stopped itself, since its disk failed; somebody may start it again."""


class Host:
    """Runs one broker."""

    def __init__(self, options: HostOptions, agenda: Agenda, surroundings: Surroundings) -> None:
        self.options, self.name = options, options.name
        self._agenda, self._surroundings = agenda, surroundings
        self._channels = options.channels
        self.up = False
        self.incarnation = -1
        self.machine: BrokerMachine
        self._queue: deque[tuple[str, Frame]] = deque()
        """Events that were taken in, the one in service first."""
        self._free_ns = 0
        self._timer_ns: int | None = None
        self._is_awaited = False
        """Somebody waits for what the timer will bring: it was entered so that the world does not end before."""
        self._resumes_ns = 0
        self._stood_ns = 0
        """How long the process was paused, all in all: what is in the queue takes that much longer."""
        self._held: deque[tuple[str, Frame]] = deque()
        """What arrived during a pause."""
        self._unsynced: deque[Effects] = deque()
        """Batches that wait for the disk, or for one before them that does."""
        self._syncing = 0
        """How many of them the sync under way is for."""
        self._carrying = False
        """A batch is being carried out, and others may be waiting for it."""
        self.start(0)

    # ---- life and death

    def start(self, now: int) -> None:
        """A new process, with nothing in memory."""
        assert not self.up
        self.up, self.incarnation = True, self.incarnation + 1
        self.machine = self.options.new_machine()
        self._queue, self._free_ns, self._timer_ns = deque(), now, None
        self._unsynced, self._syncing = deque(), 0
        journal = self.options.journal
        try:
            records = () if journal is None else journal.open()
        except DiskError:
            self._stop(now)
        else:
            self.feed(now, Started(self.incarnation, records))

    def crash(self, now: int) -> None:
        """The process is gone, with all that waited in it or for it, and with its pause."""
        self.up = False
        held, self._held, self._resumes_ns = self._held, deque(), now
        for _, frame in held:
            self._lose(now, frame, "crash")
        for send in (send for batch in self._unsynced for send in batch.send):
            if type(send.frame) is Accepted:
                self._surroundings.never_taken(send.frame.event_id)
        if self.options.journal is not None:
            self.options.journal.crash()
        self.options.touched(self.name)

    def _stop(self, now: int) -> None:
        """After an error of the disk nobody knows what is on it: the process ends, and the next one looks."""
        self.crash(now)
        self.options.disk_failed(now, self.name)

    def pause(self, now: int, until: int) -> None:
        """The process does nothing until then, and loses nothing: what arrives waits, what is in service stands still.

        A process that is down takes its pause up when it starts.
        """
        begins = max(now, self._resumes_ns)
        if until > begins:
            self._resumes_ns = until
            self._stood_ns += until - begins
            if self._free_ns > begins:
                self._free_ns += until - begins

    # ---- what arrives

    def arrive(self, now: int, sender: str, frame: Frame) -> None:
        """A frame comes in: it waits for its turn, or is lost with a process that is not there."""
        if not self.up:
            self._lose(now, frame, "down")
        elif self._carrying and self.options.journal is not None:
            # A client answers at once what it is just being sent: after whatever else is to be carried out.
            self._agenda.at(now, self._arrives_after, sender, frame)
        elif self._held or now < self._resumes_ns:
            self._hold(sender, frame)
        elif self.options.service_ns is not None and (event := self._event_for_us(frame)) is not None:
            self._enqueue(now, sender, frame, event)
        elif self._queue and self.options.in_turn and type(frame) in IN_TURN:
            self._stand_in_line(sender, frame)
        else:
            self.feed(now, FramesArrived(sender, (frame,)))

    def _arrives_after(self, now: int, sender: str, frame: Frame) -> None:
        self.arrive(now, sender, frame)

    def tell(self, now: int, notice: Notice, _: None = None) -> None:
        """Something else happened than a frame: the process hears of it when it runs, or not at all."""
        if self.up and now < self._resumes_ns:
            self._agenda.at(self._resumes_ns, self.tell, notice)
        elif self.up:
            self.feed(now, notice)

    def feed(self, now: int, notice: Notice) -> None:
        """The recipe: feed, drain, apply, re-arm."""
        machine = self.machine
        machine.receive(notice, now)
        self._apply(now, machine.drain())
        due = machine.deadline()
        if due is not None and (due != self._timer_ns or (machine.holds and not self._is_awaited)):
            self._arm(due)
        self.options.touched(self.name)

    def keep(self, effects: Effects) -> None:
        """Put the records of a batch on disk at once, for a machine whose effects somebody else applies."""
        if effects.store and self.options.journal is not None:
            self.options.journal.write((effects,))
            self.options.journal.sync()
            self.machine.receive(RecordsStored(len(effects.store)), 0)

    def arm(self) -> None:
        """Set the timer for a machine that was fed by somebody else."""
        due = self.machine.deadline()
        if due is not None:
            self._arm(due)

    def _hold(self, sender: str, frame: Frame) -> None:
        if not self._held:
            self._agenda.at(self._resumes_ns, self._resume, self.incarnation)
        self._held.append((sender, frame))

    def _resume(self, now: int, incarnation: int, _: None) -> None:
        """The pause is over, unless it was made longer: take what arrived, in its order."""
        if incarnation != self.incarnation or not self.up:
            return
        if now < self._resumes_ns:
            self._agenda.at(self._resumes_ns, self._resume, incarnation)
            return
        held, self._held = self._held, deque()
        for sender, frame in held:
            self.arrive(now, sender, frame)

    def _event_for_us(self, frame: Frame) -> Event | None:
        """What the broker has work with: what is only passed on takes no time."""
        passes = type(frame) is Relayed and frame.way[-1] != self.name
        return None if passes else event_of(frame)

    def _enqueue(self, now: int, sender: str, frame: Frame, event: Event) -> None:
        if self.options.drop_expired and now > event.expires_ns:
            self._lose(now, frame, "expired")
            return
        assert self.options.service_ns is not None
        self._free_ns = max(now, self._free_ns) + self.options.service_ns()
        self._stand_in_line(sender, frame)

    def _stand_in_line(self, sender: str, frame: Frame) -> None:
        self._queue.append((sender, frame))
        self._agenda.at(self._free_ns, self._served, (frame, self._stood_ns), self.incarnation)

    def _served(self, now: int, work: tuple[Frame, int], incarnation: int) -> None:
        """The event at the head of the queue is done; `work` says what was entered, and how long we had stood then."""
        frame, stood_ns = work
        if not self.up or incarnation != self.incarnation:
            self._lose(now, frame, "crash")
        elif stood_ns < self._stood_ns:
            later = now + self._stood_ns - stood_ns
            self._agenda.at(later, self._served, (frame, self._stood_ns), incarnation)
        else:
            sender, frame = self._queue.popleft()
            self.feed(now, FramesArrived(sender, (frame,)))

    def _lose(self, now: int, frame: Frame, reason: str) -> None:
        if type(frame) is Publish:
            self._surroundings.never_taken(frame.event.id)
        event = event_of(frame)
        if event is not None:
            towards = _addressees(frame) if reason == "expired" else ()
            self._surroundings.given_up(now, self.name, DropEvent(event, reason, towards))

    # ---- what the machine wants

    def _apply(self, now: int, effects: Effects) -> None:
        if not effects.store and not self._unsynced:
            self._carry_out(now, effects)
            return
        self._unsynced.append(effects)
        if not self._syncing:
            self._sync(now)

    def _sync(self, now: int) -> None:
        """Write all that waits; what comes meanwhile is for the next sync."""
        journal = self.options.journal
        assert journal is not None, "a machine that stores records needs a journal"
        self._syncing = len(self._unsynced)
        try:
            takes_ns = journal.write(self._unsynced)
        except DiskError:
            self._stop(now)
            return
        if takes_ns:
            self._agenda.at(now + takes_ns, self._synced, self.incarnation, journal)
        else:
            self._synced(now, self.incarnation, journal)

    def _synced(self, now: int, incarnation: int, journal: Journal) -> None:
        """The records are on disk: what waited for them happens."""
        if incarnation != self.incarnation or not self.up:
            return
        if now < self._resumes_ns:
            self._agenda.at(self._resumes_ns, self._synced, incarnation, journal)
            return
        try:
            journal.sync()
        except DiskError:
            self._stop(now)
            return
        batches = [self._unsynced.popleft() for _ in range(self._syncing)]
        self._syncing = 0
        for batch in batches:
            self._carry_out(now, batch)
        while self._unsynced and not self._unsynced[0].store:
            self._carry_out(now, self._unsynced.popleft())
        if self._unsynced:
            self._sync(now)
        self.feed(now, RecordsStored(sum(len(batch.store) for batch in batches)))

    def _carry_out(self, now: int, effects: Effects) -> None:
        self._carrying = True
        for send in effects.send:
            channel = self._channels.get(send.to)
            if channel is not None:
                channel.send(now, send.frame)
            else:
                self._surroundings.to_client(now, self.name, send.to, send.frame)
        for delivery in effects.deliver:
            self._surroundings.to_clients(now, self.name, delivery)
        for drop in effects.report:
            self._surroundings.given_up(now, self.name, drop)
        self._carrying = False

    def _arm(self, due: int) -> None:
        self._timer_ns, self._is_awaited = due, self.machine.holds
        enter = self._agenda.at if self.machine.holds else self._agenda.in_background
        enter(max(due, self._agenda.now), self._ring, due, self.incarnation)

    def _ring(self, now: int, due: int, incarnation: int) -> None:
        """The timer; one that was re-armed or outlived its process rings in vain."""
        if due != self._timer_ns or incarnation != self.incarnation or not self.up:
            return
        if now < self._resumes_ns:
            self._timer_ns = None
            self._arm(self._resumes_ns)
            return
        self._timer_ns = None
        still_due = self.machine.deadline()
        if still_due is None or still_due > now:
            # What it was set for has come about meanwhile, as answers mostly do.
            self.arm()
            return
        self.machine.expire(now)
        self._apply(now, self.machine.drain())
        self.arm()
        self.options.touched(self.name)


def _addressees(frame: Frame) -> tuple[str, ...]:
    """The brokers that an event was for, where it says so."""
    if isinstance(frame, Packet):
        return frame.destinations
    return tuple(dict.fromkeys(way[-1] for way in frame.ways)) if isinstance(frame, Routed) else ()
