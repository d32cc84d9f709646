"""The driver with real sockets: encryption, silence, brokers that are none."""

import asyncio

import pytest

import tidings
from client.brokers import Line, Mosquitto, collected, until
from client.certificates import make_certificates
from tidings.client.client_driver import ClientDriver
from tidings.client.settings import read_settings
from tidings.errors import NoConnection, PeerError


class Encrypted(Mosquitto):
    """With certificates; a client must have one, too."""

    scheme = "mqtts"

    def __init__(self, folder):
        super().__init__(
            f"cafile {folder / 'ca.pem'}",
            f"certfile {folder / 'broker.pem'}",
            f"keyfile {folder / 'broker.key'}",
            "require_certificate true",
        )


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """A folder with all of them."""
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def encrypted(certificates):
    """One broker for all tests here."""
    with Encrypted(certificates) as one:
        yield one


def test_it_talks_through_tls_with_certificates_on_both_sides(encrypted, certificates):
    """What goes in comes out."""

    async def run():
        ours = {"certificate": certificates / "client.pem", "key": certificates / "client.key"}
        async with tidings.connect(encrypted.url, ca=certificates / "ca.pem", **ours) as client:
            subscription = client.subscribe("t")
            await subscription.ready()
            await client.publish("t", b"x" * 100_000)
            assert await collected(subscription, 1) == [b"x" * 100_000]

    asyncio.run(run())


def failure(url, **settings):
    """Why there is no connection."""

    async def run():
        async with tidings.connect(url, **{"patience": "500ms", **settings}):
            pass

    with pytest.raises((NoConnection, PeerError)) as problem:
        asyncio.run(run())
    return str(problem.value)


def test_a_broker_that_cannot_be_believed_is_left_at_once(encrypted, certificates):
    """Another authority; the right one, but another name; nobody known to the system."""
    for ca in ("stranger.pem", None):
        settings = {} if ca is None else {"ca": certificates / ca}
        assert "not to be believed" in failure(encrypted.url, patience="20s", **settings)
    named = encrypted.url.replace("127.0.0.1", "localhost")
    assert "not to be believed" in failure(named, ca=certificates / "ca.pem", patience="20s")


def test_a_broker_that_wants_a_certificate_gets_one_or_lets_nobody_in(encrypted, certificates):
    """The reason is the broker's."""
    said = failure(encrypted.url, ca=certificates / "ca.pem")
    assert encrypted.url in said


def test_plain_text_and_tls_do_not_meet(encrypted, certificates):
    """Either way round."""
    assert "without letting us in" in failure(encrypted.url.replace("mqtts", "mqtt"))
    with Mosquitto() as plain:
        assert "cannot be reached" in failure(plain.url.replace("mqtt:", "mqtts:"), ca=certificates / "ca.pem")


def served(serve, check):
    """Run a check against somebody who is no broker."""

    async def run():
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        try:
            return await check(f"mqtt://127.0.0.1:{port}")
        finally:
            server.close()

    return asyncio.run(run())


def test_nonsense_is_no_broker():
    """A web server, say."""

    async def serve(reader, writer):
        await reader.read(10)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    async def check(url):
        with pytest.raises(PeerError, match="the broker has broken the protocol"):
            await tidings.connect(url).__aenter__()

    served(serve, check)


def test_silence_is_no_broker_either():
    """The program is told when its patience ends."""

    async def serve(reader, writer):
        await reader.read()
        writer.close()

    async def check(url):
        with pytest.raises(NoConnection):
            await tidings.connect(url, patience="200ms").__aenter__()

    served(serve, check)


def test_names_that_nobody_knows():
    """One line."""
    assert "mqtt://nowhere.invalid:1883: cannot be reached" in failure("mqtt://nowhere.invalid")


def test_a_broker_that_falls_silent_is_left():
    """Its keep-alive is over, and it has not answered: the next connection serves."""

    async def run(broker):
        async with Line(broker) as line:
            places, settings = read_settings((line.url,), {"keep_alive": "1s"})
            driver = ClientDriver(places, settings)
            driver.answered = driver.granted = driver.shown = driver.failed = lambda _what: None
            driver.begin()
            await until(driver.is_open.is_set)
            driver._socket.read(wanted=False)  # what the broker answers is not heard
            driver.machine._answer_by_ns = 1
            driver._rang()
            await until(lambda: line.connections == 2 and driver.is_open.is_set())
            assert driver.failure is None
            await driver.end(over=True)

    with Mosquitto() as broker:
        asyncio.run(run(broker))
