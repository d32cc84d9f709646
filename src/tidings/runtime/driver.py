"""Runs a front in an event loop: the recipe of all machines, once for everything that one round of the loop brings.

feed     what arrived on all connections
drain    the front, once
apply    bytes that depend on nothing; then the records, synced; then all other bytes, frames, reads, ends
re-arm   one timer
"""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

from tidings.mqtt.front import Front
from tidings.mqtt.notices import (
    BytesArrived,
    ConnectionEnded,
    ConnectionOpened,
    FrontEffects,
    FrontNotice,
    Judge,
    Judged,
    RecordsRead,
)
from tidings.runtime.client_socket import ClientSocket
from tidings.runtime.committer import Batch, Committer
from tidings.runtime.store import Stored
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.machine import DropEvent, RecordsStored, SendFrame

LATEST_S: Final = 3600.0
"""asyncio's clock takes no longer waits than some; the timer is set anew then."""


class Outside(Protocol):
    """What a driver leaves to others."""

    def judge(self, question: Judge, address: str, answer: Callable[[str | None], None]) -> None:
        """Find out who somebody is who connects from there; the answer is a principal, or None."""

    def send(self, frames: list[SendFrame]) -> None:
        """Frames for neighbours."""

    def refuse(self, neighbour: str, sentence: str) -> None:
        """A neighbour has broken the rules."""

    def report(self, drops: list[DropEvent]) -> None:
        """For the logs."""


class BrokerDriver:
    """One front's, in one loop."""

    def __init__(self, front: Front, committer: Committer | None, outside: Outside) -> None:
        """Without a committer nothing is stored, and nothing waits for a disk."""
        self.front, self.committer, self.outside = front, committer, outside
        self._loop = asyncio.get_running_loop()
        self._sockets: dict[int, ClientSocket] = {}
        self._next_number = 0
        self._turn_due = False
        self._timer: asyncio.TimerHandle | None = None
        self._empty = asyncio.Event()
        self._empty.set()

    # ---- what happens

    def opened(self, socket: ClientSocket) -> None:
        """A client has connected."""
        socket.number, self._next_number = self._next_number, self._next_number + 1
        self._sockets[socket.number] = socket
        self._empty.clear()
        self.tell(ConnectionOpened(socket.number, socket.principal))

    def arrived(self, socket: ClientSocket, data: bytes) -> None:
        """Bytes came in from a client."""
        self.tell(BytesArrived(socket.number, data))
        socket.slow_down(self.front.published_on(socket.number))

    def ended(self, socket: ClientSocket) -> None:
        """A client's connection is gone."""
        if self._sockets.pop(socket.number, None) is not None:
            self.tell(ConnectionEnded(socket.number))
            if not self._sockets:
                self._empty.set()

    def tell(self, notice: FrontNotice) -> None:
        """Something has happened: fed at once, drained with all else that this round of the loop brings."""
        self.front.receive(notice, time.monotonic_ns())
        if not self._turn_due:
            self._turn_due = True
            self._loop.call_soon(self._turn)

    @property
    def connections(self) -> int:
        """Clients that are connected."""
        return len(self._sockets)

    async def emptied(self) -> None:
        """Returns when nobody is connected."""
        await self._empty.wait()

    def cut_all(self) -> None:
        """End all connections at once, whatever still waits to be written."""
        for socket in list(self._sockets.values()):
            socket.transport.abort()

    async def settled(self) -> None:
        """Returns when everything that has happened is applied; not to be relied on after a failure of the disk."""
        while True:
            await asyncio.sleep(0)
            if self.committer is not None:
                await self.committer.settled()
            if not self._turn_due:
                return

    # ---- the recipe

    def _turn(self) -> None:
        self._turn_due = False
        effects = self.front.drain()
        self._write(effects.at_once)
        if self.committer is None:
            self._apply(effects)
        else:
            batch = Batch(effects.records, effects.claims, effects.released)
            self.committer.commit(batch, partial(self._apply, effects))
            if self.committer.wants_checkpoint:
                records = self.front.checkpoint()
                self.committer.begin(records, partial(self.tell, RecordsStored(len(records))))
        if effects.report:
            self.outside.report(effects.report)
        for question in effects.judge:
            self._judge(question)
        self._arm()

    def _apply(self, effects: FrontEffects) -> None:
        """The batch is on disk."""
        self._write(effects.after)
        if effects.send:
            self.outside.send(effects.send)
        for read in effects.read:
            assert self.committer is not None, "what is not stored is not read"
            self.committer.read(read.numbers, partial(self._found, read.session))
        for number in effects.close:
            self._close(number)
        for neighbour, sentence in effects.refused:
            self.outside.refuse(neighbour, sentence)
        if effects.records and self.committer is not None:
            self.tell(RecordsStored(len(effects.records)))

    def _write(self, parcels: list[tuple[int, list[bytes]]]) -> None:
        """One write for each destination."""
        for number, parts in parcels:
            socket = self._sockets.get(number)
            if socket is not None:
                socket.write(b"".join(parts))

    def _found(self, session: int, numbers: list[int], found: list[Stored]) -> None:
        self.tell(RecordsRead(session, numbers, found))

    def _judge(self, question: Judge) -> None:
        """Nothing more is read from somebody of whom nobody knows who it is."""
        socket = self._sockets.get(question.connection)
        if socket is None:
            return
        socket.transport.pause_reading()

        def answer(principal: str | None) -> None:
            if socket.is_open:
                socket.transport.resume_reading()
            self.tell(Judged(question.connection, principal))

        self.outside.judge(question, socket.address, answer)

    def _close(self, number: int) -> None:
        socket = self._sockets.get(number)
        if socket is not None:
            socket.close()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = self.front.deadline()
        if due is not None:
            wait_s = min(max(0, due - time.monotonic_ns()) / SECOND, LATEST_S)
            self._timer = self._loop.call_later(wait_s, self._rang)

    def _rang(self) -> None:
        self._timer = None
        self.front.expire(time.monotonic_ns())
        self._turn()
