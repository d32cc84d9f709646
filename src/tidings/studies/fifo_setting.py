"""The network of the paper's evaluation, as far as the paper tells, and flows through it.

The paper names brokers, diameter, clients for each broker, links of 50 ms, few milliseconds in a broker with four cores,
and rates from low traffic to congestion. What it leaves open is decided here once: eight clients publish, the others
subscribe; a subscriber wants a tenth of all that is published; the load of the busiest broker goes through `LOADS`, each for
the same time; brokers have a worker for each core, or a thread for each message.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidings.studies.latch_flows import Flow
from tidings.studies.worker_brokers import Message, WorkerBrokers, deliver, low_degree_tree
from tidings.vocabulary.streams import Streams

SUBSCRIBERS: Final = 10
"""At each broker."""
PUBLISHERS: Final = 8
"""In all."""
KINDS: Final = 10
"""Of messages; a subscriber wants one of them."""
LOADS: Final = (0.3, 0.6, 0.9, 1.05)
"""Share of what the busiest broker can do: low traffic, high traffic, congestion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkJob:
    """One network, drawn and run."""

    seed: int
    brokers: int = 46
    diameter: int = 15
    seconds: float
    """For each load."""
    flows: int
    """How many pairs of publisher and subscriber are looked at."""
    threads: bool = False


def network_flows(job: NetworkJob) -> list[Flow]:
    """Run the network and take some pairs out of it."""
    streams = Streams(job.seed)
    network = replace(low_degree_tree(job.brokers, job.diameter, streams("fifo tree")), threads=job.threads)
    interests = streams("fifo interests").integers(KINDS, size=(job.brokers, SUBSCRIBERS))
    homes = streams("fifo publishers").integers(job.brokers, size=PUBLISHERS)
    capacity = network.workers / network.service_mean / _busiest_share(network, interests, homes)
    departures, publishers, kinds = _published(capacity, job.seconds, streams("fifo published"))
    wanting = [frozenset(np.flatnonzero((interests == kind).any(axis=1)).tolist()) for kind in range(KINDS)]
    messages = [
        Message(at, broker, wanting[kind])
        for at, broker, kind in zip(departures.tolist(), homes[publishers].tolist(), kinds.tolist(), strict=True)
    ]
    left = deliver(network, messages, streams("fifo services"))
    draw = streams("fifo pairs")
    found = []
    for _ in range(job.flows):
        broker, sent = int(draw.integers(job.brokers)), publishers == draw.integers(PUBLISHERS)
        wanted = int(draw.choice(interests[broker]))
        found.append(_flow(departures[sent], kinds[sent], left[sent, broker], wanted))
    return found


def _published(
    capacity: float, seconds: float, draw: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Poisson streams under the loads, one after the other: when, by whom, about what."""
    begins, parts = 0.0, []
    for load in LOADS:
        parts.append(begins + np.sort(draw.random(int(draw.poisson(load * capacity * seconds)))) * seconds)
        begins += seconds
    departures = np.concatenate(parts)
    return departures, draw.integers(PUBLISHERS, size=len(departures)), draw.integers(KINDS, size=len(departures))


def _busiest_share(network: WorkerBrokers, interests: NDArray[np.int64], homes: NDArray[np.int64]) -> float:
    """Which share of all messages the broker passes that passes most."""
    hops = network.hops()
    # A broker is on the way from a to b when the way through it is no longer.
    on_way = hops[homes][:, :, None] + hops[None, :, :] == hops[homes][:, None, :]
    passed = np.zeros(len(hops))
    for kind in range(KINDS):
        wanted = (interests == kind).any(axis=1)
        passed += (on_way & wanted[None, None, :]).any(axis=2).mean(axis=0)
    return float(passed.max()) / KINDS


def _flow(departures: NDArray[np.float64], kinds: NDArray[np.int64], left: NDArray[np.float64], wanted: int) -> Flow:
    numbers = np.flatnonzero(kinds == wanted)
    arrived_ns = np.round(left[numbers] * 1e9).astype(np.int64)
    order = np.argsort(arrived_ns, kind="stable")
    return Flow(
        departures_ns=tuple(np.round(departures * 1e9).astype(np.int64).tolist()),
        kinds=tuple(kinds.tolist()),
        wanted=wanted,
        arrivals=tuple(zip(arrived_ns[order].tolist(), numbers[order].tolist(), strict=True)),
    )
