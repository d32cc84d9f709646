"""How many packet hops a second are simulated, beside SimPy on the same network; and how memory grows over a day.

`python benchmarks/simulation.py [--quick] [--day] [--json FILE]`. One thread. A packet hop is a copy that goes over an
overlay link, and the work at the broker that it comes to. All simulate the publications of one run, over the same links,
queues and losses. Ours match, keep soft state and write log tables (studies leave out the transmissions); SimPy is told
beforehand where each event goes and writes nothing, which favours it. Who reaches whom, and after which time, is compared before figures are printed.

`--day` simulates a day with all logs on, by each path, and prints the memory that the process holds at several points.
"""

import argparse
import dataclasses
import json
import platform
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import simpy

from tidings.logs import LogFolder, open_folder
from tidings.routing import tree_neighbours
from tidings.scenario import expand, load_scenario
from tidings.scenario.world import World
from tidings.simulation.simulated_world import SimulatedWorld
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.instant import DAY, SECOND
from tidings.vocabulary.records import TABLES
from tidings.vocabulary.value import parse_literal

LOAD = Path(__file__).resolve().parents[1] / "tests" / "scenario" / "contract" / "load.toml"
HOPS_APART, DELAYS_APART = 0.01, 0.15
"""Two runs of one network with other random numbers: shares by which they may differ."""

Content = tuple[str, tuple[tuple[str, str], ...]]
"""Topic and attributes."""


class Publication(NamedTuple):
    """An event as a peer replays it."""

    seconds: float
    broker: str
    content: Content


class Traffic(NamedTuple):
    """What went over the network, and what it took."""

    seconds: float
    hops: int
    reached: int
    """Subscribers that events came to, in time or not."""
    delay: float
    """Mean seconds until then."""


# ---- ours


def ours(world: World, folder: Path, *, compiled: bool, without: str = "") -> Traffic:
    """A run with its logs, perhaps `without` a table; the time is that of building, running and writing."""
    began = time.perf_counter()
    with LogFolder.create(folder, names=(), tables=[name for name in TABLES if name != without]) as logs:
        SimulatedWorld(world, logs, compiled=compiled).run()
        logs.finish({})
    span = time.perf_counter() - began
    tables = open_folder(folder)
    sent = tables.table("transmissions", ["kind"]).column("kind").combine_chunks().dictionary_decode()
    published = tables.table("publications", ["event", "published_ns"])
    at = dict(zip(*(published.column(name).to_pylist() for name in published.column_names), strict=True))
    delays = [
        instant - at[event]
        for table, name in (("deliveries", "delivered_ns"), ("drops", "dropped_ns"))
        for event, instant, who in rows(tables, table, ("event", name, "subscriber"))
        if who is not None
    ]
    return Traffic(span, sent.to_pylist().count("event"), len(delays), float(np.mean(delays)) / SECOND)


def rows(tables: Any, name: str, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """Rows of a log table."""
    table = tables.table(name, columns)
    return zip(*(table.column(one).to_pylist() for one in columns), strict=True)


def publications(world: World, folder: Path) -> list[Publication]:
    """What was published in a run."""
    homes = {one.id: one.broker for one in world.publishers}
    columns = ("published_ns", "publisher", "topic", "attributes")
    return [
        Publication(at / SECOND, homes[publisher], (topic, tuple(attributes)))
        for at, publisher, topic, attributes in rows(open_folder(folder), "publications", columns)
    ]


# ---- peers


class Network:
    """The world as a SimPy model has it: plain numbers, and where each content goes from each broker."""

    def __init__(self, world: World, published: list[Publication]) -> None:
        self.published = published
        self.random = random.Random(1)  # noqa: S311 - a simulation
        laws = {way: link.law for link in world.links for way in (link.between, link.between[::-1])}
        self.delays = {way: law.mean_delay_ns / SECOND for way, law in laws.items()}  # Constant, drawn once per link.
        self.losses = {way: law.loss for way, law in laws.items()}
        per = len(world.subscribers)
        self.services = {
            one.id: 0.0
            if one.service is None
            else one.service.law.mean * (per if one.service.per_subscription else 1) / SECOND
            for one in world.brokers
        }
        self.hops = self.reached = 0
        self.delay = 0.0
        homes = [(one.broker, parsed(one.filter)) for one in world.subscribers]
        tree_of = {topic: tree_neighbours(tree.links) for tree in world.trees for topic in tree.topics}
        self.ways: dict[tuple[str, Content], tuple[tuple[str, ...], int]] = {}
        """By broker and content: neighbours on the way to somebody who wants it, and how many at the broker do."""
        for content in {one.content for one in published}:
            event = Event(0, "", content[0], 0, {name: parse_literal(text) for name, text in content[1]})
            wanting = [broker for broker, wish in homes if holds(wish, event)]
            self._plan(content, tree_of[content[0]], wanting)

    def _plan(self, content: Content, tree: Mapping[str, tuple[str, ...]], wanting: list[str]) -> None:
        def wanted(here: str, back: str) -> bool:
            ahead = [there for there in tree.get(here, ()) if there != back and wanted(there, here)]
            return bool(ahead) or here in wanting

        for broker in self.services:
            ahead = tuple(there for there in tree.get(broker, ()) if wanted(there, broker))
            self.ways[broker, content] = (ahead, wanting.count(broker))

    def serve(self, broker: str) -> float:
        """The time that the next event takes."""
        mean = self.services[broker]
        return self.random.expovariate(1 / mean) if mean else 0.0

    def is_lost(self, way: tuple[str, str]) -> bool:
        """True for the share of packets that the link loses."""
        return self.losses[way] > 0 and self.random.random() < self.losses[way]

    def hand_over(self, clients: int, seconds: float) -> None:
        """So many clients are reached."""
        self.reached += clients
        self.delay += clients * seconds


def processes(network: Network) -> None:
    """SimPy as its tutorial has it: a process for each packet, a resource for each broker."""
    world = simpy.Environment()
    servers = {name: simpy.Resource(world, 1) for name, mean in network.services.items() if mean}

    def packet(one: Publication, broker: str, sender: str | None, delay: float) -> Generator[Any, Any, None]:
        if delay:
            yield world.timeout(delay)
        if broker in servers:
            with servers[broker].request() as turn:
                yield turn
                yield world.timeout(network.serve(broker))
        ahead, clients = network.ways[broker, one.content]
        network.hand_over(clients, world.now - one.seconds)
        for there in ahead:
            if there != sender:
                network.hops += 1
                if not network.is_lost((broker, there)):
                    world.process(packet(one, there, broker, network.delays[broker, there]))

    def publish() -> Generator[Any, Any, None]:
        for one in network.published:
            yield world.timeout(one.seconds - world.now)
            world.process(packet(one, one.broker, None, 0.0))

    world.process(publish())
    world.run()


def callbacks(network: Network) -> None:
    """SimPy at its quickest: callbacks of timeouts, and a queue is the instant at which its broker is free."""
    world = simpy.Environment()
    free = dict.fromkeys(network.services, 0.0)

    def after(delay: float, action: Callable[[Any], None]) -> None:
        world.timeout(delay).callbacks.append(action)

    def arrive(one: Publication, broker: str, sender: str | None, _: Any) -> None:
        if not network.services[broker]:
            pass_on(one, broker, sender, None)
            return
        free[broker] = max(free[broker], world.now) + network.serve(broker)
        after(free[broker] - world.now, partial(pass_on, one, broker, sender))

    def pass_on(one: Publication, broker: str, sender: str | None, _: Any) -> None:
        ahead, clients = network.ways[broker, one.content]
        network.hand_over(clients, world.now - one.seconds)
        for there in ahead:
            if there != sender:
                network.hops += 1
                if not network.is_lost((broker, there)):
                    after(network.delays[broker, there], partial(arrive, one, there, broker))

    def publish(place: int, _: Any) -> None:
        one = network.published[place]
        if place + 1 < len(network.published):
            after(network.published[place + 1].seconds - world.now, partial(publish, place + 1))
        arrive(one, one.broker, None, None)

    after(network.published[0].seconds, partial(publish, 0))
    world.run()


def peer(world: World, published: list[Publication], model: Callable[[Network], None]) -> Traffic:
    """A run of a peer; planning the ways is not counted."""
    network = Network(world, published)
    began = time.perf_counter()
    model(network)
    return Traffic(time.perf_counter() - began, network.hops, network.reached, network.delay / network.reached)


# ---- figures


def measured(name: str, world: World) -> dict[str, Any]:
    """One network by everybody, compared and as rates; the first, short run is for compiling."""
    with tempfile.TemporaryDirectory(prefix="tidings-") as place:
        folder = Path(place)
        ours(dataclasses.replace(world, duration_ns=SECOND * 20), folder / "compiles", compiled=True)
        found = {
            "compiled path": ours(world, folder / "compiled", compiled=True),
            "as studies do": ours(world, folder / "study", compiled=True, without="transmissions"),
            "protocol path": ours(world, folder / "plain", compiled=False),
        }
        published = publications(world, folder / "plain")
    found["SimPy processes"] = peer(world, published, processes)
    found["SimPy callbacks"] = peer(world, published, callbacks)
    right = found["protocol path"]
    found["as studies do"] = found["as studies do"]._replace(hops=right.hops)  # Nobody wrote them down.
    for who, traffic in found.items():
        hops, delay = traffic.hops / right.hops - 1, traffic.delay / right.delay - 1
        if abs(hops) > HOPS_APART or abs(traffic.reached / right.reached - 1) > HOPS_APART or abs(delay) > DELAYS_APART:
            sys.exit(f"{name}: {who} is not the same network: {traffic} and {right}")
    rates = {who: traffic.hops / traffic.seconds for who, traffic in found.items()}
    slowest = rates["SimPy processes"]
    return {
        "network": name,
        "hops": right.hops,
        "reached": right.reached,
        "seconds": {who: traffic.seconds for who, traffic in found.items()},
        "mean delay, s": {who: traffic.delay for who, traffic in found.items()},
        "hops per second": rates,
        "times SimPy processes": {who: rate / slowest for who, rate in rates.items()},
    }


def shown(row: dict[str, Any]) -> Iterator[str]:
    """A network as text."""
    yield f"{row['network']}: {row['hops']:,} hops, {row['reached']:,} subscribers reached"
    for who, rate in row["hops per second"].items():
        span, delay = row["seconds"][who], row["mean delay, s"][who]
        times = row["times SimPy processes"][who]
        yield f"  {who:<16}{rate:>12,.0f} hops/s {times:>6.1f} × SimPy processes {span:>8.2f} s   mean delay {delay:.4f} s"


def networks(*, quick: bool) -> Iterator[tuple[str, World]]:
    """The contract's load in full, and the same tree where nothing waits and many more events pass."""
    load = expand(load_scenario(LOAD))
    yield "load.toml", dataclasses.replace(load, duration_ns=load.duration_ns // 10) if quick else load
    brokers = tuple(dataclasses.replace(one, service=None) for one in load.brokers)
    yield (
        "forwarding only",
        dataclasses.replace(load, brokers=brokers, duration_ns=load.duration_ns * 2 // (20 if quick else 1)),
    )


def day(world: World, *, compiled: bool) -> Iterator[str]:
    """Memory held while a day goes by, all tables on; and the highest that it ever was."""
    points, held = 8, list[str]()

    def look(now: int, duration: int) -> None:
        if now >= duration * (len(held) + 1) / points:
            held.append(f"{now / DAY:.2f} d {resident_mib():.0f} MiB")

    with (
        tempfile.TemporaryDirectory(prefix="tidings-") as folder,
        LogFolder.create(Path(folder) / "logs", names=()) as logs,
    ):
        began = time.perf_counter()
        SimulatedWorld(world, logs, compiled=compiled).run(look)
        logs.finish({})
        size = sum(file.stat().st_size for file in (Path(folder) / "logs").iterdir())
    path = "compiled path" if compiled else "protocol path"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield f"a day by the {path}, {time.perf_counter() - began:.0f} s, {size / 2**20:.0f} MiB of logs"
    yield f"  {', '.join(held)}; at most {peak:.0f} MiB"


def resident_mib() -> float:
    """Memory that the process holds at the moment."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the time")
    parser.add_argument("--day", action="store_true", help="memory over a day instead")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    if options.day:
        world = dataclasses.replace(expand(load_scenario(LOAD)), duration_ns=DAY)
        for compiled in (True, False):
            print("\n".join(day(world, compiled=compiled)), flush=True)
        return
    machine = f"{platform.machine()}, Python {platform.python_version()}, SimPy {simpy.__version__}, one thread"
    print(machine)
    found = []
    for name, world in networks(quick=options.quick):
        found.append(measured(name, world))
        print("\n".join(shown(found[-1])), flush=True)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine, "networks": found}, indent=2) + "\n")


if __name__ == "__main__":
    main()
