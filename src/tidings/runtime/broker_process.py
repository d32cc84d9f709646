"""One broker's life in one event loop: its port is taken, its data taken up, clients let in, and in the end everybody told.

A first signal drains: nobody new is let in, clients are told, what they were acknowledged is on disk, files are closed. A
second one ends all connections at once; what is acknowledged is on disk then, too. A disk that fails ends the process: what
was not acknowledged by then never is.
"""

import asyncio
import contextlib
import errno
import gc
import os
import resource
import signal
import ssl
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from tidings.errors import InputError, WorldError
from tidings.mqtt.notices import DrainBegun, Judge, RightsChanged
from tidings.runtime.accounts import Account
from tidings.runtime.client_socket import ClientSocket
from tidings.runtime.committer import Committer
from tidings.runtime.doorkeeper import Doorkeeper
from tidings.runtime.driver import BrokerDriver
from tidings.runtime.encryption import HANDSHAKE_S, named_by
from tidings.runtime.health import Answer, Counter, HealthSocket, Pages
from tidings.runtime.metrics import CONTENT_TYPE, Watched, exposition
from tidings.runtime.opening import OpenFront, Opening, open_front
from tidings.vocabulary.machine import DropEvent, SendFrame

BACKLOG: Final = 1_024
DRAIN_S: Final = 15.0
"""After this the connections that are left are cut."""
FILES_BESIDE: Final = 256
"""Files that a process needs beside its clients' sockets."""


@dataclass(frozen=True, slots=True)
class Entrance:
    """One listener for clients."""

    address: str
    port: int
    """0: any that is free."""
    trusted: str | None = None
    """The principal that everybody is who comes this way; None: they are asked."""
    context: ssl.SSLContext | None = None

    def __str__(self) -> str:
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"{host}:{self.port}{' with TLS' if self.context else ''}"


class Renewal(NamedTuple):
    """What may change while a process runs, besides rights and certificates, which change in place."""

    accounts: Mapping[str, Account]
    anonymous: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessOptions:
    """What a process is told: what it opens, and who may come in where."""

    opening: Opening
    entrances: Sequence[Entrance]
    accounts: Mapping[str, Account] = field(default_factory=dict)
    anonymous: str | None = None
    """Who comes without a name; None: nobody may."""
    connections_max: int = 1_024
    health: tuple[str, int] | None = None
    """Address and port of `/livez`, `/readyz` and `/metrics`."""
    renew: Callable[[], Renewal] | None = None
    """Reads all again that may change; InputError leaves everything as it was."""


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
        self.door: Doorkeeper
        self._opened: OpenFront
        self._is_ready = False

    async def run(self) -> None:
        """From nothing to nothing; returns when the broker has been drained, raises when it could not go on."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._broken)
        _allow_files(self.options.connections_max + FILES_BESIDE)
        async with contextlib.AsyncExitStack() as stack:
            self._heed_signals(stack)
            servers = [await self._bind(one) for one in self.options.entrances]
            for server in servers:
                stack.callback(server.close)
            opened = open_front(self.options.opening)
            stack.callback(opened.close)
            committer = None if opened.store is None else Committer(opened.store, failed=self._failed)
            if committer is not None:
                stack.callback(committer.close)
            self.door = Doorkeeper(self.options.accounts, anonymous=self.options.anonymous)
            stack.callback(self.door.close)
            self.driver = BrokerDriver(opened.front, committer, self)
            self._opened = opened
            self._tell_of(opened)
            await self._serve_health(stack)
            await self._serve(servers)
        if self._problem is not None:
            raise self._problem

    def stop(self) -> None:
        """Drain and end; said a second time: end at once."""
        if self._stopping.is_set():
            self._hurrying.set()
        self._stopping.set()

    # ---- being there

    def _heed_signals(self, stack: contextlib.AsyncExitStack) -> None:
        loop = asyncio.get_running_loop()
        actions = {signal.SIGTERM: self.stop, signal.SIGINT: self.stop, signal.SIGHUP: self._renew}
        for number, action in actions.items():
            loop.add_signal_handler(number, action)
            stack.callback(loop.remove_signal_handler, number)

    async def _bind(self, one: Entrance) -> asyncio.Server:
        """Take the port, and let nobody in."""
        loop = asyncio.get_running_loop()
        patience_s = HANDSHAKE_S if one.context is not None else None
        try:
            return await loop.create_server(
                partial(self._socket, one),
                one.address,
                one.port,
                start_serving=False,
                backlog=BACKLOG,
                ssl=one.context,
                ssl_handshake_timeout=patience_s,
                ssl_shutdown_timeout=patience_s,
            )
        except OSError as problem:
            raise _port_refused(one, problem) from None

    def _tell_of(self, opened: OpenFront) -> None:
        if opened.torn:
            self._say("the last write of an earlier life had not finished; it was never acknowledged, and is cut")
        if opened.claims_dropped:
            self._say(f"{opened.claims_dropped} events that sessions waited for were too old, or had no room: given up")

    async def _serve(self, servers: Sequence[asyncio.Server]) -> None:
        gc.collect()
        gc.freeze()  # what is there now stays: no collection need look at it again
        places = []
        for one, server in zip(self.options.entrances, servers, strict=True):
            try:
                await server.start_serving()
            except OSError as problem:
                raise _port_refused(one, problem) from None
            places.append(str(replace(one, port=server.sockets[0].getsockname()[1])))
        self._is_ready = True
        self._say(f"ready on {', '.join(places)}, MQTT 5 and 3.1.1")
        await self._stopping.wait()
        for server in servers:
            server.close()
        if self._problem is None:
            await self._drain()

    async def _serve_health(self, stack: contextlib.AsyncExitStack) -> None:
        if self.options.health is None:
            return
        (address, port), counter = self.options.health, Counter()
        pages: Pages = {"/livez": _alive, "/readyz": self._readiness, "/metrics": self._metrics}
        try:
            server = await asyncio.get_running_loop().create_server(lambda: HealthSocket(pages, counter), address, port)
        except OSError as problem:
            raise _port_refused(Entrance(address, port), problem) from None
        stack.callback(server.close)
        self._say(f"health on {replace(Entrance(address, port), port=server.sockets[0].getsockname()[1])}")

    def _readiness(self) -> Answer:
        """No matter what others do: this process takes clients, and its disk has not failed."""
        if self._is_ready and not self._stopping.is_set():
            return Answer(HTTPStatus.OK, "ready\n")
        return Answer(HTTPStatus.SERVICE_UNAVAILABLE, "not taking clients\n")

    def _metrics(self) -> Answer:
        opened, driver = self._opened, self.driver
        watched = Watched(opened.front, self.door, driver.committer, opened.store, driver.connections)
        return Answer(HTTPStatus.OK, exposition(watched), CONTENT_TYPE)

    def _socket(self, entrance: Entrance) -> asyncio.Protocol:
        if self.driver.connections >= self.options.connections_max:
            return _Full()
        limits = self.options.opening.limits
        return ClientSocket(
            self.driver,
            waiting_bytes_max=limits.waiting_bytes_max,
            principal=partial(_principal, entrance),
            rate=limits.publish_rate,
        )

    def _renew(self) -> None:
        """Read users, rights and certificates again; a config that is not right changes nothing."""
        if self.options.renew is None:
            return
        try:
            new = self.options.renew()
        except InputError as problem:
            self._say(f"not read again: {problem}")
            return
        self.door.replace(new.accounts, anonymous=new.anonymous)
        self.driver.tell(RightsChanged())
        self._say("users, rights and certificates are read again; all else takes a restart")

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

    def judge(self, question: Judge, address: str, answer: Callable[[str | None], None]) -> None:
        """The doorkeeper knows, or finds out."""
        self.door.ask(address, question.user_name, question.password, answer)

    def send(self, frames: list[SendFrame]) -> None:
        """There are no neighbours."""
        assert not frames, "a lone broker sends nothing to neighbours"

    def refuse(self, neighbour: str, sentence: str) -> None:
        """Whoever the broker machine complains about is one of our own clients, and the front has checked those."""
        raise AssertionError(f"{neighbour}: {sentence}")

    def report(self, drops: list[DropEvent]) -> None:
        """Counted by the front."""


class _Full(asyncio.Protocol):
    """Whom there is no room for."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ended before anything is said."""
        assert isinstance(transport, asyncio.Transport)
        transport.abort()


def _alive() -> Answer:
    return Answer(HTTPStatus.OK, "alive\n")


def _principal(entrance: Entrance, transport: asyncio.Transport) -> str | None:
    """Who somebody is without being asked: trusted, or known by a certificate."""
    if entrance.trusted is not None:
        return entrance.trusted
    return named_by(transport.get_extra_info("peercert")) if entrance.context is not None else None


def _allow_files(count: int) -> None:
    """As many open files as the system lets us have, up to `count`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _port_refused(one: Entrance, problem: OSError) -> WorldError:
    what = "in use by another process" if problem.errno == errno.EADDRINUSE else os.strerror(problem.errno or 0).lower()
    return WorldError(f"port {one.port} of {one.address}: {what}; choose another port")
