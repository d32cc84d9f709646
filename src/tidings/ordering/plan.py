"""The sequencing plan: stages, the trees they form, and the way of every topic's requests. One value, one function.

Everybody who is told the same interests makes the same plan: nothing depends on the order in which subscribers are
named, on a process or on a hash seed.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tidings.errors import InputError
from tidings.ordering.depth_bound import depth_bound
from tidings.ordering.elimination import EliminationTree, StageGraph, check_order, eliminate, members, stage_graph
from tidings.ordering.overlap import OverlapGraph, overlap_graph
from tidings.ordering.partition import PlannedStage, as_given, automatic, by_home, in_blocks
from tidings.ordering.plan_report import PlanReport, crossings, crossings_bound, loads
from tidings.ordering.precedence import Climb, by_identifier, by_site, shallow
from tidings.ordering.traffic import Traffic, traffic_of

Precedence: TypeAlias = Literal["identifier", "shallow", "by-site"] | Sequence[str]
"""How stages are ranked, or their names from the highest to the lowest."""

Stages: TypeAlias = int | Literal["by-site", "automatic"] | Mapping[str, Sequence[str]]
"""How topics are partitioned: a number, a way, or the topics of each stage."""


@dataclass(frozen=True, slots=True)
class TopicRoute:
    """What a request of one topic needs and where it goes."""

    group: tuple[str, ...]
    """The sequencing group, in the order of identifiers: the entries of a timestamp."""
    path: tuple[str, ...]
    """From the topic's own stage through every ancestor to the highest stage of its group."""

    @property
    def stage(self) -> str:
        """The topic's own."""
        return self.path[0]

    @property
    def highest(self) -> str:
        """The stage that completes the timestamp: the highest with a member of the group."""
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class SequencingTree:
    """The stages that order one connected component of topics; a stage may stand in several trees."""

    topics: tuple[str, ...]
    parents: Mapping[str, str | None]
    """From the root down; None: the root."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SequencingPlan:
    """Who sequences what, and on which way."""

    k: int
    stages: tuple[PlannedStage, ...]
    """From the highest rank to the lowest; every topic in one of them."""
    trees: tuple[SequencingTree, ...]
    routes: Mapping[str, TopicRoute]
    """Of every topic, in the order of identifiers."""
    report: PlanReport

    def stage(self, name: str) -> PlannedStage:
        """The stage called `name`; InputError when there is none."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise InputError(f"no stage is called {name}; there are {', '.join(stage.name for stage in self.stages)}")


def plan_sequencing(
    interests: Mapping[str, Collection[str]],
    *,
    topics: Sequence[str] | None = None,
    k: int = 2,
    precedence: Precedence = "shallow",
    stages: Stages = "automatic",
    popularity: Mapping[str, Mapping[str, float]] | None = None,
) -> SequencingPlan:
    """The plan for subscribers with these topics.

    Args:
        interests: the topics of each subscriber (of groups: the groups of each member).
        topics: all topics of the deployment; None: those that somebody has.
        k: how many subscribers two topics must share to be ordered: 2 for `total` and `groups`, 1 for `causal`.
        precedence: how stages are ranked.
        stages: how topics are partitioned.
        popularity: by topic and site, how often it is published on; any unit. Without it all topics weigh alike and no
            sites are told apart.

    Raises:
        InputError: for what cannot be planned: see `overlap_graph`, `traffic_of`, the partitions and the precedences.
    """
    overlap = overlap_graph(interests, topics=topics, k=k)
    traffic = traffic_of(overlap.topics, popularity)
    shaped = [_shaped(overlap, traffic, partition, precedence) for partition in _partitions(overlap, traffic, stages)]
    best = min(shaped, key=lambda shape: shape.cost(crossings_first=precedence == "by-site"))
    return SequencingPlan(
        k=k,
        stages=tuple(sorted(best.partition, key=lambda stage: best.order.index(stage.name))),
        trees=tuple(
            SequencingTree(tuple(overlap.topics[topic] for topic in component), _parents(tree))
            for component, tree in zip(overlap.components(), best.trees, strict=True)
        ),
        routes={
            topic: TopicRoute(overlap.group(topic), path)
            for topic, path in zip(overlap.topics, best.paths, strict=True)
        },
        report=_report(overlap, traffic, best),
    )


@dataclass(frozen=True, slots=True)
class _Layout:
    """The topics' overlaps beside the stages that they are in, both by position."""

    overlap: OverlapGraph
    names: tuple[str, ...]
    stage_of: tuple[int, ...]

    def graph(self, topics: Sequence[int]) -> StageGraph:
        return stage_graph(self.overlap, topics, self.stage_of, self.names)

    def group(self, topic: int) -> int:
        """The stages of the topic's sequencing group, as bits."""
        needs = 1 << self.stage_of[topic]
        for other in self.overlap.neighbours[topic]:
            needs |= 1 << self.stage_of[other]
        return needs


@dataclass(frozen=True, slots=True)
class _Shape:
    """One partition in its order, worked out."""

    partition: tuple[PlannedStage, ...]
    order: tuple[str, ...]
    graphs: list[StageGraph]
    trees: list[EliminationTree]
    """Of each component, in the order of the components, as are `graphs`."""
    paths: list[tuple[str, ...]]
    crossings: float
    path_mean: float

    def cost(self, *, crossings_first: bool) -> tuple[float, ...]:
        """What is compared, in this order."""
        depth = max((tree.depth for tree in self.trees), default=0)
        return (*((self.crossings, depth) if crossings_first else (depth, self.crossings)), self.path_mean)


def _shaped(
    overlap: OverlapGraph, traffic: Traffic, partition: tuple[PlannedStage, ...], precedence: Precedence
) -> _Shape:
    place = {topic: number for number, stage in enumerate(partition) for topic in stage.topics}
    layout = _Layout(overlap, tuple(stage.name for stage in partition), tuple(place[topic] for topic in overlap.topics))
    order = _ordered(layout, partition, traffic.totals, precedence)
    rank = {stage: position for position, stage in enumerate(order)}
    components = overlap.components()
    graphs = [layout.graph(component) for component in components]
    trees = [eliminate(graph, sorted(graph.stages, key=rank.__getitem__)) for graph in graphs]
    paths: list[tuple[str, ...]] = [()] * len(overlap.topics)
    for component, tree in zip(components, trees, strict=True):
        for topic in component:
            paths[topic] = _path(tree, layout, topic)
    return _Shape(
        partition,
        order,
        graphs,
        trees,
        paths,
        crossings(traffic, paths, {stage.name: stage.site for stage in partition}),
        math.fsum(total * len(path) for total, path in zip(traffic.totals, paths, strict=True)),
    )


def _partitions(overlap: OverlapGraph, traffic: Traffic, stages: Stages) -> list[tuple[PlannedStage, ...]]:
    """The partition asked for, or several to choose from."""
    if isinstance(stages, int):
        return [in_blocks(overlap, traffic, stages)]
    if isinstance(stages, Mapping):
        return [as_given(overlap, traffic, stages)]
    if stages == "by-site":
        return [by_home(overlap, traffic)]
    if stages == "automatic":
        return automatic(overlap, traffic)
    raise InputError(f'stages = {stages!r}: a number, "by-site", "automatic" or the topics of each stage is right')


def _ordered(
    layout: _Layout, partition: tuple[PlannedStage, ...], totals: Sequence[float], precedence: Precedence
) -> tuple[str, ...]:
    if precedence == "identifier":
        return by_identifier({stage.name: stage.topics for stage in partition})
    if not isinstance(precedence, str):
        check_order(precedence, dict.fromkeys(layout.names))
        return tuple(precedence)
    graph, climbs = layout.graph(range(len(totals))), _climbs(layout, totals)
    if precedence == "shallow":
        return shallow(graph, climbs)
    if precedence == "by-site":
        return by_site(graph, {stage.name: stage.site for stage in partition}, climbs)
    raise InputError(f'precedence = {precedence!r}: "identifier", "shallow", "by-site" or an order of stages is right')


def _climbs(layout: _Layout, totals: Sequence[float]) -> list[Climb]:
    """What the topics' requests need, those that need the same added up. Every stage has a topic, so positions agree."""
    weights: dict[tuple[int, int], float] = {}
    for topic, total in enumerate(totals):
        kind = layout.stage_of[topic], layout.group(topic)
        weights[kind] = weights.get(kind, 0.0) + total
    return [Climb(stage, needs, weight) for (stage, needs), weight in weights.items()]


def _path(tree: EliminationTree, layout: _Layout, topic: int) -> tuple[str, ...]:
    needed = [layout.names[stage] for stage in members(layout.group(topic))]
    highest = min(needed, key=lambda stage: tree.depths[tree.rank[stage]])
    path = [layout.names[layout.stage_of[topic]]]
    above = tree.ancestors(path[0])
    while path[-1] != highest:
        path.append(next(above))
    return tuple(path)


def _parents(tree: EliminationTree) -> dict[str, str | None]:
    return {stage: tree.parent(stage) for stage in tree.stages}


def _report(overlap: OverlapGraph, traffic: Traffic, shape: _Shape) -> PlanReport:
    entries = [1 + len(others) for others in overlap.neighbours]
    return PlanReport(
        depth=max((tree.depth for tree in shape.trees), default=0),
        depth_bound=max((depth_bound(graph.neighbours) for graph in shape.graphs), default=0),
        path_mean=shape.path_mean,
        path_max=max(map(len, shape.paths), default=0),
        entries_mean=sum(entries) / len(entries) if entries else 0.0,
        entries_published=math.fsum(total * count for total, count in zip(traffic.totals, entries, strict=True)),
        crossings=shape.crossings,
        crossings_bound=crossings_bound(overlap, traffic),
        load=loads(shape.order, shape.paths, traffic.totals),
    )
