"""A world as the entries of a scenario in which nothing is left to draw."""

from pathlib import Path

from tidings.scenario.chance import Delay, ServiceTime
from tidings.scenario.client_tables import Deadline, PublisherEntry, SubscriberEntry, TopicEntry
from tidings.scenario.document import Scenario
from tidings.scenario.filters import wish_of
from tidings.scenario.mobility_tables import HandoffTable
from tidings.scenario.overlay_tables import BrokerEntry, ClientLink, LinkEntry, MapTable, TreeEntry
from tidings.scenario.promise_tables import (
    CrashEntry,
    EpisodesTable,
    FaultsTable,
    OrderingTable,
    ReliabilityTable,
    RoutingTable,
)
from tidings.scenario.source import Source
from tidings.scenario.world import Broker, Link, LinkLaw, Publisher, Subscriber, World
from tidings.vocabulary.distribution import Constant
from tidings.vocabulary.instant import FOREVER


def explicit_scenario(world: World, path: Path) -> Scenario:
    """The scenario that expands to `world` again, as if it had been read from `path`."""
    return Scenario(
        source=Source(path),
        tidings=1,
        name=world.name,
        seed=world.seed,
        duration=world.duration_ns,
        runs=world.runs,
        broker=tuple(map(_broker, world.brokers)),
        link=tuple(map(_link, world.links)),
        map=None if world.map is None else _map(world),
        topic=tuple(TopicEntry(name=one.name, popularity=one.popularity) for one in world.topics),
        publisher=tuple(map(_publisher, world.publishers)),
        subscriber=tuple(map(_subscriber, world.subscribers)),
        tree=tuple(TreeEntry(name=one.name, links=one.links, topics=one.topics) for one in world.trees),
        crash=tuple(CrashEntry(component=one.component, at=one.at_ns, lasting=one.lasting_ns) for one in world.crashes),
        faults=_faults(world),
        routing=_routing(world),
        reliability=ReliabilityTable(
            mechanism=world.reliability.mechanism,
            renew=world.reliability.renew_ns,
            expired=world.reliability.expired,
        ),
        ordering=_ordering(world),
        mobility=_handoff(world),
    )


def _broker(broker: Broker) -> BrokerEntry:
    service = broker.service
    return BrokerEntry(
        id=broker.id,
        site=broker.site,
        service=None if service is None else ServiceTime(law=service.law, per_subscription=service.per_subscription),
        up=None if broker.outages is None else broker.outages.up,
        down=None if broker.outages is None else broker.outages.down,
    )


def _delay(law: LinkLaw) -> Delay | None:
    return None if law.delay is None else Delay(law=law.delay)


def _link(link: Link) -> LinkEntry:
    return LinkEntry(
        between=link.between,
        delay=_delay(link.law),
        loss=link.law.loss,
        duplication=link.law.duplication,
        fifo=link.law.fifo,
        bandwidth=link.law.bandwidth_bps,
        up=None if link.outages is None else link.outages.up,
        down=None if link.outages is None else link.outages.down,
        outages=link.recorded_outages,
    )


def _client_link(law: LinkLaw | None) -> ClientLink | None:
    if law is None:
        return None
    return ClientLink(
        delay=_delay(law), loss=law.loss, duplication=law.duplication, fifo=law.fifo, bandwidth=law.bandwidth_bps
    )


def _publisher(one: Publisher) -> PublisherEntry:
    drawn = one.trace is None and one.profile is None
    return PublisherEntry(
        id=one.id,
        broker=one.broker,
        topics=one.topics if one.topics and drawn else None,
        every=one.every if drawn else None,
        trace=None if one.trace is None else one.trace.name,
        profile=None if one.profile is None else one.profile.file.name,
        like=None if one.profile is None or one.profile.name == one.id else one.profile.name,
        lifetime=None if one.lifetime_ns == FOREVER else one.lifetime_ns,
        payload=one.payload if drawn else None,
        attributes=one.attributes,
        link=_client_link(one.link),
    )


def _subscriber(one: Subscriber) -> SubscriberEntry:
    return SubscriberEntry(
        id=one.id,
        broker=one.broker,
        filter=one.filter,
        topics=one.topics if one.topics != wish_of(one.filter).topics else None,
        deadline=None if one.deadline_ns == FOREVER else Deadline(ns=one.deadline_ns),
        deadlines=one.deadlines,
        requires=one.requires,
        joins=None if one.joins_ns is None else Constant(float(one.joins_ns)),
        leaves=one.leaves_ns,
        mobility=one.mobility,
        link=_client_link(one.link),
    )


def _map(world: World) -> MapTable:
    assert world.map is not None
    return MapTable(size=world.map.size, range=world.map.range, points=world.map.points)


def _faults(world: World) -> FaultsTable:
    found = world.episodes
    if found is None:
        return FaultsTable()
    return FaultsTable(
        links=EpisodesTable(probability=found.probability, every=found.every_ns, lasting=found.lasting_ns)
    )


def _routing(world: World) -> RoutingTable:
    found = world.routing
    return RoutingTable(
        scheme=found.scheme,
        transmissions=found.transmissions,
        ack=found.ack,
        monitor=found.monitor_ns,
        guards=found.guards,
        covering=found.covering,
        merging=found.merging,
    )


def _ordering(world: World) -> OrderingTable:
    found = world.ordering
    return OrderingTable(
        guarantee=found.guarantee,
        precedence=found.precedence,
        stages=found.stages,
        k=found.k,
        tolerance=found.tolerance,
        latch=found.latch,
        hold=found.hold_ns,
        record=found.record,
        mode=found.mode,
        wait=found.wait_ns,
    )


def _handoff(world: World) -> HandoffTable | None:
    found = world.handoff
    if found is None:
        return None
    neighbours = None if found.neighbours is None else dict(found.neighbours)
    return HandoffTable(handoff=found.scheme, latency=found.latency, neighbours=neighbours)
