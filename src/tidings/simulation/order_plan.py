"""Who sequences what in a scenario, and where: the plan for everybody whom the scenario names, whenever they come.

So nobody's coming adds an overlap, and the deployment has one version from its beginning to its end.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tidings.node.overlay_port import subject_of
from tidings.ordering import SequencingPlan, plan_sequencing
from tidings.ordering.partition import PlannedStage
from tidings.scenario.promise_tables import ACROSS_TOPICS
from tidings.scenario.world import Publisher, World
from tidings.sequencing import Deployment
from tidings.simulation.overlays import overlay_of
from tidings.simulation.publishing import expected_events
from tidings.simulation.troubles import StagePlace
from tidings.vocabulary.event import NUMBER_BITS, Event

FIRST_VERSION = 1


@dataclass(frozen=True, slots=True)
class PlacedStage:
    """A stage and the broker that it lives beside."""

    stage: PlannedStage
    broker: str

    @property
    def client(self) -> str:
        """What its process is called, and the client that it is at its broker."""
        return f"stage:{self.stage.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPlan:
    """An order across topics in one world."""

    deployment: Deployment
    placed: tuple[PlacedStage, ...]
    publishers: int
    """Identities of events belong to so many; those of what carries an order come after them."""

    @property
    def places(self) -> Mapping[str, StagePlace]:
        """By what its process is called: where each stage lives, and how a scenario may name it."""
        return {
            one.client: StagePlace(one.broker, tuple(f"stage:{topic}" for topic in one.stage.topics))
            for one in self.placed
        }

    def identity(self, event: Event) -> int | None:
        """Which event of the scenario an event or a carrier is about."""
        if event.id >> NUMBER_BITS < self.publishers:
            return event.id
        return subject_of(event)


def order_of(world: World) -> OrderPlan | None:
    """The order across topics that a scenario promises, if it promises one."""
    if world.ordering.guarantee not in ACROSS_TOPICS:
        return None
    deployment = deployment_of(world)
    placed = placed_stages(world, deployment.plan)
    return OrderPlan(deployment=deployment, placed=placed, publishers=len(world.publishers))


def deployment_of(world: World) -> Deployment:
    """The one version of a scenario's order."""
    ordering = world.ordering
    k = ordering.k or (1 if ordering.guarantee == "causal" else 2)
    topics = dict.fromkeys([topic.name for topic in world.topics])
    topics |= dict.fromkeys(topic for one in world.subscribers for topic in one.topics or ())
    plan = plan_sequencing(
        {one.id: one.topics for one in world.subscribers if one.topics},
        topics=tuple(topics),
        k=k,
        precedence=ordering.precedence,
        stages=ordering.stages,  # type: ignore[arg-type]  # the same
        popularity=_popularity(world),
    )
    return Deployment(version=FIRST_VERSION, plan=plan, program_order=k == 1, reliable=ordering.mode == "reliable")


def placed_stages(world: World, plan: SequencingPlan) -> tuple[PlacedStage, ...]:
    """By site: at the site's first broker. Else where the mean delay to those who publish on its topics is least."""
    brokers_at: dict[str, str] = {}
    for broker in world.brokers:
        brokers_at.setdefault(broker.site or broker.id, broker.id)
    if world.ordering.stages == "by-site":
        return tuple(PlacedStage(stage, brokers_at[stage.site]) for stage in plan.stages)
    overlay = overlay_of(world)
    distances = {name: overlay.distances_from(name) for name in overlay.brokers}
    rates = {one.id: rates_of(world, one) for one in world.publishers}

    def cost(stage: PlannedStage, broker: str) -> float:
        topics = dict.fromkeys(stage.topics)
        return math.fsum(
            rate * distances[broker].get(one.broker, math.inf)
            for one in world.publishers
            for topic, rate in rates[one.id].items()
            if topic in topics
        )

    return tuple(
        PlacedStage(stage, min(overlay.brokers, key=lambda broker: cost(stage, broker))) for stage in plan.stages
    )


def rates_of(world: World, publisher: Publisher) -> Mapping[str, float]:
    """How many events a publisher will have on each topic, roughly."""
    total = expected_events(publisher, world.duration_ns)
    if publisher.topics:
        share = total / len(publisher.topics)
        found: dict[str, float] = {}
        for topic in publisher.topics:
            found[topic] = found.get(topic, 0.0) + share
        return found
    if publisher.profile is not None:
        weights = [(one.topic, one.weight) for one in publisher.profile.contents]
    else:
        weights = [(one.name, one.popularity.get(publisher.site or "", 0.0)) for one in world.topics]
    return _shared(weights, total)


def _shared(weights: Sequence[tuple[str, float]], total: float) -> Mapping[str, float]:
    sums: dict[str, float] = {}
    for topic, weight in weights:
        sums[topic] = sums.get(topic, 0.0) + weight
    whole = math.fsum(sums.values())
    return {topic: total * weight / whole for topic, weight in sums.items() if weight > 0}


def _popularity(world: World) -> dict[str, dict[str, float]]:
    """By topic and site, or broker where there are no sites: how much is published."""
    site_of = {broker.id: broker.site or broker.id for broker in world.brokers}
    found: dict[str, dict[str, float]] = {}
    for publisher in world.publishers:
        site = site_of[publisher.broker]
        for topic, rate in rates_of(world, publisher).items():
            row = found.setdefault(topic, {})
            row[site] = row.get(site, 0.0) + rate
    return found
