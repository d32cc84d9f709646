"""A client's socket: bytes both ways, a limit for what waits, and some seconds of patience."""

import asyncio
import socket

import pytest

from runtime.inn import until
from tidings.runtime import client_socket
from tidings.runtime.client_socket import ClientSocket


class Recorder:
    """A driver that writes down what it is told."""

    def __init__(self):
        self.log, self.sockets = [], []

    def opened(self, one):
        self.sockets.append(one)
        self.log.append("opened")

    def arrived(self, one, data):
        self.log.append(data)

    def ended(self, one):
        self.log.append("ended")


@pytest.fixture
def impatient():
    """Patience that a test can wait for."""
    before, client_socket.PATIENCE_S = client_socket.PATIENCE_S, 0.05
    yield
    client_socket.PATIENCE_S = before


def conversed(play):
    """Run `play(driver, connection)`: a plain socket that is connected to a `ClientSocket`."""

    async def run():
        driver, loop = Recorder(), asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: ClientSocket(driver, waiting_bytes_max=10_000, principal=lambda _transport: "ann"), "127.0.0.1", 0
        )
        with socket.create_connection(server.sockets[0].getsockname()) as connection:
            await until(lambda: driver.sockets)
            await play(driver, connection)
        await until(lambda: driver.log[-1] == "ended")
        server.close()

    asyncio.run(run())


def test_bytes_go_both_ways():
    """And everybody learns of the end."""

    async def play(driver, connection):
        (one,) = driver.sockets
        assert (one.principal, one.is_open) == ("ann", True)
        connection.sendall(b"hello")
        await until(lambda: driver.log == ["opened", b"hello"])
        one.write(b"hi")
        assert connection.recv(10) == b"hi"

    conversed(play)


def test_nothing_is_written_to_nobody():
    """Nor is an ended connection ended."""

    async def play(driver, connection):
        (one,) = driver.sockets
        connection.close()
        await until(lambda: not one.is_open)
        one.write(b"x")
        one.close()

    conversed(play)


def test_whoever_does_not_read_is_cut_off(impatient):
    """When more waits than may, and patience has ended."""

    async def play(driver, connection):
        (one,) = driver.sockets
        one.write(bytes(30_000_000))
        await until(lambda: driver.log[-1] == "ended")

    conversed(play)


def test_whoever_catches_up_is_forgiven():
    """The clock stops when less waits."""

    async def play(driver, connection):
        (one,) = driver.sockets
        one.write(bytes(30_000_000))
        assert one._behind is not None
        one.pause_writing()
        loop = asyncio.get_running_loop()
        connection.setblocking(False)
        got = 0
        while got < 30_000_000:
            got += len(await loop.sock_recv(connection, 1 << 20))
        await until(lambda: one._behind is None)
        assert one.is_open

    conversed(play)


def test_an_end_comes_after_what_was_written(impatient):
    """And comes even when nobody reads it."""

    async def play(driver, connection):
        (one,) = driver.sockets
        one.write(b"bye")
        one.close()
        connection.setblocking(False)
        loop = asyncio.get_running_loop()
        assert await loop.sock_recv(connection, 10) == b"bye"
        assert await loop.sock_recv(connection, 10) == b""

    async def play_deaf(driver, connection):
        (one,) = driver.sockets
        one.write(bytes(30_000_000))
        one.close()
        await until(lambda: driver.log[-1] == "ended")

    conversed(play)
    conversed(play_deaf)


def test_what_waits_is_bounded_whatever_patience_there_is():
    """More than a socket may ever hold back ends it at once."""

    async def play(driver, connection):
        (one,) = driver.sockets
        one.write(bytes(30_000_000))
        assert one._behind is not None
        one.write(bytes(client_socket.WAITING_BYTES_MAX))
        await until(lambda: not one.is_open)

    conversed(play)


def test_whoever_publishes_too_fast_is_read_more_slowly():
    """For as long as it takes; then everything is read."""

    async def play(driver, connection):
        (one,) = driver.sockets
        assert one.address == "127.0.0.1"
        one.slow_down(1_000_000)
        assert one.transport.is_reading()
        one.slow_down(1_100_000)
        assert not one.transport.is_reading()
        connection.sendall(b"late")
        await until(lambda: b"late" in driver.log)
        one.slow_down(3_000_000)

    conversed(play)
