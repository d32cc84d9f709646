"""Brokers that address events to brokers: which passage each scheme takes, told what the scenario says."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TypeAlias, get_args

from tidings.matching import BitsetMatcher
from tidings.node import (
    AddressedBroker,
    AddressedOptions,
    BulletinOptions,
    HedgeOptions,
    ListOptions,
    ListPassage,
    WayPassage,
)
from tidings.node.addressed_broker import NewPassage
from tidings.routing import TableOptions
from tidings.routing.link_monitor import LinkMonitor
from tidings.routing.list_plans import ListPlans
from tidings.routing.way_plans import Scheme, WayPlans
from tidings.routing.ways import Links, Way
from tidings.scenario.world import World
from tidings.simulation.oracle import Downs, Oracle
from tidings.simulation.overlays import expected_links, overlay_of
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import FOREVER

Ahead: TypeAlias = Callable[[Event, int], Sequence[Event]]
PassageOf: TypeAlias = Callable[[str], NewPassage]


def addressed_brokers(world: World, ahead: Ahead, downs: Callable[[], Downs]) -> Callable[[str], AddressedBroker]:
    """What makes the brokers of a world whose scheme is any but `tree`; `downs` is for the oracle alone."""
    links = expected_links(world)
    passage = _passages(world, links, downs)
    overlay = overlay_of(world)
    table = TableOptions(
        new_matcher=BitsetMatcher, covering=world.routing.covering, merging=world.routing.merging, ahead=ahead
    )

    def make(name: str) -> AddressedBroker:
        bulletin = BulletinOptions(
            name=name,
            overlay=overlay,
            expected=links,
            table=table,
            monitor_ns=None if world.routing.scheme == "oracle" else world.routing.monitor_ns,
            patient=world.reliability.mechanism == "buffering",
        )
        drop = world.reliability.expired == "drop"
        return AddressedBroker(AddressedOptions(bulletin=bulletin, passage=passage(name), drop_expired=drop))

    return make


def deadlines_of(world: World) -> dict[str, dict[str, int]]:
    """By publisher and broker, within what time the most impatient client there wants its events."""
    found: dict[str, dict[str, int]] = {one.id: {} for one in world.publishers}
    for publisher in world.publishers:
        at = found[publisher.id]
        for one in world.subscribers:
            deadline = min(one.deadlines.get(publisher.id, one.deadline_ns), publisher.lifetime_ns)
            if deadline < FOREVER:
                at[one.broker] = min(deadline, at.get(one.broker, deadline))
    return found


def _passages(world: World, links: Links, downs: Callable[[], Downs]) -> PassageOf:
    scheme = world.routing.scheme
    if scheme == "oracle":
        return _foreseen(world, links, Oracle(links, downs))
    for one in get_args(Scheme):
        if scheme == one:
            return _planned(world, links, one)
    return _listed(world, links)


def _foreseen(world: World, links: Links, oracle: Oracle) -> PassageOf:
    drop = world.reliability.expired == "drop"

    def of(name: str) -> NewPassage:
        def find(_: Links, destinations: Sequence[str], now: int) -> Mapping[str, tuple[Way, ...]]:
            return oracle.ways(name, destinations, now)

        return lambda _monitor, _incarnation: WayPassage(name, find, links, drop_expired=drop)

    return of


def _planned(world: World, links: Links, scheme: Scheme) -> PassageOf:
    brokers = [one.id for one in world.brokers]
    drop = world.reliability.expired == "drop"

    def of(name: str) -> NewPassage:
        plans = WayPlans(scheme, brokers, name)

        def find(believed: Links, destinations: Sequence[str], _now: int) -> Mapping[str, tuple[Way, ...]]:
            return plans.ways(believed, destinations)

        return lambda _monitor, _incarnation: WayPassage(name, find, links, drop_expired=drop)

    return of


def _listed(world: World, links: Links) -> PassageOf:
    deadlines = deadlines_of(world)
    plans = ListPlans([one.id for one in world.brokers], deadlines, world.routing.transmissions)
    overlay, hedges = overlay_of(world), world.routing.scheme == "dcrd+"

    def of(name: str) -> NewPassage:
        way = cache(lambda: overlay.ways_from(name))
        hedge = HedgeOptions(guards=world.routing.guards, deadlines=deadlines, way=lambda to: way().get(to))
        options = ListOptions(
            name=name,
            plans=plans,
            links=links,
            transmissions=world.routing.transmissions,
            one_way=world.routing.ack == "one-way",
            drop_expired=world.reliability.expired == "drop",
            keeps=world.reliability.mechanism == "buffering",
            hedge=hedge if hedges else None,
        )

        def new(monitor: LinkMonitor, incarnation: int) -> ListPassage:
            return ListPassage(options, monitor, incarnation)

        return new

    return of
