"""Predictions beside simulated runs, on the settings of the papers; beside Ciw; and how long a prediction takes.

`python benchmarks/prediction.py [--only content …] [--runs N] [--json FILE]`. Every setting is one world, simulated N times with
other draws; a row says the mean error over subscribers and the worst in points, that of mode `mean` beside it, how wide the
95 % interval of a simulated share is in the median, and how many subscribers' predictions lie inside theirs.

| section | what |
| --- | --- |
| content | the thesis's synthetic load (3.4.1): three laws of intervals, two of services |
| overlay | the five mechanisms, eight brokers that fail with their links (thesis, 5.7) |
| mobility | walkers among five access points, with and without hand-off (thesis, 4.5) |
| routing | the DCRD paper's mesh, scheme by scheme |
| ciw | mean waits in networks of queues whose means are known, or are simulated by Ciw |
| speed | one prediction beside as much simulation as a share to within 0.3 points takes; 100,000 subscribers (processor time) |
"""

import argparse
import itertools
import json
import platform
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import ciw
import numpy as np
from scipy.special import stdtrit

from tidings.analysis import PredictOptions, predict
from tidings.checking import audit
from tidings.scenario import expand, load_scenario
from tidings.scenario.mobility_tables import Turns
from tidings.scenario.world import (
    Broker,
    Link,
    Mobility,
    OutageLaw,
    Publisher,
    Reliability,
    Routing,
    Service,
    Subscriber,
    Topic,
    Tree,
    World,
)
from tidings.simulation import simulate
from tidings.vocabulary.distribution import Constant, Distribution, Exponential, Uniform
from tidings.vocabulary.instant import HOUR, SECOND

CONTRACT = Path(__file__).resolve().parents[1] / "tests" / "scenario" / "contract"
TABLES = ("publications", "deliveries", "interests", "deadlines", "drops")
Row = dict[str, Any]
LAWS: dict[str, Callable[[float], Distribution]] = {
    "exponential": Exponential,
    "uniform": lambda mean: Uniform(0.0, 2 * mean),
    "constant": Constant,
}


def contract(name: str, **more: Any) -> World:
    """A scenario of the contract, with other values."""
    return replace(expand(load_scenario(CONTRACT / f"{name}.toml")), **more)


def simulated(world: World, runs: int) -> np.ndarray:
    """Shares on time: runs by subscribers."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, runs + 1):
            out = Path(folder) / str(seed)
            simulate(replace(world, seed=seed), out=out, tables=TABLES)
            report = audit(out)
            judged = [report.subscribers.get(one.id) for one in world.subscribers]
            found.append([one.on_time / one.wanted if one and one.wanted else 1.0 for one in judged])
    return np.array(found)


def compared(world: World, runs: int) -> Row:
    """Errors of one setting."""
    shares = simulated(world, runs)
    mean = shares.mean(axis=0)
    row: Row = {"predicted": 0.0, "simulated": float(mean.mean())}
    for mode, name in (("distribution", ""), ("mean", "_by_mean")):
        found = predict(world, PredictOptions(mode=mode)).subscribers
        errors = 100 * np.abs(np.array([found[one.id].reliability for one in world.subscribers]) - mean)
        row |= {f"error{name}": float(errors.mean()), f"worst{name}": float(errors.max())}
        if mode == "distribution":
            row["predicted"] = float(np.mean([one.reliability for one in found.values()]))
            if runs > 1:
                half = 100 * shares.std(axis=0, ddof=1) * stdtrit(runs - 1, 0.975) / runs**0.5
                row |= {"interval": float(2 * np.median(half)), "inside": float((errors <= half + 1e-9).mean())}
    return row


# ---- settings


def content(runs: int) -> Iterator[tuple[str, Row]]:
    """`load.toml`, with the laws of the thesis."""
    base = contract("load")
    for service in ("exponential", "uniform"):
        for every, law in LAWS.items():
            publishers = tuple(replace(one, every=law(one.every.mean)) for one in base.publishers if one.every)
            brokers = tuple(
                replace(one, service=replace(one.service, law=LAWS[service](one.service.law.mean)))
                for one in base.brokers
                if one.service
            )
            world = replace(base, publishers=publishers, brokers=brokers)
            yield f"intervals {every}, services {service}", compared(world, runs)


def overlay(runs: int) -> Iterator[tuple[str, Row]]:
    """A ring of eight brokers with two links across; brokers and links are away for a minute in twenty."""
    names = [f"b{number}" for number in range(8)]
    ends = [*zip(names, [*names[1:], names[0]], strict=True), ("b0", "b4"), ("b2", "b6")]
    outages = OutageLaw(up=Exponential(1900.0 * SECOND), down=Exponential(100.0 * SECOND))
    links = tuple(Link(between=pair, outages=outages) for pair in ends)
    for mechanism in ("none", "periodic", "buffering", "bypass", "bypass+buffering"):
        world = World(
            name=mechanism,
            seed=1,
            duration_ns=48 * HOUR,
            brokers=tuple(Broker(id=name, outages=outages) for name in names),
            links=links,
            publishers=(
                Publisher(
                    id="p", broker="b0", topics=("t",), every=Exponential(30.0 * SECOND), lifetime_ns=60 * SECOND
                ),
            ),
            subscribers=tuple(
                Subscriber(id=f"s{number}", broker=name, filter='topic == "t"', topics=("t",))
                for number, name in enumerate(names[1:])
            ),
            topics=(Topic(name="t"),),
            trees=(Tree(name="t", links=tuple(itertools.pairwise(names)), topics=("t",)),),
            reliability=Reliability(mechanism=mechanism, renew_ns=10 * SECOND),
        )
        yield mechanism, compared(world, runs)


def mobility(runs: int) -> Iterator[tuple[str, Row]]:
    """`roaming.toml`, with fewer events, since walks decide; other models and hand-offs."""
    base = contract("roaming")
    publishers = tuple(replace(one, every=Exponential(5.0 * SECOND)) for one in base.publishers)
    roads = {"vertical": (200.0, 500.0, 800.0), "horizontal": (200.0, 500.0, 800.0)}
    turns = {"turns": Turns(straight=0.5, left=0.25, right=0.25)}
    walks = {
        "random waypoint": base.subscribers[0].mobility,
        "Manhattan": Mobility(model="manhattan", options=roads | turns | {"speed": Constant(10.0), "pause": None}),
    }
    for name, walk in walks.items():
        subscribers = tuple(replace(one, mobility=walk) for one in base.subscribers)
        for scheme in ("none", "reactive", "proactive"):
            assert base.handoff is not None
            handoff = replace(base.handoff, scheme=scheme)
            world = replace(base, publishers=publishers, subscribers=subscribers, handoff=handoff)
            yield f"{name}, {scheme}", compared(world, runs)


def routing(runs: int) -> Iterator[tuple[str, Row]]:
    """`mesh.toml` by each scheme."""
    base = contract("mesh")
    for scheme in ("r-tree", "d-tree", "multipath", "dcrd", "oracle"):
        yield scheme, compared(replace(base, routing=replace(base.routing, scheme=scheme)), runs)
    one_way = Routing(scheme="dcrd", ack="one-way", monitor_ns=base.routing.monitor_ns)
    yield "dcrd, one-way", compared(replace(base, routing=one_way), runs)


# ---- queues, beside Ciw


def queues(services: dict[str, Distribution], ways: dict[str, str], rate: float) -> World:
    """Brokers in a tree; Poisson events on one topic for each way, drawn with equal chances."""
    links = dict.fromkeys(pair for way in ways.values() for pair in itertools.pairwise(way))
    return World(
        name="queues",
        seed=1,
        duration_ns=HOUR,
        brokers=tuple(Broker(id=name, service=Service(law=law)) for name, law in services.items()),
        links=tuple(Link(between=pair) for pair in links),
        publishers=(Publisher(id="p", broker=next(iter(services)), topics=(), every=Exponential(SECOND / rate)),),
        subscribers=tuple(
            Subscriber(id=f"s{topic}", broker=way[-1], filter=f'topic == "{topic}"', topics=(topic,))
            for topic, way in ways.items()
        ),
        topics=tuple(Topic(name=topic, popularity={"": 1 / len(ways)}) for topic in ways),
        trees=(Tree(name="all", links=tuple(links), topics=tuple(ways)),),
    )


def waits_of_ciw(world: World, ways: dict[str, str], rate: float, customers: int) -> dict[str, float]:
    """Mean waits of as many customers, a class for each way."""
    names = [one.id for one in world.brokers]
    laws = [ciw_law(one.service.law) for one in world.brokers if one.service]
    arrivals = {
        topic: [ciw.dists.Exponential(rate / len(ways)) if name == way[0] else None for name in names]
        for topic, way in ways.items()
    }
    moves = {}
    for topic, way in ways.items():
        matrix = np.zeros((len(names), len(names)))
        for one, other in itertools.pairwise(way):
            matrix[names.index(one), names.index(other)] = 1.0
        moves[topic] = matrix.tolist()
    network = ciw.create_network(
        arrival_distributions=arrivals,
        service_distributions=dict.fromkeys(ways, laws),
        routing=moves,
        number_of_servers=[1] * len(names),
    )
    ciw.seed(1)
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_customers(customers, progress_bar=False)
    records = simulation.get_all_records()
    return {
        name: float(np.mean([one.waiting_time for one in records if one.node == place + 1]))
        for place, name in enumerate(names)
    }


def ciw_law(law: Distribution) -> Any:
    """The same law there, in seconds."""
    if isinstance(law, Exponential):
        return ciw.dists.Exponential(SECOND / law.mean)
    if isinstance(law, Uniform):
        return ciw.dists.Uniform(law.low / SECOND, law.high / SECOND)
    return ciw.dists.Deterministic(law.mean / SECOND)


def beside_ciw(customers: int) -> Iterator[tuple[str, Row]]:
    """Waits at each broker; where theory is exact they must agree within 2 %, and else it is said how they were found."""
    tandem = {name: Exponential(mean * SECOND) for name, mean in zip("abcd", (0.5, 0.7, 0.6, 0.8), strict=True)}
    tree: dict[str, Distribution] = {
        name: Exponential(mean * SECOND) for name, mean in zip("abc", (0.7, 1.0, 1.2), strict=True)
    }
    mixed: dict[str, Distribution] = {
        "a": Uniform(0.0, 1.2 * SECOND),
        "b": Constant(1.0 * SECOND),
        "c": Exponential(1.2 * SECOND),
    }
    settings: dict[str, tuple[dict[str, Distribution], dict[str, str]]] = {
        "four in a row": ({**tandem}, {"t": "abcd"}),
        "branching": (tree, {"t": "ab", "u": "ac"}),
        "branching, other services": (mixed, {"t": "ab", "u": "ac"}),
    }
    for name, (services, ways) in settings.items():
        world = queues(services, ways, 1.0)
        peer, found = waits_of_ciw(world, ways, 1.0, customers), predict(world).brokers
        for broker, wait in peer.items():
            ours = found[broker]
            assert ours.wait_mean_s is not None
            apart = 100 * abs(ours.wait_mean_s / wait - 1)
            yield (
                f"{name}: {broker}",
                {"ours_s": ours.wait_mean_s, "ciw_s": wait, "apart_percent": apart, "method": ours.method},
            )


# ---- speed


def speed(_: int) -> Iterator[tuple[str, Row]]:
    """`load.toml`: a call, and the runs that an interval of ± 0.3 points for the median subscriber would take."""
    world = contract("load")
    predict(world)
    began = time.process_time()
    for _ in range(10):
        predict(world)
    call = (time.process_time() - began) / 10
    began = time.process_time()
    shares = simulated(world, 4)
    one_run = (time.process_time() - began) / 4
    needed = float(np.median((100 * shares.std(axis=0, ddof=1) * 1.96 / 0.3) ** 2))
    yield (
        "load.toml",
        {
            "call_s": call,
            "run_s": one_run,
            "runs_for_0_3_points": needed,
            "times_faster": max(needed, 1.0) * one_run / call,
        },
    )
    text = (CONTRACT / "load.toml").read_text(encoding="utf-8").replace("count    = 100", "count    = 100000")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "large.toml"
        file.write_text(text, encoding="utf-8")
        large = expand(load_scenario(file))
    service = Service(law=Exponential(0.1 * SECOND))
    large = replace(large, brokers=tuple(replace(one, service=service) for one in large.brokers))
    began = time.process_time()
    found = predict(large)
    yield (
        f"{len(large.brokers)} brokers, {len(found.subscribers):,} subscribers",
        {
            "call_s": time.process_time() - began,
            "memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        },
    )


SECTIONS: dict[str, Callable[[int], Iterator[tuple[str, Row]]]] = {
    "content": content,
    "overlay": overlay,
    "mobility": mobility,
    "routing": routing,
    "ciw": lambda runs: beside_ciw(50_000 * runs),
    "speed": speed,
}


def main() -> None:
    """Run the sections asked for, and print a line for each setting as it is done."""
    parser = argparse.ArgumentParser(description="Predictions beside simulated runs.")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: dict[str, dict[str, Row]] = {}
    for section in options.only:
        print(f"{section} (runs: {options.runs}, {platform.machine()}, Python {platform.python_version()})")
        for name, row in SECTIONS[section](options.runs):
            found.setdefault(section, {})[name] = row
            cells = (
                f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}" for key, value in row.items()
            )
            print(f"  {name:<42} {'  '.join(cells)}", flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
