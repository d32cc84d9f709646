"""Events a second through our client and Paho's, with mosquitto and with our broker, in one run: 64 bytes, one publisher, one subscriber.

`python benchmarks/client.py [--events N] [--qos 0] [--json]`. Publisher and subscriber are processes of their own, and so is the broker.
*carriers* are rows of events in one packet, which only our client and our broker know; *packets* is one event each. Every row of
the table is measured `ROUNDS` times, in turns, and its median counts: the ratio to Paho with the same broker is what to look at.
"""

import argparse
import json
import multiprocessing
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion

from tidings.cli import bench
from tidings.cli.bench_tally import payload
from tidings.cli.bench_worker import Job
from tidings.errors import TidingsError

PAYLOAD_BYTES: Final = 64
ROUNDS: Final = 3
QUIET_S: Final = 1.0
PATIENCE_S: Final = 120.0


def main() -> None:
    """One line for each client, form and broker."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=50_000)
    parser.add_argument("--qos", type=int, default=0, choices=(0, 1))
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    with ExitStack() as stack:
        brokers = {"mosquitto": stack.enter_context(mosquitto()), "tidings": stack.enter_context(tidings_broker())}
        ways = {
            ("paho", "packets", "mosquitto"): partial(by_paho, brokers["mosquitto"]),
            ("tidings", "packets", "mosquitto"): partial(by_tidings, brokers["mosquitto"], carriers=False),
            ("paho", "packets", "tidings"): partial(by_paho, brokers["tidings"]),
            ("tidings", "packets", "tidings"): partial(by_tidings, brokers["tidings"], carriers=False),
            ("tidings", "carriers", "tidings"): partial(by_tidings, brokers["tidings"], carriers=True),
        }
        rounds = [{way: measure(asked.events, asked.qos) for way, measure in ways.items()} for _ in range(ROUNDS)]
    rows = []
    for client, form, broker in ways:
        found = [one[client, form, broker] for one in rounds]
        basis = statistics.median(one["paho", "packets", broker][1] for one in rounds)
        published, received = (statistics.median(one[place] for one in found) for place in (0, 1))
        rows.append(
            {
                "client": client,
                "form": form,
                "broker": broker,
                "published_per_s": round(published),
                "received_per_s": round(received),
                "to_paho": round(received / basis, 2),
                "lost": max(one[2] for one in found),
            }
        )
    if asked.json:
        print(
            json.dumps(
                {"cores": os.cpu_count(), "events": asked.events, "qos": asked.qos, "rounds": ROUNDS, "rows": rows}
            )
        )
        return
    print(f"{'client':<9}{'form':<10}{'broker':<11}{'published/s':>12}{'received/s':>12}{'to Paho':>9}{'lost':>8}")
    for row in rows:
        print(
            f"{row['client']:<9}{row['form']:<10}{row['broker']:<11}{row['published_per_s']:>12,}{row['received_per_s']:>12,}"
            f"{row['to_paho']:>9.2f}{row['lost']:>8,}"
        )


# ---- brokers


@contextmanager
def mosquitto() -> Iterator[int]:
    """Debian's, on a free port that it gives; without a limit on what waits, as ours has it for quality 0."""
    path = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")
    if path is None:
        sys.exit("mosquitto is not installed: make servers")
    port = free_port()
    with tempfile.TemporaryDirectory() as name:
        config = Path(name) / "mosquitto.conf"
        lines = (f"listener {port} 127.0.0.1", "allow_anonymous true", "max_queued_messages 0", "log_type error", "")
        config.write_text("\n".join(lines), "utf-8")
        process = subprocess.Popen([path, "-c", str(config)], stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: answers(port))
            yield port
        finally:
            process.terminate()
            process.wait()


@contextmanager
def tidings_broker() -> Iterator[int]:
    """Ours, without a data folder, as mosquitto has none."""
    program = Path(sys.executable).with_name("tidings")
    process = subprocess.Popen([program, "broker", "--port", "0"], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        yield next(int(found[1]) for line in process.stderr if (found := re.search(r"ready on .*:(\d+)", line)))
    finally:
        process.terminate()
        process.communicate()


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def answers(port: int) -> bool:
    """Whether somebody listens there."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def wait_until(holds: Callable[[], bool]) -> None:
    """Look again and again."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.02)


# ---- clients: published a second, received a second, lost


def by_tidings(port: int, events: int, qos: int, *, carriers: bool) -> tuple[float, float, int]:
    """Ours, by the processes of `tidings bench`."""
    job = Job(
        url=f"mqtt://127.0.0.1:{port}",
        settings={"carriers": carriers},
        topic=f"bench/{time.monotonic_ns()}",
        publishers=1,
        mine=(),
        events=events,
        payload_bytes=PAYLOAD_BYTES,
        qos=qos,
    )
    try:
        found = bench.result_of(job, 1, bench.run_jobs(bench.jobs_of(job, 1, 1)))
    except TidingsError as problem:
        sys.exit(str(problem))
    return found["published_per_s"], found["received_per_s"], found["lost"]


def by_paho(port: int, events: int, qos: int) -> tuple[float, float, int]:
    """Paho's, one process each, as its documents have it: its own thread does the network."""
    context, topic = multiprocessing.get_context("spawn"), f"bench/{time.monotonic_ns()}"
    ends: list[Connection] = []
    processes = []
    for work in (paho_listens, paho_speaks):
        ours, theirs = context.Pipe()
        process = context.Process(target=work, args=(port, topic, events, qos, theirs), daemon=True)
        process.start()
        assert ours.recv() == "ready"
        ends.append(ours)
        processes.append(process)
    listening, speaking = ends
    speaking.send("go")
    began, said = speaking.recv()
    listening.send("said")
    count, last = listening.recv()
    for process in processes:
        process.join()
    return events / (said - began), count / (last - began) if count else 0.0, events - count


def paho_client(port: int) -> Any:
    """Connected, its thread running."""
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.max_inflight_messages_set(1_000)
    connected = threading.Event()
    client.on_connect = lambda *_: connected.set()
    client.connect("127.0.0.1", port)
    client.loop_start()
    assert connected.wait(PATIENCE_S)
    return client


def paho_listens(port: int, topic: str, events: int, qos: int, pipe: Connection) -> None:
    """Counts, until everything has come or nothing has for a while."""
    client, subscribed = paho_client(port), threading.Event()
    count, last = 0, 0.0

    def take(*_: object) -> None:
        nonlocal count, last
        count, last = count + 1, time.monotonic()

    client.on_subscribe, client.on_message = (lambda *_: subscribed.set()), take
    client.subscribe(topic, qos)
    assert subscribed.wait(PATIENCE_S)
    pipe.send("ready")
    pipe.recv()
    said = time.monotonic()
    wait_until(lambda: count >= events or time.monotonic() - max(said, last) > QUIET_S)
    pipe.send((count, last))
    client.disconnect()
    client.loop_stop()


def paho_speaks(port: int, topic: str, events: int, qos: int, pipe: Connection) -> None:
    """Publishes as fast as it can; is done when everything is sent, or acknowledged."""
    client = paho_client(port)
    pipe.send("ready")
    pipe.recv()
    began, sent = time.monotonic(), None
    for number in range(events):
        sent = client.publish(topic, payload(0, number, 0, PAYLOAD_BYTES), qos)
    assert sent is not None
    sent.wait_for_publish(PATIENCE_S)
    pipe.send((began, time.monotonic()))
    client.disconnect()
    client.loop_stop()


if __name__ == "__main__":
    main()
