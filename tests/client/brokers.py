"""Brokers for tests of the client: Debian's mosquitto as a process of its own, ours, and a line to either that can be cut."""

import asyncio
import contextlib
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from runtime.real_broker import RealBroker

PATIENCE_S = 30.0
"""Longer than anything here takes."""
NOT_THERE = "mosquitto is not installed: make servers"


def free_port():
    """A port of loopback that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Mosquitto:
    """One process on a free port; a context that ends it. `lines` go into its configuration."""

    scheme = "mqtt"

    def __init__(self, *lines, port=None, anonymous=True):
        self.path = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
        if self.path is None:
            pytest.skip(NOT_THERE)
        self.port = port or free_port()
        self._lines = [f"listener {self.port} 127.0.0.1", f"allow_anonymous {str(anonymous).lower()}", *lines]
        self._folder = tempfile.TemporaryDirectory()
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()
        self._folder.cleanup()

    def start(self):
        """Returns when it takes connections."""
        config = Path(self._folder.name) / "mosquitto.conf"
        # Started by root it would become somebody else, who may not read what a test has written.
        config.write_text("\n".join([*self._lines, "user root", "log_type error", ""]), "utf-8")
        self.process = subprocess.Popen([self.path, "-c", config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(int(PATIENCE_S / 0.05)):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1.0):
                return
            with contextlib.suppress(subprocess.TimeoutExpired):
                raise AssertionError(f"mosquitto has ended: {self.process.wait(0.05)}")
        raise AssertionError("mosquitto does not take connections")

    def kill(self):
        """Without a word."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(PATIENCE_S)
            self.process = None

    @property
    def url(self):
        """Where it is."""
        return f"{self.scheme}://127.0.0.1:{self.port}"


class Tidings:
    """Our own broker; a context that ends it."""

    def __init__(self, *arguments, port=0):
        self._arguments, self._wanted = arguments, port
        self.broker = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()

    def start(self):
        """The first time on a free port, later on the same one."""
        self.broker = RealBroker(*self._arguments, port=self._wanted)
        self.broker.wait_ready()
        self._wanted = self.broker.port

    def kill(self):
        """As kill -9 does."""
        self.broker.kill()

    @property
    def port(self):
        """Where it listens."""
        return self.broker.port

    @property
    def url(self):
        """Where it is."""
        return f"mqtt://127.0.0.1:{self.port}"


KINDS = {"mosquitto": Mosquitto, "tidings": Tidings}


class Line:
    """A way to a broker that counts, cuts and holds back; an asynchronous context."""

    def __init__(self, broker):
        self._broker = broker
        self._pairs = []
        self.connections = self.cuts = 0
        self.left = None
        """Bytes in both directions until the next cut; None: none."""

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"mqtt://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_):
        self._server.close()
        self.cut()
        await self._server.wait_closed()

    def cut(self):
        """Every connection, in the middle of whatever is said."""
        pairs, self._pairs = self._pairs, []
        self.cuts += bool(pairs)
        for one in pairs:
            for writer in one:
                writer.transport.abort()

    async def _serve(self, reader, writer):
        self.connections += 1
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._broker.port)
        except OSError:
            writer.transport.abort()
            return
        pair = (writer, far_writer)
        self._pairs.append(pair)
        await asyncio.gather(self._pump(reader, far_writer, pair), self._pump(far_reader, writer, pair))

    async def _pump(self, reader, writer, pair):
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 12):
                if self.left is not None:
                    self.left -= len(data)
                    if self.left <= 0:
                        writer.write(data[: max(0, len(data) + self.left)])
                        self.left = None
                        self.cut()
                        return
                writer.write(data)
                await writer.drain()
        for one in pair:
            one.transport.abort()


async def collected(subscription, count, into=None):
    """Payloads of so many events."""
    found = [] if into is None else into
    async with asyncio.timeout(PATIENCE_S):
        while len(found) < count:
            batch = await subscription.next_batch()
            assert batch, f"it ended after {len(found)} of {count}"
            found += [event.payload for event in batch]
    return found


async def until(holds):
    """Let the loop run until something holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            over = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_later(0.01, over.set_result, None)
            await over
