"""Health over HTTP: who may ask, and what is answered."""

import asyncio
from http import HTTPStatus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.inn import until
from tidings.runtime import health
from tidings.runtime.health import Answer, Counter, HealthSocket, answer_to, hosts_of

PAGES = {"/livez": lambda: Answer(HTTPStatus.OK, "alive\n")}
HOSTS = ("127.0.0.1:99", "localhost:99")


def asked(request):
    """The status of an answer."""
    return answer_to(request, PAGES, HOSTS).status


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1:99", 200),
        (b"GET /livez HTTP/1.0\r\nhost:localhost:99\r\nAccept: */*", 200),
        (b"HEAD /livez HTTP/1.1\r\nHost: localhost:99", 200),
        (b"GET /livez HTTP/1.1\r\nHost: evil.example:99", 421),
        (b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1", 421),
        (b"GET /livez HTTP/1.1", 421),
        (b"GET /livez HTTP/1.1\r\nHost: localhost:99\r\nHost: localhost:99", 421),
        (b"GET /livez HTTP/1.1\r\nHost: localhost:99\r\nOrigin: http://localhost:99", 403),
        (b"GET /livez HTTP/1.1\r\nHost: localhost:99\r\nOrigin: null", 403),
        (b"GET /livez HTTP/1.1\r\nHost: localhost:99\r\nSec-Fetch-Site: cross-site", 403),
        (b"GET /livez HTTP/1.1\r\nHost: localhost:99\r\nReferer: http://evil.example/", 403),
        (b"POST /livez HTTP/1.1\r\nHost: localhost:99", 405),
        (b"GET /../etc/passwd HTTP/1.1\r\nHost: localhost:99", 404),
        (b"GET /livez?x HTTP/1.1\r\nHost: localhost:99", 404),
        (b"GET http://localhost:99/livez HTTP/1.1\r\nHost: localhost:99", 404),
        (b"GET /livez HTTP/2\r\nHost: localhost:99", 505),
        (b"GET /livez", 400),
        (b"\xff", 400),
        (b"", 400),
        (b"GET /livez HTTP/1.1\r\nnothing", 400),
    ],
)
def test_who_may_ask_for_what(request_, status):
    """Not pages of browsers, not under another name, nothing but what is there."""
    assert asked(request_) == status


@given(st.binary(max_size=200))
def test_any_bytes_are_answered(data):
    """With a status, never with an error of ours."""
    assert asked(data) in set(HTTPStatus)


def test_a_head_has_no_body():
    """As HTTP has it."""
    assert answer_to(b"HEAD /livez HTTP/1.1\r\nHost: localhost:99", PAGES, HOSTS).text == ""


def test_names_of_hosts():
    """Of loopback also its name."""
    assert hosts_of("127.0.0.1", 5) == ("127.0.0.1:5", "localhost:5")
    assert hosts_of("::1", 5) == ("[::1]:5", "localhost:5")
    assert hosts_of("10.0.0.1", 5) == ("10.0.0.1:5",)


def served(play):
    """Run `play(port, counter)` beside a listener."""

    async def run():
        counter = Counter()
        server = await asyncio.get_running_loop().create_server(lambda: HealthSocket(PAGES, counter), "127.0.0.1", 0)
        await play(server.sockets[0].getsockname()[1], counter)
        await until(lambda: counter.open == 0)
        server.close()

    asyncio.run(run())


async def get(port, *parts):
    """What is answered to these pieces of a request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for part in parts:
        writer.write(part)
        await writer.drain()
        await asyncio.to_thread(lambda: None)
    try:
        return await reader.read()
    finally:
        writer.close()


def test_one_request_and_the_end():
    """In any pieces; too long a one is refused as soon as it is too long."""

    async def play(port, _counter):
        head = b"GET /livez HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % port
        for parts in ((head,), (head[:9], head[9:])):
            answer = await get(port, *parts)
            assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
            assert answer.endswith(b"\r\n\r\nalive\n")
        assert b" 431 " in await get(port, b"x" * (health.REQUEST_BYTES_MAX + 1))

    served(play)


def test_whoever_says_nothing_does_not_stay_and_there_is_room_for_some():
    """More than so many are ended at once; the others after some seconds."""
    before, health.PATIENCE_S = health.PATIENCE_S, 0.2

    async def play(port, counter):
        quiet = [await asyncio.open_connection("127.0.0.1", port) for _ in range(health.CONNECTIONS_MAX)]
        await until(lambda: counter.open == health.CONNECTIONS_MAX)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        quiet.append((reader, writer))
        for reader, _ in quiet:
            try:
                assert await reader.read() == b""
            except ConnectionResetError:
                continue
        for _, writer in quiet:
            writer.close()

    try:
        served(play)
    finally:
        health.PATIENCE_S = before
