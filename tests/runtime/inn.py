"""A broker of one in this very process: a front, a driver and a port, with a real disk or none; and clients to visit it."""

import asyncio
import contextlib
import time

from tidings.matching import LinearMatcher
from tidings.mqtt.front import Earlier, Front
from tidings.mqtt.house import FrontOptions
from tidings.mqtt.rights import ALL_RIGHTS
from tidings.node import Broker, BrokerOptions
from tidings.routing import TableOptions
from tidings.runtime.client_socket import ClientSocket
from tidings.runtime.committer import Committer
from tidings.runtime.data_folder import DataFolder
from tidings.runtime.driver import BrokerDriver
from tidings.runtime.store import Store, StoreOptions
from tidings.vocabulary.machine import RecordsStored
from tidings.wire.mqtt_decode import MqttDecoder
from tidings.wire.mqtt_encode import encode_packet
from tidings.wire.mqtt_packets import Connect

PATIENCE_S = 30.0
"""Longer than anything here takes."""


class Inn:
    """The broker; an asynchronous context."""

    def __init__(
        self, *, folder=None, neighbours=(), trusted="", segment_bytes=1 << 20, waiting_bytes_max=1 << 20, **options
    ):
        self._folder, self._neighbours, self._trusted = folder, neighbours, trusted
        self._segment_bytes, self._waiting_bytes_max, self._options = segment_bytes, waiting_bytes_max, options
        self.sent, self.refused, self.reports, self.failures, self.questions = [], [], [], [], []
        self.visitors = []

    async def __aenter__(self):
        self.front = Front(
            FrontOptions(
                name="inn", rights_of=lambda _name: ALL_RIGHTS, durable=self._folder is not None, **self._options
            ),
            lambda ahead: Broker(
                BrokerOptions(
                    name="inn",
                    neighbours={"all": self._neighbours},
                    tree_of=lambda _topic: "all",
                    table=TableOptions(new_matcher=LinearMatcher, ahead=ahead),
                    clients_kept=True,
                )
            ),
        )
        self.committer = None
        if self._folder is None:
            self.front.start(Earlier(), time.monotonic_ns())
        else:
            self._open()
        self.driver = BrokerDriver(self.front, self.committer, self)
        self._server = await asyncio.get_running_loop().create_server(self._socket, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def _open(self):
        self.folder = DataFolder(self._folder)
        self.store = Store(self.folder, StoreOptions(owner="inn", segment_bytes=self._segment_bytes))
        found = self.store.found
        earlier = Earlier(checkpoint=found.checkpoint, records=found.data, first=found.first)
        claims = self.front.start(earlier, time.monotonic_ns())
        self.front.drain()
        self.store.begin(self.front.checkpoint(), claims)
        self.front.receive(RecordsStored(1), time.monotonic_ns())
        self.committer = Committer(self.store, failed=self.failures.append)

    async def __aexit__(self, *_):
        self._server.close()
        for visitor in self.visitors:
            visitor.leave()
            with contextlib.suppress(OSError):
                await visitor.writer.wait_closed()
        await until(lambda: not self.driver.connections)
        if self.committer is not None:
            if not self.failures:
                await self.committer.settled()
            self.committer.close()
            self.store.close()
            self.folder.close()

    def _socket(self):
        return ClientSocket(
            self.driver, waiting_bytes_max=self._waiting_bytes_max, principal=lambda _transport: self._trusted
        )

    # ---- what the driver leaves to others

    def judge(self, question, address, answer):
        self.questions.append((question, answer))

    def send(self, frames):
        self.sent += frames

    def refuse(self, neighbour, sentence):
        self.refused.append((neighbour, sentence))

    def report(self, drops):
        self.reports += drops


class Visitor:
    """One client over a real socket, packet by packet."""

    def __init__(self, reader, writer, version):
        self.reader, self.writer, self.version = reader, writer, version
        self._decoder = MqttDecoder("server", version=version)
        self._heard = []

    @classmethod
    async def come(cls, inn, client_id, *, version=5, ssl=None, **fields):
        """Connect to whoever has a port and a list of visitors, and say so."""
        reader, writer = await asyncio.open_connection("127.0.0.1", inn.port, ssl=ssl)
        visitor = cls(reader, writer, version)
        inn.visitors.append(visitor)
        await visitor.say(Connect(client_id=client_id, version=version, **fields))
        return visitor

    def send(self, *packets):
        """Send packets in one write, whether they are read or not."""
        self.writer.write(b"".join(encode_packet(packet, self.version) for packet in packets))

    async def say(self, *packets):
        """Send packets, and wait while too many are not read."""
        self.send(*packets)
        await self.writer.drain()

    async def hear(self, count=1):
        """The next so many packets; EOFError when the connection ends before."""
        async with asyncio.timeout(PATIENCE_S):
            while len(self._heard) < count:
                data = await self.reader.read(1 << 16)
                if not data:
                    raise EOFError(f"only {self._heard}")
                self._heard += self._decoder.feed(data)
        heard, self._heard = self._heard[:count], self._heard[count:]
        return heard

    async def end(self):
        """Read until the broker has ended the connection; gives what came before."""
        with contextlib.suppress(EOFError, ConnectionError):
            await self.hear(1 << 30)
        return self._heard

    def leave(self):
        """Break the connection."""
        self.writer.transport.abort()


async def until(holds):
    """Let the loop run until something holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            await a_moment()


async def a_moment(seconds=0.005):
    """Let the loop run for so long."""
    loop = asyncio.get_running_loop()
    over = loop.create_future()
    loop.call_later(seconds, over.set_result, None)
    await over
