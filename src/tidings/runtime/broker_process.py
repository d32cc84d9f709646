"""One broker's life in one event loop: its port is taken, its data taken up, clients let in, and in the end everybody told.

A first signal drains: nobody new is let in, clients are told, what they were acknowledged is on disk, files are closed. A
second one ends all connections at once; what is acknowledged is on disk then, too. A disk that fails ends the process: what
was not acknowledged by then never is.
"""

import asyncio
import errno
import gc
import os
import signal
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from tidings.errors import WorldError
from tidings.matching import BitsetMatcher
from tidings.mqtt.front import Ahead, BrokerMachine
from tidings.mqtt.notices import DrainBegun, Judge
from tidings.node import Broker, BrokerOptions
from tidings.routing import TableOptions
from tidings.runtime.client_socket import ClientSocket
from tidings.runtime.committer import Committer
from tidings.runtime.driver import BrokerDriver
from tidings.runtime.opening import OpenFront, Opening, open_front
from tidings.vocabulary.machine import DropEvent, SendFrame

LOOPBACK: Final = "127.0.0.1"
DRAIN_S: Final = 15.0
"""After this the connections that are left are cut."""
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_TREE: Final = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessOptions:
    """What a process is told: what it opens, and where it listens."""

    opening: Opening
    port: int
    """0: any that is free."""


class BrokerProcess:
    """The process; `run` is its life."""

    def __init__(self, options: ProcessOptions, say: Callable[[str], None]) -> None:
        """`say` is told, in sentences, what whoever operates the broker may want to know."""
        self.options, self._say = options, say
        self._stopping = asyncio.Event()
        self._hurrying = asyncio.Event()
        self._failing = asyncio.Event()
        self._problem: BaseException | None = None
        self.driver: BrokerDriver

    async def run(self) -> None:
        """From nothing to nothing; returns when the broker has been drained, raises when it could not go on."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._broken)
        for number in _SIGNALS:
            loop.add_signal_handler(number, self.stop)
        server = await self._bind()
        try:
            opened = open_front(self.options.opening)
            try:
                await self._serve(server, opened)
            finally:
                opened.close()
        finally:
            server.close()
            for number in _SIGNALS:
                loop.remove_signal_handler(number)
        if self._problem is not None:
            raise self._problem

    def stop(self) -> None:
        """Drain and end; said a second time: end at once."""
        if self._stopping.is_set():
            self._hurrying.set()
        self._stopping.set()

    # ---- being there

    async def _bind(self) -> asyncio.Server:
        """Take the port, and let nobody in."""
        loop, port = asyncio.get_running_loop(), self.options.port
        try:
            return await loop.create_server(self._socket, LOOPBACK, port, start_serving=False)
        except OSError as problem:
            raise _port_refused(port, problem) from None

    async def _serve(self, server: asyncio.Server, opened: OpenFront) -> None:
        if opened.torn:
            self._say("the last write of an earlier life had not finished; it was never acknowledged, and is cut")
        if opened.claims_dropped:
            self._say(f"{opened.claims_dropped} events that sessions waited for were too old, or had no room: given up")
        committer = None if opened.store is None else Committer(opened.store, failed=self._failed)
        try:
            self.driver = BrokerDriver(opened.front, committer, self)
            gc.collect()
            gc.freeze()  # what is there now stays: no collection need look at it again
            port = server.sockets[0].getsockname()[1]
            try:
                await server.start_serving()
            except OSError as problem:
                raise _port_refused(port, problem) from None
            self._say(f"ready on {LOOPBACK}:{port}, MQTT 5 and 3.1.1")
            await self._stopping.wait()
            server.close()
            if self._problem is None:
                await self._drain()
        finally:
            if committer is not None:
                committer.close()

    def _socket(self) -> ClientSocket:
        waiting = self.options.opening.limits.waiting_bytes_max
        return ClientSocket(self.driver, waiting_bytes_max=waiting, principal=lambda _transport: "")

    async def _drain(self) -> None:
        """Tell everybody, and wait until all is written: bytes to clients, records to the disk."""
        self._say(f"draining: {self.driver.connections} connections")
        self.driver.tell(DrainBegun())
        await self._until(self.driver.emptied(), DRAIN_S)
        self.driver.cut_all()
        if await self._until(self._all_settled(), None):
            self._say("drained")

    async def _all_settled(self) -> None:
        await self.driver.emptied()
        await self.driver.settled()

    async def _until(self, wait: Coroutine[Any, Any, None], seconds: float | None) -> bool:
        """Wait for something, but no longer than so many seconds, nor on after a failure or, with a limit, a second signal."""
        waits = [asyncio.create_task(one) for one in (wait, self._failing.wait())]
        if seconds is not None:
            waits.append(asyncio.create_task(self._hurrying.wait()))
        done, left = await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for one in left:
            one.cancel()
        return waits[0] in done

    # ---- what goes wrong

    def _failed(self, problem: BaseException) -> None:
        """The disk has failed: nobody is told anything that is not true, and the next start finds what is there."""
        self._problem = self._problem or problem
        self._stopping.set()
        self._failing.set()

    def _broken(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """An error that nobody has caught: a connection's own troubles are nothing, all else is our bug, and ends us."""
        problem = context.get("exception")
        if problem is None or isinstance(problem, OSError):
            return
        self._failed(problem)

    # ---- what the driver leaves to others

    def judge(self, _question: Judge, answer: Callable[[str | None], None]) -> None:
        """Nobody is asked: everybody who can connect is trusted."""
        answer("")

    def send(self, frames: list[SendFrame]) -> None:
        """There are no neighbours."""
        assert not frames, "a lone broker sends nothing to neighbours"

    def refuse(self, neighbour: str, sentence: str) -> None:
        """Whoever the broker machine complains about is one of our own clients, and the front has checked those."""
        raise AssertionError(f"{neighbour}: {sentence}")

    def report(self, drops: list[DropEvent]) -> None:
        """Counted by the front."""


def lone_broker(name: str) -> Callable[[Ahead], BrokerMachine]:
    """Makes the machine of a broker without neighbours."""
    return partial(_lone_machine, name)


def _lone_machine(name: str, ahead: Ahead) -> BrokerMachine:
    return Broker(
        BrokerOptions(
            name=name,
            neighbours={_TREE: ()},
            tree_of=lambda _topic: _TREE,
            table=TableOptions(new_matcher=BitsetMatcher, ahead=ahead),
            clients_kept=True,
        )
    )


def _port_refused(port: int, problem: OSError) -> WorldError:
    what = "in use by another process" if problem.errno == errno.EADDRINUSE else os.strerror(problem.errno or 0).lower()
    return WorldError(f"port {port} of {LOOPBACK}: {what}; give --port another")
