"""The index of dispersion of what arrives at each broker, followed from the publishers through every queue.

Streams are kept apart by tree and link: what travels over a link together was shifted about together, so it is one
stream with one index. Where all that comes over a link is asked for, its trees are taken together, since one broker has
spaced them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tidings.analysis.dispersion import (
    Curve,
    Floats,
    Passage,
    departed_curve,
    renewal_curve,
    scales,
    superposed_curve,
    thinned_curve,
)
from tidings.analysis.flows import Flow, Traffic
from tidings.analysis.poisson_server import PoissonServer
from tidings.analysis.sources import Source
from tidings.analysis.stations import Station
from tidings.vocabulary.distribution import Distribution

OWN: Final = ""
"""Stands for the publishers of a broker where others are named by their broker."""

Edge = tuple[int, str, str]
"""Number of a tree, and a direction of one of its links."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Queues:
    """Every broker as streams meet it."""

    times: Floats
    """At which curves are known."""
    stations: Mapping[str, Station]
    services: Mapping[str, Distribution | None]
    servers: Mapping[str, PoissonServer]
    """Of brokers that have a steady state and anything to do."""
    jitters: Mapping[str, float]
    """Standard deviations of the times spent at each broker."""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """What comes in at one broker."""

    total: Curve
    streams: Mapping[str, Curve]
    """By the neighbour that sends it; `OWN`: what is published here."""
    concentration: float
    """Over all publishers, the sum of the squares of their shares: 1 where there is but one."""


def arrival_curves(flows: Sequence[Flow], traffic: Traffic, queues: Queues) -> dict[str, Arrivals]:
    """By broker that anything reaches."""
    return _Streams(flows, traffic, queues).arrivals()


def time_scales(flows: Sequence[Flow], services: Mapping[str, Distribution | None]) -> Floats:
    """From well below the shortest mean time of the whole to far above the longest."""
    means = [law.mean for law in services.values() if law is not None]
    means += [1 / flow.source.rate for flow in flows if flow.source.rate > 0]
    means += [flow.source.every.mean for flow in flows if flow.source.every is not None]
    return scales(min(means), max(means))


class _Renewals:
    """Renewal streams, each law once."""

    def __init__(self, times: Floats) -> None:
        self._times = times
        self._known: dict[Distribution, Curve] = {}

    def of_law(self, law: Distribution) -> Curve:
        if law not in self._known:
            self._known[law] = renewal_curve(law, self._times)
        return self._known[law]

    def of_source(self, source: Source) -> Curve:
        """Of all publishers of a source together: independent of each other, their index is that of each."""
        if source.record is not None:
            return source.record.curve(self._times)
        assert source.every is not None, "a source has intervals or a record"
        one = self.of_law(source.every)
        return replace(one, rate=source.rate)


@dataclass(slots=True)
class _Edges:
    """What happens on each edge, and what feeds it."""

    rates: dict[Edge, float] = field(default_factory=dict)
    into: dict[tuple[int, str], dict[str, None]] = field(default_factory=dict)
    """Neighbours that send anything to a broker on a tree."""
    own: dict[tuple[int, str], dict[int, float]] = field(default_factory=dict)
    """Publishers' events that start at a broker on a tree: rate by source."""


class _Streams:
    """One curve for each edge, computed when somebody asks."""

    def __init__(self, flows: Sequence[Flow], traffic: Traffic, queues: Queues) -> None:
        self._flows, self._traffic, self._queues, self._times = flows, traffic, queues, queues.times
        self._sources = {id(flow.source): flow.source for flow in flows}
        renewals = _Renewals(self._times)
        self._first = {key: renewals.of_source(source) for key, source in self._sources.items()}
        self._renewals = renewals
        self._edges = _edges(flows, traffic)
        self._spread = _limits(flows, traffic, self._first)
        self._known: dict[Edge, Curve] = {}

    def arrivals(self) -> dict[str, Arrivals]:
        """At each broker; a publisher's topics are one stream at its own broker."""
        own: dict[str, list[Curve]] = {}
        for key, source in self._sources.items():
            arrived = sum(
                rates.get(key, 0.0) for (_, broker), rates in self._edges.own.items() if broker == source.broker
            )
            kept = min(arrived / source.rate, 1.0) if source.rate > 0 else 0.0
            own.setdefault(source.broker, []).append(thinned_curve(self._first[key], kept))
        found = {name: {OWN: superposed_curve(curves, self._times)} for name, curves in own.items()}
        trees: dict[tuple[str, str], list[int]] = {}
        for tree, sender, receiver in self._edges.rates:
            trees.setdefault((sender, receiver), []).append(tree)
        for (sender, receiver), numbers in trees.items():
            sent = superposed_curve([self._sent(tree, sender, receiver) for tree in numbers], self._times)
            found.setdefault(receiver, {})[sender] = self._behind(sender, sent)
        concentrations = _concentrations(self._flows, self._traffic)
        return {
            name: Arrivals(superposed_curve(tuple(streams.values()), self._times), streams, concentrations[name])
            for name, streams in found.items()
        }

    def _over(self, edge: Edge) -> Curve:
        """What arrives over an edge."""
        if edge not in self._known:
            self._known[edge] = self._behind(edge[1], self._sent(*edge))
        return self._known[edge]

    def _sent(self, tree: int, sender: str, receiver: str) -> Curve:
        """What came to the sender elsewhere and will go over an edge, as it came."""
        merged = self._before(tree, sender, receiver)
        rate = self._edges.rates[tree, sender, receiver]
        return thinned_curve(merged, min(rate / merged.rate, 1.0) if merged.rate > 0 else 0.0)

    def _before(self, tree: int, broker: str, receiver: str) -> Curve:
        curves = [
            self._over((tree, one, broker)) for one in self._edges.into.get((tree, broker), ()) if one != receiver
        ]
        for key, rate in self._edges.own.get((tree, broker), {}).items():
            published = self._sources[key].rate
            curves.append(thinned_curve(self._first[key], min(rate / published, 1.0) if published > 0 else 0.0))
        return superposed_curve(curves, self._times)

    def _behind(self, broker: str, arrived: Curve) -> Curve:
        service = self._queues.services[broker]
        station = self._queues.stations[broker]
        if service is None or station.rate <= 0:
            return arrived
        passage = Passage(
            load=station.load,
            spacing=self._spacing(broker, service),
            spread=self._spread.get(broker, 1.0) + service.scv,
            share=min(arrived.rate / station.rate, 1.0),
            jitter=self._queues.jitters[broker],
        )
        return departed_curve(arrived, passage)

    def _spacing(self, broker: str, service: Distribution) -> Floats:
        server = self._queues.servers.get(broker)
        return self._renewals.of_law(service).index - 1 if server is None else server.spacing


def _edges(flows: Sequence[Flow], traffic: Traffic) -> _Edges:
    found = _Edges()
    for flow, rates in zip(flows, traffic.by_flow, strict=True):
        tree, root = flow.tree.number, flow.tree.root
        own = found.own.setdefault((tree, root), {})
        own[id(flow.source)] = own.get(id(flow.source), 0.0) + rates[root]
        for parent, child in flow.edges():
            edge = tree, parent, child
            found.rates[edge] = found.rates.get(edge, 0.0) + rates[child]
            found.into.setdefault((tree, child), {})[parent] = None
    return found


def _concentrations(flows: Sequence[Flow], traffic: Traffic) -> dict[str, float]:
    by_source: dict[tuple[str, int], float] = {}
    counts = {id(flow.source): len(flow.source.publishers) for flow in flows}
    for flow, rates in zip(flows, traffic.by_flow, strict=True):
        for broker, rate in rates.items():
            key = broker, id(flow.source)
            by_source[key] = by_source.get(key, 0.0) + rate
    found = dict.fromkeys(traffic.arriving, 0.0)
    for (broker, source), rate in by_source.items():
        if rate > 0:
            found[broker] += (rate / traffic.arriving[broker]) ** 2 / counts[source]
    return found


def _limits(flows: Sequence[Flow], traffic: Traffic, first: Mapping[int, Curve]) -> dict[str, float]:
    """Of the index over long times, which queues do not change and thinning does."""
    sums: dict[str, float] = {}
    for flow, rates in zip(flows, traffic.by_flow, strict=True):
        limit = first[id(flow.source)].limit
        for broker, rate in rates.items():
            share = min(rate / flow.source.rate, 1.0) if flow.source.rate > 0 else 1.0
            sums[broker] = sums.get(broker, 0.0) + rate * (share * limit + 1 - share)
    return {name: total / traffic.arriving[name] for name, total in sums.items() if traffic.arriving[name] > 0}
