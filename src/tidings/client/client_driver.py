"""Runs a client machine in an event loop: the recipe of all machines, and a task that keeps it connected.

feed     what the application wants and what arrives
drain    the machine, once for everything that one round of the loop brings
apply    bytes; then answers, grants, events, the end
re-arm   one timer
"""

import asyncio
import os
import ssl
import time
from collections.abc import Callable, Sequence
from typing import Final

from tidings.client.broker_socket import BrokerSocket
from tidings.client.itinerary import Itinerary
from tidings.client.places import Place
from tidings.client.settings import Settings, machine_options, tls_context
from tidings.errors import NoConnection, TidingsError
from tidings.mqtt_client.machine import ClientMachine, Phase
from tidings.mqtt_client.notices import (
    Answer,
    BytesArrived,
    CloseRequested,
    Congested,
    Connected,
    Disconnected,
    Granted,
    Notice,
    Show,
)
from tidings.vocabulary.instant import SECOND

_LATEST_S: Final = 3600.0
_CONNECT_S: Final = 10.0
"""For one attempt: name, socket, encryption."""


class ClientDriver:
    """One client's, in one loop."""

    def __init__(self, places: Sequence[Place], settings: Settings) -> None:
        self._loop = asyncio.get_running_loop()
        self._settings = settings
        self._itinerary = Itinerary(places)
        self._tls = tls_context(settings) if any(one.tls for one in places) else None
        self.machine = ClientMachine(machine_options(places[0], settings))
        self.place: Place | None = None
        """Where we are connected, or were last."""
        self.failure: TidingsError | None = None
        """Why nothing more will come of this client."""
        self.last_problem = "no broker was reached"
        self.answered: Callable[[Answer], None]
        self.granted: Callable[[Granted], None]
        self.shown: Callable[[Show], None]
        self.failed: Callable[[TidingsError], None]
        self.has_room, self.is_open, self.is_done = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._socket: BrokerSocket | None = None
        self._turn_due = False
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    # ---- what happens

    def begin(self) -> None:
        """Connect, and stay connected."""
        self.has_room.set()
        self.is_done.set()
        self._task = self._loop.create_task(self._stay_connected())

    def tell(self, notice: Notice) -> None:
        """Something has happened: fed at once, drained with all else that this round of the loop brings."""
        self.machine.receive(notice, time.monotonic_ns())
        if not self._turn_due:
            self._turn_due = True
            self._loop.call_soon(self._turn)

    def arrived(self, data: bytes) -> None:
        """Bytes came in."""
        self.tell(BytesArrived(data))

    def congested(self, *, is_so: bool) -> None:
        """More waits to be written than should, or no longer."""
        self.tell(Congested(is_so))

    def ended(self) -> None:
        """The connection is gone."""
        self._socket = None
        self.tell(Disconnected())

    async def end(self, *, over: bool) -> None:
        """Say goodbye, and end; a session that is not over is kept by the broker."""
        socket = self._socket
        if self._task is not None:
            self._task.cancel()
        if self.machine.phase is not Phase.OVER:
            self.tell(CloseRequested(over))
            self._turn()
        if socket is not None:
            await socket.gone.wait()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        if self._timer is not None:
            self._timer.cancel()

    # ---- the recipe

    def _turn(self) -> None:
        self._turn_due = False
        machine, socket = self.machine, self._socket
        effects = machine.drain()
        if socket is not None:
            if effects.write:
                socket.write(b"".join(effects.write))
            if effects.close:
                socket.close()
                self._socket = None
            else:
                socket.read(wanted=machine.wants_reading)
        for answer in effects.answers:
            self.answered(answer)
        for granted in effects.granted:
            self.granted(granted)
        for show in effects.show:
            self.shown(show)
        _set(self.has_room, is_so=not machine.outbox.is_full)
        _set(self.is_open, is_so=machine.phase is Phase.OPEN)
        _set(self.is_done, is_so=machine.is_done)
        if effects.failed is not None:
            self._fail(effects.failed)
        self._arm()

    def _fail(self, problem: TidingsError) -> None:
        if self.failure is None:
            self.failure = problem
            for event in (self.has_room, self.is_open, self.is_done):  # nobody waits for what will never be
                event.set()
            self.failed(problem)

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = self.machine.deadline()
        if due is not None:
            wait_s = min(max(0, due - time.monotonic_ns()) / SECOND, _LATEST_S)
            self._timer = self._loop.call_later(wait_s, self._rang)

    def _rang(self) -> None:
        self._timer = None
        self.machine.expire(time.monotonic_ns())
        self._turn()

    # ---- connections

    async def _stay_connected(self) -> None:
        while self.failure is None:
            place, wait_s = self._itinerary.next(os.urandom(1)[0] / 255)
            await asyncio.sleep(wait_s)
            before = self.machine.counts.connections
            socket = await self._reach(place)
            if socket is None:
                self._itinerary.came_to_nothing()
                continue
            self.place, self._socket = place, socket
            began_s = self._loop.time()
            self.tell(Connected())
            await socket.gone.wait()
            if self.machine.counts.connections > before:
                self._itinerary.was_let_in(self._loop.time() - began_s)
            else:
                self._itinerary.came_to_nothing()
                self.last_problem = f"{place}: the broker ended the connection without letting us in"

    async def _reach(self, place: Place) -> BrokerSocket | None:
        tls = self._tls if place.tls else None
        try:
            async with asyncio.timeout(_CONNECT_S):
                _, socket = await self._loop.create_connection(
                    lambda: BrokerSocket(self), place.host, place.port, ssl=tls
                )
        except ssl.SSLCertVerificationError as problem:
            self.last_problem = f"{place}: its certificate is not to be believed ({problem.verify_message})"
            self._fail(NoConnection(self.last_problem))
        except TimeoutError:
            self.last_problem = f"{place}: no answer within {_CONNECT_S:g} seconds"
        except OSError as problem:
            self.last_problem = f"{place}: cannot be reached ({_reason(problem)})"
        else:
            return socket
        return None


def _set(event: asyncio.Event, *, is_so: bool) -> None:
    event.set() if is_so else event.clear()


def _reason(problem: OSError) -> str:
    if isinstance(problem, ssl.SSLError):
        return f"TLS: {problem.reason or problem}"
    return problem.strerror or str(problem)
