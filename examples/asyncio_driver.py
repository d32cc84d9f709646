"""Runs the machines of Tidings over TCP on one host: the same brokers and clients that the simulator runs.

    python examples/asyncio_driver.py                           the demonstration of two_brokers.py
    python examples/asyncio_driver.py broker a --peer b         waits for b to call; prints `ready PORT`
    python examples/asyncio_driver.py broker b --peer a=PORT    calls a
    python examples/asyncio_driver.py subscribe s b=PORT 'topic == "quote" and price >= 10'
    python examples/asyncio_driver.py publish p a=PORT 'quote price=12.5' 'quote price=9'

An example, not a server: no disk, no rights, no encryption, 127.0.0.1 only. Every broker must be told the same brokers.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

import two_brokers
from command_line import arguments
from small_world import broker_options, event_of, text_of
from tidings.errors import PeerError, TidingsError
from tidings.node import Broker, Client, ClientOptions
from tidings.vocabulary.frames import Deliver
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.machine import (
    Effects,
    FramesArrived,
    Notice,
    PublishRequested,
    ShowAccepted,
    ShowEvent,
    ShowSubscribed,
    Started,
    SubscribeRequested,
)
from tidings.wire import Decoder, Hello, encode

LOOPBACK: Final = "127.0.0.1"
READ_BYTES: Final = 1 << 18
BUFFER_BYTES_MAX: Final = 1 << 23
"""Of what waits to be sent to one peer; one that falls further behind is cut off."""
PATIENCE_S: Final = 5.0
"""How long a publisher is kept waiting for one slow receiver before that receiver is cut off."""
CALL_AGAIN_S: Final = 0.1

Shown: TypeAlias = ShowEvent | ShowAccepted | ShowSubscribed


class Process:
    """One machine, its connections and its one timer."""

    def __init__(
        self, hello: Hello, machine: Broker | Client, *, peers: Iterable[str], show: Callable[[Shown], None]
    ) -> None:
        self.hello, self.machine, self.peers, self.show = hello, machine, tuple(peers), show
        self.writers: dict[str, asyncio.StreamWriter] = {}
        self.greeted = asyncio.Event()
        """Set when the first peer has said who it is."""
        self._timer: asyncio.TimerHandle | None = None

    def feed(self, notice: Notice | None) -> list[str]:
        """Feed, drain, apply, re-arm; None says that the timer has rung. Returns who has been written to."""
        now = time.monotonic_ns()
        try:
            if notice is None:
                self.machine.expire(now)
            else:
                self.machine.receive(notice, now)
        finally:  # what came before a bad frame still counts
            written = self.apply(self.machine.drain())
            self.arm(self.machine.deadline(), now)
        return written

    def arm(self, deadline: int | None, now: int) -> None:
        """Set the timer anew, or none."""
        if self._timer is not None:
            self._timer.cancel()
        wait_s = None if deadline is None else max(0, deadline - now) / SECOND
        self._timer = None if wait_s is None else asyncio.get_running_loop().call_later(wait_s, self.feed, None)

    def apply(self, effects: Effects) -> list[str]:
        """Send, deliver, show, in this order; one write for each destination. Nothing here can store."""
        assert not effects.store, "this example has no disk"
        outgoing: dict[str, list[bytes]] = {}
        for send in effects.send:
            outgoing.setdefault(send.to, []).append(encode(send.frame))
        for delivery in effects.deliver:
            assert isinstance(self.machine, Broker), "only brokers have clients"
            data = encode(Deliver(delivery.event))
            for number in delivery.clients.tolist():
                outgoing.setdefault(self.machine.clients[number], []).append(data)
        for name, frames in outgoing.items():
            if name in self.writers:  # who is not there misses it: interests are told again, events are not
                self._write(self.writers[name], b"".join(frames))
        for show in effects.show:
            self.show(show)
        return list(outgoing)

    def _write(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        writer.write(data)
        if writer.transport.get_write_buffer_size() > BUFFER_BYTES_MAX:
            writer.transport.abort()

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, from hello to end: all that has arrived is one batch."""
        decoder, name = Decoder(), ""
        writer.write(encode(self.hello))
        try:
            while data := await reader.read(READ_BYTES):
                frames = decoder.feed(data)
                if not name and decoder.peer is not None:
                    name = self._admit(decoder.peer, writer)
                written = self.feed(FramesArrived(name, frames)) if frames else []
                if name not in self.peers:  # brokers never wait for each other: they could wait in a circle
                    await self.settle(written)
            decoder.end()
        except (TidingsError, OSError) as problem:
            print(f"{self.hello.name}: {problem}", file=sys.stderr)
        finally:
            if self.writers.get(name) is writer:
                del self.writers[name]
            writer.close()

    def _admit(self, peer: Hello, writer: asyncio.StreamWriter) -> str:
        if (peer.role == "broker") != (peer.name in self.peers):
            raise PeerError(f"{peer.role} {peer.name!r} is not expected here; the brokers are {', '.join(self.peers)}")
        if peer.name in self.writers:  # it has come back before its old connection was missed
            self.writers[peer.name].transport.abort()
        self.writers[peer.name] = writer
        self.greeted.set()
        return peer.name

    async def settle(self, names: Iterable[str]) -> None:
        """Backpressure: wait until these have taken most of what they were sent; who does not is cut off."""
        for writer in [self.writers[name] for name in names if name in self.writers]:
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await writer.drain()
            except (TimeoutError, OSError):
                writer.transport.abort()

    async def call(self, port: int, *, again: bool) -> None:
        """Connect to a broker and talk until the connection ends; `again`: then start anew, for ever."""
        while True:
            try:
                await self.converse(*await asyncio.open_connection(LOOPBACK, port))
            except ConnectionRefusedError as problem:
                print(f"{self.hello.name}: {problem}", file=sys.stderr)
            if not again:
                return
            await asyncio.sleep(CALL_AGAIN_S)


def say(show: Shown) -> None:
    """One line on standard output for each thing that an application is shown."""
    match show:
        case ShowEvent(event):
            print("shown", text_of(event), flush=True)
        case ShowAccepted(event_id=identity):
            print("accepted", identity, flush=True)
        case ShowSubscribed(missing=missing):
            print("subscribed", *missing, flush=True)


async def run_broker(name: str, port: int, peers: dict[str, int]) -> None:
    """A broker, until a signal comes; peers with port 0 are waited for, the others are called, again and again."""
    process = Process(Hello(name, "broker"), Broker(broker_options(name, (name, *peers))), peers=peers, show=say)
    process.feed(Started(0))
    server = await asyncio.start_server(process.converse, LOOPBACK, port)
    print("ready", server.sockets[0].getsockname()[1], flush=True)
    calls = [process.call(there, again=True) for there in peers.values() if there]
    await asyncio.gather(server.serve_forever(), *calls)


async def run_client(name: str, address: tuple[str, int], notices: Sequence[Notice]) -> bool:
    """A client: asks for what is wanted; a publisher ends when all is accepted. True when it met a broker and all was."""
    unanswered = {notice.event.id for notice in notices if isinstance(notice, PublishRequested)}
    answered = asyncio.Event()

    def show(one: Shown) -> None:
        say(one)
        if isinstance(one, ShowAccepted):
            unanswered.discard(one.event_id)
            if not unanswered:
                answered.set()

    broker, port = address
    machine = Client(ClientOptions(name=name, broker=broker))
    process = Process(Hello(name, "client"), machine, peers=(broker,), show=show)
    talk = asyncio.create_task(process.call(port, again=False))
    greeted, done = (asyncio.create_task(one.wait()) for one in (process.greeted, answered))
    await asyncio.wait((talk, greeted), return_when=asyncio.FIRST_COMPLETED)
    for notice in notices:
        await process.settle(process.feed(notice))
    await asyncio.wait((talk, done), return_when=asyncio.FIRST_COMPLETED)
    return process.greeted.is_set() and not unanswered


async def run(asked: argparse.Namespace) -> bool:
    """Run what the command line names; true when it ended well."""
    if asked.kind is None:
        return await two_brokers.demonstrate()
    if asked.kind == "broker":
        await run_broker(asked.name, asked.port, dict(asked.peer))
    notices: list[Notice] = [
        SubscribeRequested(number, text)
        if asked.kind == "subscribe"
        else PublishRequested(event_of(asked.name, number, text))
        for number, text in enumerate(asked.texts)
    ]
    return await run_client(asked.name, asked.broker, notices)


if __name__ == "__main__":
    try:
        sys.exit(0 if asyncio.run(run(arguments(__doc__ or ""))) else 1)
    except (TidingsError, ValueError) as problem:
        sys.exit(f"asyncio_driver: {problem}")
