"""A tree of brokers that work on several messages at a time: the network that probabilistic FIFO was made for.

Messages overtake each other in the brokers. Two ways to work: *workers*, each with one message at a time, taken up in the
order of arrival; or *threads*, one for each message, which share the cores evenly. What a message needs is exponential, as the
paper measured; links take a constant time. Seconds everywhere.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerBrokers:
    """Who is linked to whom, and what each broker can do."""

    parents: tuple[int, ...]
    """Of each broker the one nearer to broker 0; of broker 0 itself -1. A parent has a lower number."""
    workers: int = 4
    """Or cores, with threads."""
    threads: bool = False
    service_mean: float = 0.005
    link_delay: float = 0.05

    def __post_init__(self) -> None:
        assert self.parents[0] == -1, "broker 0 is the root"
        assert all(0 <= parent < broker for broker, parent in enumerate(self.parents) if broker), "no tree"

    @property
    def neighbours(self) -> list[list[int]]:
        """Of each broker."""
        found: list[list[int]] = [[] for _ in self.parents]
        for broker, parent in enumerate(self.parents[1:], 1):
            found[broker].append(parent)
            found[parent].append(broker)
        return found

    def hops(self) -> NDArray[np.int64]:
        """Links between any two brokers."""
        count = len(self.parents)
        distance = np.zeros((count, count), np.int64)
        for broker in range(1, count):
            row = distance[self.parents[broker], :broker] + 1
            distance[broker, :broker] = distance[:broker, broker] = row
        return distance


@dataclass(frozen=True, slots=True)
class Message:
    """What one publisher says once."""

    departed: float
    broker: int
    """Where it enters."""
    wanted_at: frozenset[int]
    """Brokers with somebody who wants it."""


def line(brokers: int) -> WorkerBrokers:
    """A chain of brokers."""
    return WorkerBrokers(parents=tuple(range(-1, brokers - 1)))


def low_degree_tree(brokers: int, diameter: int, draw: np.random.Generator) -> WorkerBrokers:
    """A random tree of this diameter: a spine, and everybody else beside a broker with fewer than four links.

    Nobody is put where a way would become longer than the diameter.
    """
    spine = diameter + 1
    assert 2 <= spine <= brokers, f"a tree of {brokers} brokers cannot have diameter {diameter}"
    parents, degree = list(range(-1, spine - 1)), [1, *[2] * (spine - 2), 1]
    room = [min(place, diameter - place) for place in range(spine)]
    while len(parents) < brokers:
        free = [broker for broker in range(len(parents)) if degree[broker] < 4 and room[broker] > 0]
        parent = free[int(draw.integers(len(free)))]
        parents.append(parent)
        room.append(room[parent] - 1)
        degree[parent] += 1
        degree.append(1)
    return WorkerBrokers(parents=tuple(parents))


def deliver(network: WorkerBrokers, messages: Sequence[Message], draw: np.random.Generator) -> Floats:
    """When each message leaves each broker for the clients there: messages by brokers, NaN where nobody wants it."""
    services = _Services(network.service_mean, draw)
    return (_by_threads if network.threads else _by_workers)(network, _Passage(network, messages), services)


class _Passage:
    """Who passes a message on to whom, and when it has left where it was wanted."""

    def __init__(self, network: WorkerBrokers, messages: Sequence[Message]) -> None:
        self._neighbours = network.neighbours
        self._messages = messages
        self._ways: dict[tuple[int, frozenset[int]], list[tuple[int, ...]]] = {}
        self.left: Floats = np.full((len(messages), len(self._neighbours)), np.nan)

    def entries(self) -> list[tuple[float, int, int]]:
        """Instant, message and broker of each publication."""
        return [(message.departed, number, message.broker) for number, message in enumerate(self._messages)]

    def leave(self, number: int, broker: int, at: float) -> tuple[int, ...]:
        """A broker is done with a message; the neighbours that are to have it."""
        message = self._messages[number]
        key = message.broker, message.wanted_at
        if key not in self._ways:
            self._ways[key] = _way(self._neighbours, *key)
        if broker in message.wanted_at:
            self.left[number, broker] = at
        return self._ways[key][broker]


def _by_workers(network: WorkerBrokers, passage: _Passage, services: "_Services") -> Floats:
    free = [[0.0] * network.workers for _ in network.parents]
    agenda = passage.entries()
    heapq.heapify(agenda)
    while agenda:
        at, number, broker = heapq.heappop(agenda)
        # The first worker to be free takes it; when all are busy it has waited its turn.
        done = max(at, free[broker][0]) + services.next()
        heapq.heapreplace(free[broker], done)
        for neighbour in passage.leave(number, broker, done):
            heapq.heappush(agenda, (done + network.link_delay, number, neighbour))
    return passage.left


def _by_threads(network: WorkerBrokers, passage: _Passage, services: "_Services") -> Floats:
    brokers = [_SharedCores(network.workers) for _ in network.parents]
    # Arrivals as (instant, message, broker, -1), the next end of service as (instant, -1, broker, version).
    agenda = [(*entry, -1) for entry in passage.entries()]
    heapq.heapify(agenda)
    while agenda:
        at, number, broker, version = heapq.heappop(agenda)
        cores = brokers[broker]
        if number >= 0:
            cores.begin(at, number, services.next())
        elif version == cores.version:
            number = cores.end(at)
            for neighbour in passage.leave(number, broker, at):
                heapq.heappush(agenda, (at + network.link_delay, number, neighbour, -1))
        else:
            continue
        if cores.busy:
            heapq.heappush(agenda, (cores.next_end(at), -1, broker, cores.version))
    return passage.left


class _SharedCores:
    """A thread for each message: with more threads than cores all go slower, and all by the same factor.

    So one clock runs for all: it counts the work that each thread has been given.
    """

    __slots__ = ("_cores", "_given", "_seen", "_threads", "version")

    def __init__(self, cores: int) -> None:
        self._cores = cores
        self._given = self._seen = 0.0
        self._threads: list[tuple[float, int]] = []
        self.version = 0
        """Grows with each change: an end foreseen before is void."""

    @property
    def busy(self) -> bool:
        return bool(self._threads)

    @property
    def _speed(self) -> float:
        return min(1.0, self._cores / max(1, len(self._threads)))

    def begin(self, at: float, number: int, work: float) -> None:
        self._given += (at - self._seen) * self._speed
        self._seen = at
        self.version += 1
        heapq.heappush(self._threads, (self._given + work, number))

    def end(self, at: float) -> int:
        self._given, number = heapq.heappop(self._threads)
        self._seen = at
        self.version += 1
        return number

    def next_end(self, at: float) -> float:
        return at + (self._threads[0][0] - self._given) / self._speed


class _Services:
    """Exponential times, drawn in blocks."""

    def __init__(self, mean: float, draw: np.random.Generator) -> None:
        self._mean, self._draw = mean, draw
        self._left: list[float] = []

    def next(self) -> float:
        if not self._left:
            self._left = self._draw.exponential(self._mean, 65_536).tolist()
        return self._left.pop()


def _way(neighbours: Sequence[Sequence[int]], origin: int, wanted_at: frozenset[int]) -> list[tuple[int, ...]]:
    """To whom each broker passes on what enters at `origin`."""
    order, before = [origin], {origin: -1}
    for broker in order:
        for neighbour in neighbours[broker]:
            if neighbour != before[broker]:
                before[neighbour] = broker
                order.append(neighbour)
    onward: list[list[int]] = [[] for _ in neighbours]
    for broker in reversed(order[1:]):
        if broker in wanted_at or onward[broker]:
            onward[before[broker]].append(broker)
    return [tuple(one) for one in onward]
