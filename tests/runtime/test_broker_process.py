"""The broker as a process: what it says, how it starts and ends, and what outlives it; with clients that others wrote."""

import asyncio
import contextlib
import errno
import http.client
import re
import resource
import signal
import socket
import subprocess
import threading
import time

import msgspec
import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties as PahoProperties

from mqtt.lobby import LASTING, said, wish
from runtime.inn import Visitor, until
from runtime.real_broker import PATIENCE_S, RealBroker, mosquitto, refused, visited
from tidings.runtime.broker_process import BrokerProcess, Entrance, _port_refused
from tidings.runtime.furnishing import lone_options
from tidings.wire.mqtt_packets import Connack, Disconnect, Puback
from tidings.wire.mqtt_reasons import Reason


@pytest.fixture(scope="module")
def house():
    """One broker for all tests that leave nothing behind."""
    with RealBroker() as broker:
        yield broker


# ---- clients that others wrote


@pytest.mark.parametrize("version", ["mqttv311", "mqttv5"])
def test_debian_clients_talk_to_each_other(house, version):
    """mosquitto_sub is shown what mosquitto_pub says, with each quality of service, in order."""
    topic = f"debian/{version}"
    listener = mosquitto(
        "mosquitto_sub",
        house.port,
        "-V",
        version,
        "-t",
        f"{topic}/+",
        "-q",
        "2",
        "-C",
        "3",
        "-F",
        "%t %q %p",
        "-d",
        wait=False,
    )
    for line in listener.stdout:
        if line.startswith("Subscribed"):
            break
    for qos in range(3):
        mosquitto("mosquitto_pub", house.port, "-V", version, "-t", f"{topic}/{qos}", "-q", str(qos), "-m", f"m{qos}")
    shown, _ = listener.communicate(timeout=PATIENCE_S)
    shown = [line for line in shown.splitlines() if line.startswith(topic)]
    assert shown == [f"{topic}/{qos} {qos} m{qos}" for qos in range(3)]


@pytest.mark.parametrize("version", [MQTTProtocolVersion.MQTTv311, MQTTProtocolVersion.MQTTv5])
def test_paho_clients_talk_to_each_other(house, version):
    """A hundred messages with each quality of service; all are acknowledged and shown in order."""
    shown, complete, subscribed = [], threading.Event(), threading.Event()

    def on_message(_client, _data, message):
        shown.append((message.qos, message.payload))
        if len(shown) == 300:
            complete.set()

    listener = paho.Client(CallbackAPIVersion.VERSION2, "listener", protocol=version)
    listener.on_message = on_message
    listener.on_subscribe = lambda *_: subscribed.set()
    publisher = paho.Client(CallbackAPIVersion.VERSION2, "publisher", protocol=version)
    for client in (listener, publisher):
        client.connect("127.0.0.1", house.port)
        client.loop_start()
    try:
        listener.subscribe(f"paho/{version}", 2)
        assert subscribed.wait(PATIENCE_S)
        for qos in range(3):
            sent = [publisher.publish(f"paho/{version}", b"%d" % number, qos) for number in range(100)]
            for one in sent:
                one.wait_for_publish(PATIENCE_S)
        assert complete.wait(PATIENCE_S)
    finally:
        for client in (listener, publisher):
            client.disconnect()
            client.loop_stop()
    assert shown == [(qos, b"%d" % number) for qos in range(3) for number in range(100)]


def test_debian_and_paho_clients_find_what_was_acknowledged_before_a_kill(tmp_path):
    """A session of theirs goes on in the next process; retained messages are there, too."""
    keep = ("-V", "mqttv5", "-i", "deb", "-c", "-x", "1000", "-t", "kept/#", "-q", "1")
    with RealBroker("--data", tmp_path) as broker:
        mosquitto("mosquitto_sub", broker.port, *keep, "-E")
        assert paho_session(broker.port, 0) == []
        for number in range(5):
            mosquitto("mosquitto_pub", broker.port, "-t", f"kept/{number}", "-m", str(number), "-q", "1")
        mosquitto("mosquitto_pub", broker.port, "-t", "last", "-m", "word", "-q", "1", "-r")
        broker.kill()
    with RealBroker("--data", tmp_path) as broker:
        assert mosquitto("mosquitto_sub", broker.port, *keep, "-C", "5").split() == list("01234")
        assert mosquitto("mosquitto_sub", broker.port, "-t", "#", "-C", "1", "-F", "%t %r %p") == "last 1 word\n"
        assert paho_session(broker.port, 5) == list("01234")


def paho_session(port, count):
    """Paho takes a session up, waits for so many messages, and leaves."""
    forever = PahoProperties(PacketTypes.CONNECT)
    forever.SessionExpiryInterval = 1_000
    shown, complete = [], threading.Event()

    def check(*_):
        if len(shown) >= count:
            complete.set()

    def on_message(_client, _data, message):
        shown.append(message.payload.decode())
        check()

    client = paho.Client(CallbackAPIVersion.VERSION2, "paho", protocol=MQTTProtocolVersion.MQTTv5)
    client.on_message, client.on_subscribe = on_message, check
    client.connect("127.0.0.1", port, properties=forever, clean_start=False)
    client.subscribe("kept/#", 2)
    client.loop_start()
    assert complete.wait(PATIENCE_S)
    client.disconnect()
    client.loop_stop()
    return shown


# ---- beginning and end


def test_it_says_what_it_gives_and_drains_on_a_signal(tmp_path):
    """One line says ready, one that everybody may do everything; clients are told of the end; standard output is empty."""

    async def visit(broker, host):
        new, old = await Visitor.come(host, "new"), await Visitor.come(host, "old", version=4)
        await new.hear()
        await old.hear()
        broker.process.send_signal(signal.SIGTERM)
        heard = await new.end()
        assert await old.end() == []
        return heard

    with RealBroker("--data", tmp_path) as broker:
        assert [packet.reason for packet in visited(broker, visit)] == [Reason.SERVER_SHUTTING_DOWN]
        assert broker.end(None) == 0
        assert broker.process.stdout.read() == ""
    lines = broker.lines[:-1]
    assert sum("ready" in line for line in lines) == 1
    assert sum("all rights" in line for line in lines) == 1
    assert not any("data folder" in line for line in lines)
    assert lines[-2:] == ["tidings broker: draining: 2 connections", "tidings broker: drained"]


def test_without_a_folder_nothing_is_kept():
    """It says so, and interruption from a terminal is as good as being terminated."""
    with RealBroker() as broker:
        assert broker.wait_line("no data folder") is not None
        assert broker.end(signal.SIGINT) == 0


def test_a_second_signal_does_not_wait_for_those_who_do_not_read():
    """What is written to them is lost with them; they were not promised it."""

    async def visit(broker, host):
        deaf = await Visitor.come(host, "deaf")
        await deaf.say(wish("t"))
        await deaf.hear(2)
        deaf.reader._transport.pause_reading()
        publisher = await Visitor.come(host, "p")
        await publisher.say(*(said("t", bytes(1 << 20), packet_id=n + 1, qos=1) for n in range(14)))
        await publisher.hear(15)
        broker.process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(broker.wait_line, "draining")
        broker.process.send_signal(signal.SIGTERM)
        return await asyncio.to_thread(broker.end, None)

    with RealBroker() as broker:
        begin = time.monotonic()
        assert visited(broker, visit) == 0
        assert time.monotonic() - begin < PATIENCE_S


def test_what_was_acknowledged_survives_a_drain_and_a_kill(tmp_path):
    """Of a stream of events, all that were acknowledged are shown, once, in order; the rest may be."""

    async def load(broker, host, *, number):
        keeper = await Visitor.come(host, "s", properties=LASTING, clean_start=False)
        await keeper.say(wish("t", 1))
        await keeper.hear(2)
        keeper.leave()
        publisher = await Visitor.come(host, "p")
        await publisher.hear()
        sent = 0
        acknowledged = []
        deadline = time.monotonic() + 0.5
        with contextlib.suppress(EOFError, ConnectionError):
            while True:
                await publisher.say(*(said("t", b"%d" % n, qos=1, packet_id=n + 1) for n in range(sent, sent + 20)))
                sent += 20
                acknowledged += [p.packet_id - 1 for p in await publisher.hear(20) if isinstance(p, Puback)]
                if time.monotonic() > deadline:
                    broker.process.send_signal(number)
                    deadline += PATIENCE_S
        return acknowledged

    async def take(_broker, host, *, count):
        keeper = await Visitor.come(host, "s", properties=LASTING, clean_start=False)
        shown = []
        while len(shown) < count:
            for packet in await keeper.hear(1):
                if not isinstance(packet, Connack):
                    shown.append(int(packet.payload))
                    await keeper.say(Puback(packet_id=packet.packet_id))
        await keeper.say(Disconnect())
        await keeper.end()
        return shown

    for place, number in enumerate((signal.SIGTERM, signal.SIGKILL)):
        folder = tmp_path / str(place)
        with RealBroker("--data", folder) as broker:
            acknowledged = visited(broker, load, number=number)
            assert len(acknowledged) > 20
            assert broker.end(None) == (0 if number == signal.SIGTERM else -number)
        with RealBroker("--data", folder) as broker:
            assert visited(broker, take, count=len(acknowledged)) == acknowledged


def test_health_metrics_and_logs_in_json(tmp_path):
    """A probe sees it alive and taking clients, and no more when it drains; each line is one JSON document."""
    config = tmp_path / "broker.toml"
    text = 'tidings = 1\nlog = "json"\ndata = "d"\n[[listener]]\nport = 0\n[health]\nport = 0\n[[right]]\nwho = ["anonymous"]\n'
    config.write_text(text + 'publish = ["#"]\nsubscribe = ["#"]\n')
    with RealBroker(config, port=None) as broker:
        port = int(re.search(r"health on 127.0.0.1:(\d+)", broker.wait_line("health on"))[1])
        mosquitto("mosquitto_pub", broker.port, "-t", "t", "-m", "x", "-q", "1", "-r")
        assert got(port, "/livez") == (200, "alive\n")
        assert got(port, "/readyz") == (200, "ready\n")
        status, metrics = got(port, "/metrics")
        assert status == 200
        assert 'tidings_events_published_total{result="taken"} 1\n' in metrics
        assert "tidings_retained_messages 1\n" in metrics
        assert got(port, "/metrics", Origin="http://localhost")[0] == 403
        held = mosquitto("mosquitto_sub", broker.port, "-t", "t", wait=False)
        assert held.stdout.readline() == "x\n"
        assert broker.end(signal.SIGTERM) == 0
        held.kill()
        held.communicate()
    said = [msgspec.json.decode(line) for line in broker.lines[:-1]]
    assert all(set(one) == {"time", "broker", "said"} for one in said)
    assert said[-1]["said"] == "drained"


def got(port, target, **headers):
    """Status and text of a page."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        connection.request("GET", target, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


# ---- what cannot be


def test_a_port_that_is_taken_is_named():
    """One line, exit code 2."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        code, lines = refused(port=port)
    assert (code, lines) == (2, [f"tidings: port {port} of 127.0.0.1: in use by another process; choose another port"])


def test_a_folder_has_one_process(tmp_path):
    """The second is refused, and the first goes on."""
    with RealBroker("--data", tmp_path) as broker:
        code, lines = refused("--data", tmp_path)
        assert code == 2
        assert len(lines) == 1
        assert f"in use by another process ({broker.process.pid})" in lines[0]
        mosquitto("mosquitto_pub", broker.port, "-t", "t", "-m", "x", "-q", "1")


def test_a_damaged_store_is_not_touched(tmp_path):
    """A start that cannot believe what it reads fails in one line, and changes no byte."""
    with RealBroker("--data", tmp_path) as broker:
        mosquitto("mosquitto_sub", broker.port, "-i", "s", "-c", "-t", "t", "-q", "1", "-E")
        mosquitto("mosquitto_pub", broker.port, "-t", "t", "-m", "x" * 100, "-q", "1")
        broker.kill()
    segment = max(tmp_path.glob("segment-*"))
    data = bytearray(segment.read_bytes())
    data[-60] ^= 1
    segment.write_bytes(data)
    code, lines = refused("--data", tmp_path)
    assert code == 2
    assert len(lines) == 1
    assert "damaged" in lines[0]
    assert segment.read_bytes() == data
    assert max(tmp_path.glob("segment-*")) == segment


def test_a_folder_that_is_none(tmp_path):
    """A file stands where the folder should."""
    (tmp_path / "file").write_text("x")
    code, lines = refused("--data", tmp_path / "file")
    assert (code, len(lines)) == (2, 1)


def test_a_disk_that_takes_no_more_ends_the_process(tmp_path):
    """Nobody is acknowledged anything that is not on disk; what was acknowledged is found by the next process."""

    async def visit(broker, host):
        keeper = await Visitor.come(host, "s", properties=LASTING)
        await keeper.say(wish("t", 1))
        await keeper.hear(2)
        keeper.leave()
        publisher = await Visitor.come(host, "p")
        await publisher.hear()
        acknowledged = 0
        with contextlib.suppress(EOFError, ConnectionError):
            while True:
                await publisher.say(said("t", bytes(1_000), qos=1, packet_id=acknowledged + 1))
                await publisher.hear()
                acknowledged += 1
        return acknowledged

    async def count(_broker, host, *, acknowledged):
        keeper = await Visitor.come(host, "s", properties=LASTING, clean_start=False)
        return len(await keeper.hear(1 + acknowledged)) - 1

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    with RealBroker("--data", tmp_path, before=small_files) as broker:
        acknowledged = visited(broker, visit)
        assert 50 < acknowledged < 100
        assert broker.end(None) == 2
        assert [line for line in broker.lines[:-1] if line.startswith("tidings: ")] == [
            f"tidings: {max(tmp_path.glob('segment-*'))}: file too large"
        ]
    with RealBroker("--data", tmp_path) as broker:
        assert visited(broker, count, acknowledged=acknowledged) == acknowledged
        assert broker.wait_line("had not finished") is not None


def test_a_bug_of_ours_ends_the_process():
    """Not OSErrors, which are a connection's own trouble: everything else that nobody catches."""

    async def live():
        said = []
        process = BrokerProcess(lone_options(0, None), said.append)
        life = asyncio.create_task(process.run())
        await until(lambda: said)
        loop = asyncio.get_running_loop()
        loop.call_exception_handler({"message": "a connection", "exception": ConnectionResetError()})
        loop.call_exception_handler({"message": "no exception at all"})
        assert not life.done()
        loop.call_soon(int, "no number")
        await life

    with pytest.raises(ValueError, match="no number"):
        asyncio.run(live())


def test_ports_are_refused_by_name():
    """Whatever the system says about them."""
    found = _port_refused(Entrance("127.0.0.1", 1), PermissionError(errno.EACCES, "no"))
    assert str(found) == "port 1 of 127.0.0.1: permission denied; choose another port"


def test_no_process_is_left(house):
    """The one of this module still runs, and nobody has spoilt it."""
    assert house.process.poll() is None
    assert not any("Traceback" in line for line in house.lines if line)
    assert isinstance(house.process, subprocess.Popen)
