"""Where the timestamp requests of every topic go: the published deployment, and planned ones beside it.

The published deployment has 200 topics on each of five servers by identifier, and a manager for each topic; a request
visits the managers of all higher members of its topic's sequencing group, one after the other, and goes back to its
publisher. A plan's request climbs from stage to stage, and the finished timestamp goes back to the stage of its topic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidings.ordering import SequencingPlan, plan_sequencing
from tidings.ordering.plan import Precedence, Stages
from tidings.studies.total_setting import SITES, TOPICS, SiteWorld, block_of


@dataclass(frozen=True, slots=True)
class Visit:
    """A stay at one server, and how many managers or stages handle the request there."""

    server: int
    steps: int


Way = tuple[Visit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """The way of every topic's requests over the five servers."""

    name: str
    ways: tuple[Way, ...]
    to_publisher: bool
    """The publisher publishes, and gets the timestamp; else the topic's stage does."""
    depth: int
    """Managers or stages on the longest way."""
    depth_bound: int | None = None
    """Of its partition; None: not planned."""
    crossings_bound: float | None = None

    def steps(self, publishes: NDArray[np.float64]) -> float:
        """Managers or stages that a request visits, per publication."""
        visited = [sum(visit.steps for visit in way) for way in self.ways]
        return float((publishes.sum(axis=0) * visited).sum())

    def crossings(self, publishes: NDArray[np.float64]) -> float:
        """Messages between sites per publication: to the first server, up, and back."""
        total = 0.0
        for topic, way in enumerate(self.ways):
            share, first, last = publishes[:, topic], way[0].server, way[-1].server
            back = share.sum() - share[last] if self.to_publisher else share.sum() * (first != last)
            total += share.sum() - share[first] + share.sum() * (len(way) - 1) + back
        return float(total)

    def load(self, publishes: NDArray[np.float64]) -> list[float]:
        """Steps of each server per publication."""
        found = [0.0] * SITES
        for share, way in zip(publishes.sum(axis=0).tolist(), self.ways, strict=True):
            for visit in way:
                found[visit.server] += share * visit.steps
        return found

    def outgoing(self, publishes: NDArray[np.float64], entries: NDArray[np.int64]) -> list[float]:
        """Of the timestamps' bytes that each server handles, those that it sends to another server. NaN: it handles none."""
        sent, handled = np.zeros(SITES), np.zeros(SITES)
        for size, way in zip((publishes.sum(axis=0) * entries).tolist(), self.ways, strict=True):
            for visit in way:
                handled[visit.server] += size * visit.steps
            for visit in way[:-1]:
                sent[visit.server] += size
        with np.errstate(invalid="ignore"):
            shares: list[float] = (sent / handled).tolist()
        return shares


PLANS: Final[tuple[tuple[str, Stages, Precedence], ...]] = (
    ("tree on the same servers", SITES, "identifier"),
    ("planned, shallow", "automatic", "shallow"),
    ("planned, by site", "automatic", "by-site"),
)
"""Name, stages and precedence of what stands beside the published deployment."""


def published(world: SiteWorld) -> Deployment:
    """By identifier, 200 topics a server, as published. Topics with lower identifiers stand higher."""
    joined = world.overlaps()
    ways = tuple(
        _published_way([topic, *np.flatnonzero(joined[topic, :topic])[::-1].tolist()]) for topic in range(TOPICS)
    )
    return Deployment(
        name="published", ways=ways, to_publisher=True, depth=max(sum(visit.steps for visit in way) for way in ways)
    )


def planned(world: SiteWorld, name: str, stages: Stages, precedence: Precedence) -> Deployment:
    """By a plan; each stage works on the server of its site."""
    plan = plan_sequencing(
        world.interests(),
        topics=[f"t{topic}" for topic in range(TOPICS)],
        popularity=world.popularity(),
        stages=stages,
        precedence=precedence,
    )
    return Deployment(
        name=name,
        ways=tuple(_planned_way(plan, f"t{topic}") for topic in range(TOPICS)),
        to_publisher=False,
        depth=plan.report.depth,
        depth_bound=plan.report.depth_bound,
        crossings_bound=plan.report.crossings_bound,
    )


def deployments(world: SiteWorld) -> list[Deployment]:
    """The published one first."""
    return [published(world), *(planned(world, *one) for one in PLANS)]


def _published_way(managers: Sequence[int]) -> Way:
    return _joined([block_of(topic) for topic in managers])


def _planned_way(plan: SequencingPlan, topic: str) -> Way:
    sites = {stage.name: int(stage.site.removeprefix("site")) for stage in plan.stages}
    return _joined([sites[stage] for stage in plan.routes[topic].path])


def _joined(servers: Sequence[int]) -> Way:
    """Neighbours on one server are one stay."""
    ends = [place for place, (here, there) in enumerate(pairwise(servers), 1) if here != there]
    bounds = [0, *ends, len(servers)]
    return tuple(Visit(servers[start], end - start) for start, end in pairwise(bounds))
