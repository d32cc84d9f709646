"""The example runs for real: processes, sockets, and the same machines as everywhere."""

import asyncio
import subprocess
import sys
from collections import deque

import pytest

from asyncio_driver import BUFFER_BYTES_MAX, LOOPBACK, Process
from small_world import EVENTS, WANTED, WISH, broker_options, event_of, text_of
from tidings.node import Broker, Client, ClientOptions
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.frames import Deliver, Forward, Subscribe
from tidings.vocabulary.machine import FramesArrived, PublishRequested, ShowEvent, Started, SubscribeRequested
from tidings.wire import Decoder, Hello, encode
from two_brokers import DRIVER, Programs, line, shown_events

PATIENCE_S = 60.0
MIXED = 'symbol in ("IBM", "SUN") and not price > 20 or topic == "weather" and exists(rain)'
MIXED_EVENTS = (
    'quote price=12 symbol="IBM"',
    'quote price=21 symbol="IBM"',
    'quote price=12 symbol="HAL"',
    "weather rain=true",
    "weather wind=3",
    "other rain=1",
    'quote symbol="SUN"',
    "weather rain=0.5",
)


def wanted(wish, events):
    """The texts of the events that a wish holds for, on topics that have a tree."""
    return [
        text
        for number, text in enumerate(events)
        if holds(parsed(wish), event_of("p", number, text)) and not text.startswith("other")
    ]


def real(scenario):
    """Run a coroutine that is given `Programs`, in bounded time; everything that it started has ended afterwards."""

    async def run():
        programs = Programs()
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await scenario(programs)
        finally:
            await programs.stop()
            assert all(process.returncode is not None for process in programs._running)

    return asyncio.run(run())


def driver(*words):
    """The ended example with these words."""
    words = [sys.executable, str(DRIVER), *words]
    return subprocess.run(words, check=False, capture_output=True, text=True, timeout=2 * PATIENCE_S)


def test_the_demonstration_shows_what_is_wanted_and_says_so():
    """Two broker processes, a subscriber and a publisher; exit code 0."""
    ended = driver()
    assert (ended.returncode, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    assert lines[0] == f"wanted: {WISH}"
    assert lines[1:] == [f"{'shown    ' if text in WANTED else 'not shown'}  {text}" for text in EVENTS]


@pytest.mark.parametrize(
    ("wish", "events"), [(WISH, EVENTS), (MIXED, MIXED_EVENTS)], ids=["of the demonstration", "a mixed one"]
)
def test_processes_show_what_a_filter_holds_for(wish, events):
    """Over sockets: exactly that, in the order published."""
    expected = wanted(wish, events)
    assert 0 < len(expected) < len(events)
    assert real(lambda programs: shown_events(programs, wish, events, expected[-1])) == expected


def pumped(wish, events):
    """What the subscriber is shown when the same machines are joined by a queue."""
    machines = {name: Broker(broker_options(name, "ab")) for name in "ab"}
    machines |= {"s": Client(ClientOptions(name="s", broker="b")), "p": Client(ClientOptions(name="p", broker="a"))}
    flying, shown = deque(), []

    def feed(name, notice):
        machines[name].receive(notice, 0)
        effects = machines[name].drain()
        flying.extend((name, send.to, send.frame) for send in effects.send)
        for one in effects.deliver:
            flying.extend((name, machines[name].clients[number], Deliver(one.event)) for number in one.clients)
        shown.extend(text_of(show.event) for show in effects.show if isinstance(show, ShowEvent))

    def carry():
        for _ in range(1_000):
            if not flying:
                return
            sender, to, frame = flying.popleft()
            feed(to, FramesArrived(sender, (frame,)))
        pytest.fail("the machines never come to rest")

    for name in "ab":
        feed(name, Started(0))
    feed("s", SubscribeRequested(0, wish))
    carry()
    for number, text in enumerate(events):
        feed("p", PublishRequested(event_of("p", number, text)))
    carry()
    return shown


@pytest.mark.parametrize(("wish", "events"), [(WISH, EVENTS), (MIXED, MIXED_EVENTS)])
def test_machines_without_sockets_show_the_same(wish, events):
    """The driver adds nothing and takes nothing away."""
    assert pumped(wish, events) == wanted(wish, events)
    assert pumped(WISH, EVENTS) == list(WANTED)


@pytest.mark.parametrize(
    "spoken",
    [
        b"\x00\x00\x00\x00",
        b"GET / HTTP/1.1\r\n\r\n",
        encode(Hello("b", "client")),
        encode(Hello("stranger", "broker")),
        encode(Hello("c", "client")) + encode(Forward(event_of("p", 0, "quote price=99"))),
    ],
    ids=[
        "zero length",
        "another protocol",
        "a client named like a broker",
        "an unknown broker",
        "a client that forwards",
    ],
)
def test_whoever_breaks_the_protocol_is_cut_off_and_nobody_else(spoken):
    """The connection ends after the broker's hello; the broker goes on."""

    async def scenario(programs):
        port = int((await line(await programs.start("broker", "a", "--peer", "b")))[1])
        reader, writer = await asyncio.open_connection(LOOPBACK, port)
        writer.write(spoken)
        decoder = Decoder()
        assert decoder.feed(await reader.read()) == []
        assert decoder.peer == Hello("a", "broker")
        writer.close()
        publisher = await programs.start("publish", "p", f"a={port}", "quote price=1")
        return await line(publisher)

    assert real(scenario) == ["accepted", "0"]


def test_who_does_not_read_is_cut_off_before_memory_runs_out():
    """A subscriber with open arms and closed eyes."""

    async def scenario():
        process = Process(Hello("a", "broker"), Broker(broker_options("a", "ab")), peers="b", show=print)
        process.feed(Started(0))
        server = await asyncio.start_server(process.converse, LOOPBACK, 0)
        _, writer = await asyncio.open_connection(LOOPBACK, server.sockets[0].getsockname()[1])
        writer.write(encode(Hello("s", "client")) + encode(Subscribe(0, "true")))
        await process.greeted.wait()
        event = event_of("p", 0, f'quote text="{"x" * 500_000}"')
        process.feed(FramesArrived("s", (Subscribe(0, "true"),)))
        connection = process.writers["s"].transport
        sent = 0
        while not connection.is_closing():
            event = type(event)(sent, *(getattr(event, name) for name in event.__struct_fields__[1:]))
            process.feed(FramesArrived("b", (Forward(event),)))
            assert connection.get_write_buffer_size() <= BUFFER_BYTES_MAX + 600_000
            sent += 1
        assert sent > BUFFER_BYTES_MAX // 600_000
        writer.close()
        server.close()
        await server.wait_closed()

    async def bounded():
        async with asyncio.timeout(PATIENCE_S):
            await scenario()

    asyncio.run(bounded())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("subscribe", "s", "a=1", "price >"), "Subscribe cannot be sent: filter, column"),
        (("publish", "p", "a=1", "quote price=twelve"), "not a literal"),
        (("publish", "p", "a=1", "quote price=12"), "p: "),
    ],
    ids=["a bad filter", "a bad event", "nobody there"],
)
def test_what_cannot_be_done_is_said_in_a_line(words, sentence):
    """Exit code 1, no traceback. Port 1 is nobody's."""
    ended = driver(*words)
    assert ended.returncode == 1
    assert sentence in ended.stderr
    assert "Traceback" not in ended.stderr
