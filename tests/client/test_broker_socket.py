"""The socket, against a plain server."""

import asyncio

from client.brokers import until
from tidings.client.broker_socket import BrokerSocket


class Heard:
    """Notes what it is told."""

    def __init__(self):
        self.data, self.congestion, self.over = bytearray(), [], False

    def arrived(self, data):
        self.data += data

    def congested(self, *, is_so):
        self.congestion.append(is_so)

    def ended(self):
        self.over = True


def together(play):
    """Run a play with a socket and the server's side of it."""

    async def run():
        arrived = asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(lambda *pair: arrived.set_result(pair), "127.0.0.1", 0)
        heard = Heard()
        address = server.sockets[0].getsockname()[:2]
        _, socket = await asyncio.get_running_loop().create_connection(lambda: BrokerSocket(heard), *address)
        reader, writer = await arrived
        await play(socket, heard, reader, writer)
        socket.close()
        writer.transport.abort()
        await socket.gone.wait()
        assert heard.over
        socket.write(b"nobody")
        socket.read(wanted=True)
        server.close()

    asyncio.run(run())


def test_bytes_go_both_ways():
    """As they are."""

    async def play(socket, heard, reader, writer):
        socket.write(b"to the broker")
        assert await reader.readexactly(13) == b"to the broker"
        writer.write(b"to us")
        await until(lambda: bytes(heard.data) == b"to us")

    together(play)


def test_what_is_not_wanted_stays_in_the_socket():
    """Until it is."""

    async def play(socket, heard, reader, writer):
        socket.read(wanted=False)
        writer.write(b"x" * 10)
        socket.write(b"ping")
        assert await reader.readexactly(4) == b"ping"
        assert not heard.data
        socket.read(wanted=True)
        await until(lambda: len(heard.data) == 10)

    together(play)


def test_a_broker_that_does_not_read_is_noticed():
    """And that it reads again."""

    async def play(socket, heard, reader, writer):
        size = 0
        while not heard.congestion:
            socket.write(b"x" * (1 << 20))
            size += 1 << 20
        assert heard.congestion == [True]
        while size:
            size -= len(await reader.read(1 << 20))
        await until(lambda: heard.congestion == [True, False])

    together(play)


def test_the_end_is_told_whoever_ends():
    """Here the other side."""

    async def play(socket, heard, reader, writer):
        writer.close()
        await until(lambda: heard.over)

    together(play)
