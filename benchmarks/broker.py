"""Events a second through one broker: ours beside Mosquitto and amqtt, on the same workload in the same run.

`python benchmarks/broker.py [--json]`. Payloads of 64 bytes, quality 0, over loopback; one publisher and as many
subscribers as the fan-out says, each a process that only writes, or counts bytes, made beforehand: what is measured is the broker.
With a filter, each subscriber has a content filter that every event passes. `carriers` is the form of our own client: rows of a
hundred events. Mosquitto and amqtt are left out, by name, where they are not installed (`make servers`, `pip install amqtt`).

The rate is events in, counted when the last subscriber has the last. Only ratios of one run count: machines differ.
"""

import contextlib
import importlib.util
import json
import multiprocessing
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from tidings.mqtt.desk import PUBLISHER
from tidings.vocabulary.event import Event
from tidings.wire.carriers import TOPIC, encode_event, join_events
from tidings.wire.mqtt_decode import MqttDecoder
from tidings.wire.mqtt_encode import encode_packet
from tidings.wire.mqtt_packets import Connect, Properties, Publish, Subscribe, TopicWish

PAYLOAD: Final = bytes(64)
ROW: Final = 100
PATIENCE_S: Final = 120.0
AMQTT: Final = "listeners:\n  default:\n    type: tcp\n    bind: 127.0.0.1:{port}\nplugins:\n  amqtt.plugins.authentication.AnonymousAuthPlugin:\n    allow_anonymous: true\n"


class Load(NamedTuple):
    """What one measurement does."""

    events: int
    fan_out: int = 1
    filtered: bool = False
    carriers: bool = False


class Line:
    """One connection that has said who it is."""

    def __init__(self, port: int, name: str, *, carriers: bool, version: int = 5) -> None:
        self.name, self.version = name, version
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
        self._decoder = MqttDecoder("server", version=version)
        user = (("tidings", "1"),) if carriers else ()
        self.socket.sendall(
            encode_packet(Connect(client_id=name, version=version, properties=Properties(user=user)), version)
        )
        self.welcome = self.hear()

    def hear(self) -> Any:
        """The next packet."""
        while True:
            packets = self._decoder.feed(self.socket.recv(1 << 16))
            if packets:
                return packets[0]

    def wants(self, topic: str, load: Load) -> None:
        """Subscribe."""
        user = (("filter", 'price >= 1 and symbol == "IBM"'),) if load.filtered else ()
        pattern = "$tidings/wish/0" if load.carriers else topic
        if load.carriers:
            user = (("filter", f'topic == "{topic}"' + (f" and {user[0][1]}" if user else "")),)
        properties = Properties(user=user) if user else Properties()
        self.socket.sendall(
            encode_packet(
                Subscribe(packet_id=1, wishes=(TopicWish(pattern=pattern),), properties=properties), self.version
            )
        )
        self.hear()


def listen(port: int, number: int, load: Load, version: int, pipe: "multiprocessing.connection.Connection") -> None:
    """A subscriber: says when it has subscribed, and when it has everything."""
    line = Line(port, f"s{number}", carriers=load.carriers, version=version)
    line.wants("bench", load)
    pipe.send("subscribed")
    size = 0
    buffer = bytearray(1 << 20)
    end = b"the last one"
    tail = b""
    while end not in tail:
        count = line.socket.recv_into(buffer)
        if not count:
            break
        size += count
        tail = (tail + bytes(buffer[max(0, count - 200) : count]))[-200:]
    pipe.send((time.monotonic(), size))


def data_of(line: Line, load: Load) -> list[bytes]:
    """Everything that the publisher writes, in pieces of a row each; the last event is marked."""
    count = load.events
    attributes = {"price": 12.5, "symbol": "IBM"} if load.filtered else {}
    if load.carriers:
        base = int(dict(line.welcome.properties.user)[PUBLISHER])
        name = dict(line.welcome.properties.user)["name"]
        rows = []
        for first in range(0, count, ROW):
            raws = [
                encode_event(
                    Event(
                        base + n,
                        name,
                        "bench",
                        0,
                        attributes,
                        payload=payload(n, count),
                        payload_bytes=64,
                        carried=b"\x10",
                    )
                )
                for n in range(first, min(count, first + ROW))
            ]
            rows.append(encode_packet(Publish(topic=TOPIC, payload=join_events(raws)), 5))
        return rows
    user = (("price", "12.5"), ("symbol", "IBM")) if load.filtered else ()
    one = encode_packet(Publish(topic="bench", payload=PAYLOAD, properties=Properties(user=user)), line.version)
    last = encode_packet(
        Publish(topic="bench", payload=payload(count - 1, count), properties=Properties(user=user)), line.version
    )
    return [one * ROW] * (count // ROW - 1) + [one * (ROW - 1) + last]


def payload(number: int, count: int) -> bytes:
    """64 bytes, of which the last event's say that it is."""
    return b"the last one".ljust(64) if number == count - 1 else PAYLOAD


def measure(port: int, load: Load, version: int) -> float:
    """Events a second."""
    context = multiprocessing.get_context("fork")
    pipes, listeners = [], []
    for number in range(load.fan_out):
        ours, theirs = context.Pipe()
        listeners.append(context.Process(target=listen, args=(port, number, load, version, theirs)))
        listeners[-1].start()
        pipes.append(ours)
    try:
        for pipe in pipes:
            assert pipe.poll(PATIENCE_S)
            pipe.recv()
        line = Line(port, "p", carriers=load.carriers, version=version)
        rows = data_of(line, load)
        begin = time.monotonic()
        for row in rows:
            line.socket.sendall(row)
        ends = []
        for pipe in pipes:
            assert pipe.poll(PATIENCE_S), "not everything has arrived"
            ends.append(pipe.recv()[0])
        line.socket.close()
        return load.events / (max(ends) - begin)
    finally:
        for one in listeners:
            one.terminate()
            one.join()


@contextlib.contextmanager
def running(kind: str, folder: Path) -> Iterator[int]:
    """A broker of this kind on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    beside = Path(sys.executable).parent
    if kind == "mosquitto":
        (folder / "m.conf").write_text(
            f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nset_tcp_nodelay true\n"
        )
        command = [
            str(shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin")),
            "-c",
            str(folder / "m.conf"),
        ]
    elif kind == "amqtt":
        (folder / "a.yaml").write_text(AMQTT.format(port=port))
        command = [str(beside / "amqtt"), "-c", str(folder / "a.yaml")]
    else:
        command = [str(beside / "tidings"), "broker", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    """Until somebody listens."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    raise SystemExit(f"{process.args!r} did not come up")


def rows_of(there: dict[str, bool]) -> list[tuple[str, str, Load, int]]:
    """What is measured: a name, the broker, the load, the version of MQTT."""
    rows = [
        ("tidings, carriers", "tidings", Load(200_000, carriers=True), 5),
        ("tidings, carriers, filters", "tidings", Load(200_000, carriers=True, filtered=True), 5),
        (
            "tidings, carriers, filters, fan-out 10",
            "tidings",
            Load(50_000, fan_out=10, carriers=True, filtered=True),
            5,
        ),
        ("tidings, plain MQTT", "tidings", Load(50_000), 4),
        ("tidings, plain MQTT 5, filters", "tidings", Load(50_000, filtered=True), 5),
    ]
    rows += [("mosquitto, plain MQTT", "mosquitto", Load(50_000), 4)] * there["mosquitto"]
    return rows + [("amqtt, plain MQTT", "amqtt", Load(5_000), 4)] * there["amqtt"]


def main() -> None:
    """One line for each workload and broker, and the ratios."""
    there = {
        "mosquitto": shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin") is not None,
        "amqtt": importlib.util.find_spec("amqtt") is not None,
    }
    found: dict[str, float] = {}
    for name, kind, load, version in rows_of(there):
        with tempfile.TemporaryDirectory() as folder, running(kind, Path(folder)) as port:
            measure(port, load._replace(events=max(ROW, load.events // 10)), version)
            found[name] = measure(port, load, version)
    plain = found["tidings, plain MQTT"]
    ratios = {
        f"ours / {re.split(',', name)[0]}": plain / rate
        for name, rate in found.items()
        if not name.startswith("tidings")
    }
    if "--json" in sys.argv:
        print(json.dumps({"events_per_s": found, "ratios": ratios}))
        return
    for name, rate in found.items():
        print(f"{name:<45}{rate:>12,.0f} events/s")
    for name, ratio in ratios.items():
        print(f"{name:<45}{ratio:>12.2f}")
    for name in (one for one, is_there in there.items() if not is_there):
        print(f"{name} is not installed: left out")


if __name__ == "__main__":
    main()
