"""Timestamp requests in a network of five servers, each of which handles one step at a time.

The paper's links: 10 ± 2 ms between a client and the server of its site, 100 ± 10 ms between sites; channels between
servers keep their order. How long a step takes the paper does not say: `step_seconds` fits it to the one thing that it does say,
a peak of throughput at 5,000 requests a second under the geographic pattern.
"""

import heapq
from dataclasses import dataclass
from typing import Final

import numpy as np

from tidings.studies.total_routes import Deployment
from tidings.studies.total_setting import SITES, TOPICS, Floats

NEAR: Final = (0.010, 0.002)
FAR: Final = (0.100, 0.010)
PEAK_RATE: Final = 5_000.0


@dataclass(frozen=True, slots=True)
class Served:
    """What came out at one rate."""

    latency: float
    """From the request to the timestamp where the event is published, on average, of requests in the second half."""
    throughput: float
    """Finished timestamps a second, while requests came in."""


def step_seconds(deployment: Deployment, publishes: Floats) -> float:
    """How long a step takes if the busiest server is just busy at the rate of the paper's peak."""
    return 1.0 / (PEAK_RATE * max(deployment.load(publishes)))


def serve(
    deployment: Deployment, publishes: Floats, *, rate: float, seconds: float, step: float, draw: np.random.Generator
) -> Served:
    """Poisson requests for so many seconds, until all are done."""
    count = int(draw.poisson(rate * seconds))
    began = np.sort(draw.random(count)) * seconds
    kinds = draw.choice(SITES * TOPICS, size=count, p=publishes.ravel())
    sites, topics = (kinds // TOPICS).tolist(), (kinds % TOPICS).tolist()
    delays = _Delays(draw)
    agenda: list[tuple[float, int, int]] = []
    """When a request comes to a server, its number, and which of its visits this is."""
    for request, at in enumerate(began.tolist()):
        way = deployment.ways[topics[request]]
        agenda.append((at + delays.client(sites[request], way[0].server), request, 0))
    heapq.heapify(agenda)
    free, done = [0.0] * SITES, np.zeros(count)
    last: dict[tuple[int, int], float] = {}
    while agenda:
        now, request, place = heapq.heappop(agenda)
        way = deployment.ways[topics[request]]
        here = way[place].server
        free[here] = max(now, free[here]) + step * way[place].steps
        if place + 1 < len(way):
            there = way[place + 1].server
            at = max(free[here] + delays.far(), last.get((here, there), 0.0))
            last[here, there] = at
            heapq.heappush(agenda, (at, request, place + 1))
        elif deployment.to_publisher:
            done[request] = free[here] + delays.client(sites[request], here)
        else:
            done[request] = free[here] + (delays.far() if here != way[0].server else 0.0)
    late = began > seconds / 2
    # In the steady state as many are finished in a span as began in it; the span begins when the first can be done.
    span = (done > seconds / 2) & (done <= seconds)
    return Served(float((done - began)[late].mean()), float(span.sum()) / (seconds / 2))


class _Delays:
    """Normal delays, cut at 0, drawn in blocks."""

    def __init__(self, draw: np.random.Generator) -> None:
        self._draw = draw
        self._blocks: dict[tuple[float, float], list[float]] = {NEAR: [], FAR: []}

    def client(self, site: int, server: int) -> float:
        """Between a client of a site and a server."""
        return self._next(NEAR if site == server else FAR)

    def far(self) -> float:
        """Between two servers."""
        return self._next(FAR)

    def _next(self, law: tuple[float, float]) -> float:
        block = self._blocks[law]
        if not block:
            block += np.maximum(self._draw.normal(*law, 4_096), 0.0).tolist()
        return block.pop()
