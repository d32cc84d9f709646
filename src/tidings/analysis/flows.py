"""Flows: the events of one source on one topic, and how much of them reaches each broker."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tidings.analysis.interest import Interest, TopicInterest, either, share_of
from tidings.analysis.sources import Source, sources_of
from tidings.analysis.trees import RootedTree, Trees
from tidings.scenario.world import World


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Flow:
    """One source's events on one topic, along their tree."""

    source: Source
    topic: str
    rate: float
    """Published per nanosecond."""
    interest: TopicInterest
    tree: RootedTree
    needs: Mapping[str, float]
    """By broker, in the order of the tree: the share of the events that somebody at it or behind it wants.

    The publisher's own broker gets all of them; brokers that need nothing are left out.
    """
    alive: dict[str, float] = field(default_factory=dict)
    """By broker: of the events that would reach it, those that have not expired on the way (1 when not said)."""

    def edges(self) -> Iterator[tuple[str, str]]:
        """Parent and child along which anything is sent."""
        for parent, child in self.tree.edges():
            if child in self.needs:
                yield parent, child


def flows_of(world: World, interest: Interest, trees: Trees) -> tuple[Flow, ...]:
    """Every source on each of its topics; topics that nobody wants still reach their publishers' brokers."""
    return flows_from(sources_of(world), interest, trees)


def flows_from(sources: Sequence[Source], interest: Interest, trees: Trees) -> tuple[Flow, ...]:
    """The same of sources that are known."""
    found = []
    for source in sources:
        for topic, share in source.topics.items():
            wanted = interest.on(source, topic)
            tree = trees.of(topic, source.broker)
            flow = Flow(
                source=source,
                topic=topic,
                rate=source.rate * share,
                interest=wanted,
                tree=tree,
                needs=_needs(wanted, tree),
            )
            found.append(flow)
    return tuple(found)


def _needs(interest: TopicInterest, tree: RootedTree) -> dict[str, float]:
    """Filters behind a link are joined from the leaves inward."""
    unions = dict(interest.unions)
    for broker in reversed(tree.order[1:]):
        if broker in unions:
            parent = tree.parents[broker]
            unions[parent] = either(unions[parent], unions[broker]) if parent in unions else unions[broker]
    shares = {broker: share_of(interest.contents, unions[broker]) for broker in tree.order if broker in unions}
    return {tree.root: 1.0} | {broker: share for broker, share in shares.items() if broker != tree.root and share > 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Passing:
    """The probability that each step of a way is passed by an event, failures and losses together."""

    entering: Mapping[str, float]
    """By source's first publisher: from the publisher into its broker."""
    links: Mapping[tuple[str, str], float]
    """By direction: over the link and into the broker behind it."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """Events per nanosecond."""

    arriving: Mapping[str, float]
    """At each broker."""
    over: Mapping[tuple[str, str], float]
    """Sent over each link, by direction."""
    offered: Mapping[tuple[str, str], float]
    """For each link, what its sender has got for it: what may wait there, and expire before it is sent."""
    by_flow: Sequence[Mapping[str, float]]
    """Of each flow, at each broker that it reaches."""


def traffic_of(flows: Sequence[Flow], passing: Passing) -> Traffic:
    """Rates everywhere, losses and expired events taken off on the way."""
    arriving: dict[str, float] = {}
    over: dict[tuple[str, str], float] = {}
    offered: dict[tuple[str, str], float] = {}
    by_flow = []
    for flow in flows:
        survive = {flow.tree.root: passing.entering[flow.source.example.id]}
        for parent, child in flow.edges():
            survive[child] = survive[parent] * passing.links[parent, child]
        rates = {
            broker: flow.rate * share * survive[broker] * flow.alive.get(broker, 1.0)
            for broker, share in flow.needs.items()
        }
        for broker, rate in rates.items():
            arriving[broker] = arriving.get(broker, 0.0) + rate
        for parent, child in flow.edges():
            passed = passing.links[parent, child]
            sent = rates[child] / passed if passed > 0 else flow.rate * flow.needs[child] * survive[parent]
            over[parent, child] = over.get((parent, child), 0.0) + sent
            had = flow.rate * flow.needs[child] * survive[parent] * flow.alive.get(parent, 1.0)
            offered[parent, child] = offered.get((parent, child), 0.0) + had
        by_flow.append(rates)
    return Traffic(arriving, over, offered, by_flow)
