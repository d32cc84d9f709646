"""Endpoints of an order in a network that is a black box: it loses, repeats, delays and reorders whatever it carries.

No brokers, no links: a payload published on a name comes to each listener by itself, when it comes. For campaigns over
many seeds, and to hold the protocol to nothing but what `tidings.sequencing.port` asks of a network.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tidings.errors import PeerError, StaleTerm
from tidings.sequencing import Endpoint, Wishes, decoded, encoded
from tidings.simulation.agenda import Agenda
from tidings.vocabulary.instant import MILLISECOND

Apply: TypeAlias = Callable[[int, Wishes], None]
"""Takes what an endpoint shows and reports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxLaw:
    """What the network does to each copy, and how long disks take. Means of exponential laws, and chances."""

    delay_ns: int = 20 * MILLISECOND
    slow: float = 0.05
    """Share of copies that take ten times as long."""
    loss: float = 0.0
    repeat: float = 0.0
    sync_ns: int = MILLISECOND
    listen_ns: int = 50 * MILLISECOND
    """Until the network knows that somebody listens, or does not any more."""


class BoxLog:
    """A log that outlives the processes of its stage, and takes records from the last that has opened it."""

    def __init__(self) -> None:
        self.records: list[bytes] = []
        self.term = 0

    def open(self) -> tuple[int, Sequence[bytes]]:
        """Begin a new term."""
        self.term += 1
        return self.term, tuple(self.records)

    def append(self, term: int, records: Sequence[bytes]) -> None:
        """Append and sync, for the owner of the last term only."""
        if term != self.term:
            raise StaleTerm(term, self.term)
        self.records += records


class BlackBox:
    """The network, the time, and everybody in it."""

    def __init__(self, law: BoxLaw, draw: np.random.Generator) -> None:
        self.law, self.draw = law, draw
        self.agenda = Agenda()
        self.refused = 0
        """Payloads that an endpoint would not take."""
        self.lossy = True
        """While false, nothing is lost or repeated."""
        self._listeners: dict[str, dict[int, Seat]] = {}
        self._seats = 0

    def seat(self, endpoint: Endpoint, apply: Apply, *, log: BoxLog | None = None, term: int = 0) -> "Seat":
        """A process with this endpoint; what it has to say at its start leaves at once."""
        self._seats += 1
        seat = Seat(self, self._seats, endpoint, apply)
        seat.log, seat.term = log, term
        seat.finish(self.agenda.now)
        return seat

    def publish(self, now: int, name: str, payload: bytes) -> None:
        """A copy to everybody who listens to the name, as far as the network knows."""
        for seat in list(self._listeners.get(name, {}).values()):
            for _ in range(self._copies()):
                self.agenda.at(now + self._delay(), seat.arrive, name, payload)

    def listen(self, now: int, name: str, seat: "Seat", *, begins: bool) -> None:
        """The network will know it some time."""
        self.agenda.at(now + round(self.draw.exponential(self.law.listen_ns)), self._heard, name, (seat, begins))

    def everybody_listens(self) -> None:
        """Subscriptions made so far are known from now on, as before the beginning of a version."""
        while self.agenda.head is not None and not self.agenda.is_over:
            self.agenda.step()

    def _heard(self, _now: int, name: str, who: tuple["Seat", bool]) -> None:
        seat, begins = who
        listeners = self._listeners.setdefault(name, {})
        if begins:
            listeners[seat.number] = seat
        else:
            listeners.pop(seat.number, None)

    def _copies(self) -> int:
        if not self.lossy:
            return 1
        if self.draw.random() < self.law.loss:
            return 0
        return 2 if self.draw.random() < self.law.repeat else 1

    def _delay(self) -> int:
        slow = 10 if self.draw.random() < self.law.slow else 1
        return round(self.draw.exponential(self.law.delay_ns * slow))


class Seat:
    """One process: the driver's recipe, with a log that takes time, crashes and pauses."""

    def __init__(self, box: BlackBox, number: int, endpoint: Endpoint, apply: Apply) -> None:
        self.box, self.number, self.endpoint = box, number, endpoint
        self._apply = apply
        self.up = True
        self.log: BoxLog | None = None
        self.term = 0
        self._resumes_ns = 0
        self._unsynced: deque[Wishes] = deque()
        self._syncing = 0
        self._timer: tuple[int, bool] | None = None
        """When it rings, and whether the world waits for it."""

    def arrive(self, now: int, name: str, payload: bytes) -> None:
        """A copy comes in; a process that stands still finds it when it goes on."""
        if not self.up:
            return
        if now < self._resumes_ns:
            self.box.agenda.at(self._resumes_ns, self.arrive, name, payload)
            return
        try:
            self.endpoint.receive(name, decoded(payload), now)
        except PeerError:
            self.box.refused += 1
        self.finish(now)

    def crash(self) -> None:
        """Everything in memory is gone; of what was being written any part from its beginning on may be on the log."""
        self.up = False
        records = [record for batch in list(self._unsynced)[: self._syncing] for record in batch.store]
        if self.log is not None and self.log.term == self.term:
            self.log.append(self.term, records[: int(self.box.draw.integers(len(records) + 1))])

    def pause(self, until: int) -> None:
        """Nothing happens here until then, and nothing is lost."""
        self._resumes_ns = max(until, self._resumes_ns)

    def finish(self, now: int) -> None:
        """Drain, apply, re-arm."""
        wishes = self.endpoint.drain()
        if wishes.store or self._unsynced:
            self._unsynced.append(wishes)
            if not self._syncing:
                self._sync(now)
        else:
            self._carry_out(now, wishes)
        self._arm()

    def _sync(self, now: int) -> None:
        """Group commit: all that waits, and what comes meanwhile waits for the next."""
        self._syncing = len(self._unsynced)
        takes_ns = round(self.box.draw.exponential(self.box.law.sync_ns))
        self.box.agenda.at(now + takes_ns, self._synced)

    def _synced(self, now: int, _one: None, _other: None) -> None:
        if not self.up:
            return
        if now < self._resumes_ns:
            self.box.agenda.at(self._resumes_ns, self._synced)
            return
        assert self.log is not None, "an endpoint that stores records needs a log"
        batches = [self._unsynced.popleft() for _ in range(self._syncing)]
        self._syncing = 0
        try:
            self.log.append(self.term, [record for batch in batches for record in batch.store])
        except StaleTerm:
            self.up = False
            return
        for batch in batches:
            self._carry_out(now, batch)
        if self._unsynced:
            self._sync(now)

    def _carry_out(self, now: int, wishes: Wishes) -> None:
        for name in wishes.listen:
            self.box.listen(now, name, self, begins=True)
        for name in wishes.leave:
            self.box.listen(now, name, self, begins=False)
        for name, message in wishes.tell:
            self.box.publish(now, name, encoded(message))
        self._apply(now, wishes)

    def _arm(self) -> None:
        due, holds = self.endpoint.deadline(), self.endpoint.holds
        if due is not None and self._timer != (due, holds):
            self._timer = due, holds
            enter = self.box.agenda.at if holds else self.box.agenda.in_background
            enter(max(due, self.box.agenda.now), self._ring, self._timer)

    def _ring(self, now: int, timer: tuple[int, bool], _: None) -> None:
        """The timer; one that was re-armed rings in vain."""
        if timer != self._timer or not self.up:
            return
        if now < self._resumes_ns:
            self.box.agenda.at(self._resumes_ns, self._ring, timer)
            return
        self._timer = None
        self.endpoint.expire(now)
        self.finish(now)
