"""Getting events to neighbours that acknowledge them: sent again until they do, kept while they cannot be reached.

Clients that acknowledge are served like neighbours. One to whom others bring events too is sent only what it has not
acknowledged in time, and is owed a bounded number of events. Per neighbour the events that it has not acknowledged, oldest first. A neighbour that answers is sent whatever is new at
once, and again what it leaves unanswered; one that is lost is sent nothing until it is back, and then everything. What
expires meanwhile is dropped when its turn comes, and counted.
"""

from collections.abc import Iterable, Iterator, Sequence

from tidings.delivery.backlog import BACKLOG_MAX
from tidings.delivery.round_trip import RoundTrip
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Deliver, Forward
from tidings.vocabulary.machine import DropEvent, SendFrame

SWEEP_MIN = 1_024
"""Events for a lost neighbour that may lie there expired before somebody looks."""


class _Sent:
    """One event on its way to one neighbour."""

    __slots__ = ("attempts", "event", "sent_ns")

    def __init__(self, event: Event) -> None:
        self.event, self.sent_ns, self.attempts = event, 0, 0


class Outbox:
    """What one neighbour is owed."""

    __slots__ = ("_repairs", "_round_trip", "_sweep_at", "frame", "is_lost", "neighbour", "owed", "timer_ns")

    def __init__(self, neighbour: str, frame: type[Forward | Deliver] = Forward, *, repairs: bool = False) -> None:
        self.neighbour, self.frame = neighbour, frame
        self._repairs = repairs
        """Others bring the events, too: one is sent when it was not acknowledged in time, and not before."""
        self.owed: dict[int, _Sent] = {}
        self.is_lost = False
        self.timer_ns: int | None = None
        self._round_trip = RoundTrip()
        self._sweep_at = SWEEP_MIN

    def put(self, event: Event, now: int) -> bool:
        """Owe an event; True when it is to be sent now."""
        entry = self.owed[event.id] = _Sent(event)
        if not self.is_lost:
            self._sends(entry, now)
        return not (self.is_lost or self._repairs)

    def take_out(self, event_id: int, now: int) -> bool:
        """The neighbour has the event; False when it was not owed."""
        entry = self.owed.pop(event_id, None)
        if entry is None:
            return False
        if entry.attempts == 1 and not self._repairs:
            self._round_trip.measured(now - entry.sent_ns)
        else:
            self._round_trip.answered()
        if not self.owed:
            self.timer_ns = None
        return True

    def again(self, now: int) -> list[Event]:
        """The timer has rung: whatever has waited too long is to be sent once more."""
        limit = now - self._round_trip.patience_ns
        late = [entry for entry in self.owed.values() if entry.sent_ns <= limit]
        if late:
            self._round_trip.missed()
        self.timer_ns = None
        for entry in late:
            self._sends(entry, now)
        self._rearm()
        return [entry.event for entry in late]

    def everything(self, now: int) -> list[Event]:
        """The neighbour is there: all that it is owed is to be sent."""
        self._round_trip = RoundTrip()
        self.timer_ns = None
        for entry in self.owed.values():
            self._sends(entry, now)
        return [] if self._repairs else [entry.event for entry in self.owed.values()]

    def rest(self) -> None:
        """The neighbour is lost: nothing is sent until it is back."""
        self.is_lost, self.timer_ns = True, None

    def expired(self, now: int) -> list[Event]:
        """Take out, and give, what nobody may be shown any more."""
        gone = [entry.event for entry in self.owed.values() if now > entry.event.expires_ns]
        for event in gone:
            del self.owed[event.id]
        if not self.owed:
            self.timer_ns = None
        self._sweep_at = max(SWEEP_MIN, 2 * len(self.owed))
        return gone

    def overflow(self) -> Event | None:
        """Take out, and give, the oldest event when a client is owed too many."""
        if self.frame is Forward or len(self.owed) <= BACKLOG_MAX:
            return None
        return self.owed.pop(next(iter(self.owed))).event

    @property
    def wants_sweeping(self) -> bool:
        """True when so much has gathered that looking for what has expired costs little by comparison."""
        return len(self.owed) > self._sweep_at

    def _sends(self, entry: _Sent, now: int) -> None:
        entry.sent_ns = now
        entry.attempts += 1
        if self.timer_ns is None:
            self.timer_ns = now + self._round_trip.patience_ns

    def _rearm(self) -> None:
        if self.owed:
            oldest = min(entry.sent_ns for entry in self.owed.values())
            self.timer_ns = oldest + self._round_trip.patience_ns


class Courier:
    """All neighbours of one broker together."""

    def __init__(self, neighbours: Iterable[str], *, drop_expired: bool) -> None:
        self._outboxes = {name: Outbox(name) for name in neighbours}
        self._clients: dict[str, None] = {}
        self._drop_expired = drop_expired
        self._left: dict[int, int] = {}
        """By event, how many neighbours are still owed it."""
        self._finished: list[int] = []
        self._dropped: list[DropEvent] = []

    def serves(self, name: str) -> bool:
        """True for neighbours."""
        return name in self._outboxes

    def serve(self, client: str, *, repairs: bool) -> None:
        """A client acknowledges events; `repairs`: others bring them to it, too. Saying it again changes nothing."""
        if client not in self._outboxes:
            self._outboxes[client] = Outbox(client, Deliver, repairs=repairs)
            self._clients[client] = None

    def dismiss(self, client: str) -> None:
        """A client is owed nothing more."""
        for event_id in self._outboxes.pop(client).owed:
            self._settle(event_id)
        del self._clients[client]

    def send(self, event: Event, towards: Sequence[str], now: int) -> list[SendFrame]:
        """Owe `event` to the neighbours `towards`, and send it to those who are there."""
        if towards:
            self._left[event.id] = len(towards)
        sends = []
        for name in towards:
            outbox = self._outboxes[name]
            if outbox.put(event, now):
                sends.append(SendFrame(name, outbox.frame(event)))
            elif outbox.wants_sweeping:
                self._sweep(outbox, now)
            pushed_out = outbox.overflow()
            if pushed_out is not None:
                self._dropped.append(DropEvent(pushed_out, "queue", (name,)))
                self._settle(pushed_out.id)
        return sends

    def received(self, neighbour: str, event_ids: Iterable[int], now: int) -> None:
        """The neighbour has these in safe keeping."""
        outbox = self._outboxes[neighbour]
        for event_id in event_ids:
            if outbox.take_out(event_id, now):
                self._settle(event_id)

    def lost(self, neighbour: str) -> None:
        """The neighbour cannot be reached; one that is never sent anything does not matter."""
        if neighbour in self._outboxes:
            self._outboxes[neighbour].rest()

    def back(self, neighbour: str, now: int) -> list[SendFrame]:
        """The neighbour can be reached again: it is sent all that it is owed, and still wants."""
        outbox = self._outboxes.get(neighbour)
        if outbox is None:
            return []
        outbox.is_lost = False
        self._sweep(outbox, now)
        return [SendFrame(neighbour, outbox.frame(event)) for event in outbox.everything(now)]

    def due(self, now: int) -> list[SendFrame]:
        """Send again what was left unanswered for too long."""
        return [
            SendFrame(outbox.neighbour, outbox.frame(event))
            for outbox in self._outboxes.values()
            if outbox.timer_ns is not None and outbox.timer_ns <= now
            for event in self._again(outbox, now)
        ]

    @property
    def deadline(self) -> int | None:
        """When `due` has something to do."""
        due = None
        for outbox in self._outboxes.values() if self._left else ():
            timer_ns = outbox.timer_ns
            if timer_ns is not None and (due is None or timer_ns < due):
                due = timer_ns
        return due

    @property
    def owes(self) -> bool:
        """True while anybody has not acknowledged everything, but for clients that cannot be reached."""
        if not self._clients:
            return bool(self._left)
        return any(one.owed and not (name in self._clients and one.is_lost) for name, one in self._outboxes.items())

    def owed(self) -> dict[int, list[str]]:
        """By event, the neighbours that have not acknowledged it."""
        found: dict[int, list[str]] = {}
        for name, outbox in self._outboxes.items():
            for event_id in outbox.owed:
                found.setdefault(event_id, []).append(name)
        return found

    def owed_to(self, neighbour: str) -> Iterator[Event]:
        """What a neighbour is owed, oldest first."""
        return (entry.event for entry in self._outboxes[neighbour].owed.values())

    def owed_to_clients(self) -> Iterator[tuple[str, Event]]:
        """What clients are owed, each with its name."""
        return ((name, event) for name in self._clients for event in self.owed_to(name))

    def is_lost(self, neighbour: str) -> bool:
        """True while the neighbour cannot be reached."""
        return self._outboxes[neighbour].is_lost

    @property
    def has_news(self) -> bool:
        """True when something was finished or dropped that nobody has taken yet."""
        return bool(self._finished or self._dropped)

    def take_finished(self) -> list[int]:
        """Events that nobody is owed any more since the last call."""
        finished, self._finished = self._finished, []
        return finished

    def take_dropped(self) -> list[DropEvent]:
        """Events that were given up since the last call, and for whom."""
        dropped, self._dropped = self._dropped, []
        return dropped

    def _again(self, outbox: Outbox, now: int) -> list[Event]:
        self._sweep(outbox, now)
        return outbox.again(now)

    def _sweep(self, outbox: Outbox, now: int) -> None:
        if not self._drop_expired:
            return
        for event in outbox.expired(now):
            self._dropped.append(DropEvent(event, "expired", (outbox.neighbour,)))
            self._settle(event.id)

    def _settle(self, event_id: int) -> None:
        self._left[event_id] -= 1
        if not self._left[event_id]:
            del self._left[event_id]
            self._finished.append(event_id)
