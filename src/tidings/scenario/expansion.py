"""From a scenario to one definite world: everything that can be drawn beforehand is drawn here, from named streams.

Names of streams are made of the entries' ids, so that adding one thing leaves the draws of all others alone. Where
everything is explicit nothing is left to draw, and another seed changes what happens at run time only.
"""

from collections.abc import Mapping, Sequence

from tidings.scenario.client_expansion import Clients
from tidings.scenario.document import Scenario
from tidings.scenario.overlay_expansion import ExpandedOverlay, expand_overlay
from tidings.scenario.promise_tables import ACROSS_TOPICS, episodes_of
from tidings.scenario.publisher_expansion import expand_publishers
from tidings.scenario.schema import unknown
from tidings.scenario.subscriber_expansion import Setting, expand_subscribers
from tidings.scenario.topic_expansion import expand_popularity, world_topics
from tidings.scenario.tree_expansion import expand_trees
from tidings.scenario.world import (
    Crash,
    Handoff,
    Map,
    Ordering,
    Publisher,
    Reliability,
    Routing,
    Subscriber,
    Topic,
    World,
)
from tidings.vocabulary.streams import SEED_MAX, Streams

_STAGE = "stage:"


def expand(scenario: Scenario, *, seed: int | None = None) -> World:
    """Draw the world of a scenario; `seed` (0 to 2⁶³ - 1) takes the place of the file's.

    Raises ScenarioError for what shows only now: dangling names, names given twice, brokers that cannot reach each
    other, filters that become impossible.
    """
    chosen = scenario.seed if seed is None else seed
    if not 0 <= chosen <= SEED_MAX:
        raise scenario.place("seed").wrong(chosen, f"must be from 0 to {SEED_MAX}")
    streams = Streams(chosen)
    overlay = expand_overlay(scenario, streams)
    clients = Clients(scenario, overlay, streams)
    popularity = expand_popularity(scenario, overlay.places, streams)
    publishers = expand_publishers(scenario, clients, popularity)
    topics = world_topics(popularity, publishers)
    setting = Setting(
        scenario=scenario,
        streams=streams,
        overlay=overlay,
        clients=clients,
        popularity=popularity,
        publishers=publishers,
        topics=topics,
    )
    return _world(setting, expand_subscribers(setting), chosen)


def _world(setting: Setting, subscribers: tuple[Subscriber, ...], seed: int) -> World:
    scenario, overlay = setting.scenario, setting.overlay
    _check_reach(scenario, overlay, setting.publishers, subscribers)
    return World(
        name=scenario.path.stem if scenario.name is None else scenario.name,
        seed=seed,
        duration_ns=scenario.duration,
        brokers=overlay.brokers,
        links=overlay.links,
        publishers=tuple(setting.publishers),
        subscribers=subscribers,
        topics=tuple(setting.topics),
        trees=expand_trees(scenario, overlay.graph, setting.topics, _homes(setting.publishers, subscribers)),
        runs=scenario.runs,
        routing=_routing(scenario),
        reliability=Reliability(
            mechanism=scenario.reliability.mechanism,
            renew_ns=scenario.reliability.renew,
            expired=scenario.reliability.expired,
        ),
        ordering=_ordering(scenario),
        episodes=episodes_of(scenario.faults),
        crashes=_crashes(scenario, overlay, setting.topics),
        map=_map(scenario),
        handoff=_handoff(scenario, {broker.id: None for broker in overlay.brokers}),
        file=str(scenario.path),
        notes=overlay.notes,
    )


def _homes(publishers: Sequence[Publisher], subscribers: Sequence[Subscriber]) -> dict[str, str]:
    """Brokers that clients are at, each with one of its clients."""
    homes: dict[str, str] = {}
    for publisher in publishers:
        homes.setdefault(publisher.broker, publisher.id)
    for subscriber in subscribers:
        homes.setdefault(subscriber.broker, subscriber.id)
    return homes


def _check_reach(
    scenario: Scenario, overlay: ExpandedOverlay, publishers: Sequence[Publisher], subscribers: Sequence[Subscriber]
) -> None:
    if overlay.graph.is_connected:
        return
    homes = _homes(publishers, subscribers)
    part_of = {broker: index for index, part in enumerate(overlay.graph.components()) for broker in part}
    first: str | None = None
    for broker, client in homes.items():
        if first is None:
            first = broker
        elif part_of[broker] != part_of[first]:
            remedy = f"no way leads between {first} ({homes[first]}) and {broker} ({client}); add a [[link]]"
            raise scenario.place("link").wrong(f"{len(overlay.links)} links", remedy)


def _crashes(scenario: Scenario, overlay: ExpandedOverlay, topics: Sequence[Topic]) -> tuple[Crash, ...]:
    brokers = {broker.id: None for broker in overlay.brokers}
    names = {topic.name: None for topic in topics}
    for index, crash in enumerate(scenario.crash):
        place = scenario.place("crash", index)
        component = place.child("component")
        if crash.component in brokers:
            pass
        elif not crash.component.startswith(_STAGE):
            remedy = f'{unknown("broker", crash.component, brokers)} (a stage is named "stage:TOPIC")'
            raise component.wrong(crash.component, remedy)
        elif scenario.ordering.guarantee not in ACROSS_TOPICS:
            known = ", ".join(ACROSS_TOPICS)
            raise component.wrong(crash.component, f"there are stages only under [ordering] guarantee = {known}")
        elif crash.component.removeprefix(_STAGE) not in names:
            raise component.wrong(crash.component, unknown("topic", crash.component.removeprefix(_STAGE), names))
        if crash.at >= scenario.duration:
            raise place.child("at").wrong(f"{crash.at} ns", "must be before the end of the run (duration)")
    return tuple(Crash(component=one.component, at_ns=one.at, lasting_ns=one.lasting) for one in scenario.crash)


def _routing(scenario: Scenario) -> Routing:
    table = scenario.routing
    return Routing(
        scheme=table.scheme,
        transmissions=table.transmissions,
        ack=table.ack,
        monitor_ns=table.monitor,
        guards=table.guards,
        covering=table.covering,
        merging=table.merging,
    )


def _ordering(scenario: Scenario) -> Ordering:
    table = scenario.ordering
    return Ordering(
        guarantee=table.guarantee,
        precedence=table.precedence,
        stages=table.stages,
        k=table.k,
        tolerance=table.tolerance,
        latch=table.latch,
        hold_ns=table.hold,
        record=table.record,
        mode=table.mode,
        wait_ns=table.wait,
    )


def _map(scenario: Scenario) -> Map | None:
    table = scenario.map
    return None if table is None else Map(size=table.size, range=table.range, points=table.points)


def _handoff(scenario: Scenario, brokers: Mapping[str, None]) -> Handoff | None:
    table = scenario.mobility
    if table is None:
        return None
    place = scenario.place("mobility").child("neighbours")
    for broker, others in (table.neighbours or {}).items():
        for name, where in ((broker, place), *((other, place.child(broker)) for other in others)):
            if name not in brokers:
                raise where.wrong(name, unknown("broker", name, brokers))
    return Handoff(scheme=table.handoff, latency=table.latency, neighbours=table.neighbours)
