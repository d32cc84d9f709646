"""Which machine a broker runs: chosen by the world's routing scheme, told what the scenario says of that broker."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeAlias

from tidings.matching import BitsetMatcher
from tidings.node import Broker, BrokerOptions, DetourOptions, HomeBroker, RoamingBroker, RoamingOptions
from tidings.routing import TableOptions, tree_neighbours
from tidings.scenario.promise_tables import ACROSS_TOPICS
from tidings.scenario.world import Handoff, World
from tidings.sequencing import Names
from tidings.simulation.addressed_brokers import addressed_brokers
from tidings.simulation.host import BrokerMachine
from tidings.simulation.oracle import Downs
from tidings.simulation.overlays import overlay_of
from tidings.vocabulary.event import Event

MakeBroker: TypeAlias = Callable[[str], BrokerMachine]
"""A new machine for the broker of this name, as after every start of its process."""

Ahead: TypeAlias = Callable[[Event, int], Sequence[Event]]
"""This event and those that will be asked about soon, as many as are wanted: what is matched in one go."""


def broker_maker(world: World, ahead: Ahead, downs: Callable[[], Downs]) -> MakeBroker:
    """What makes the brokers of `world`; `downs` tells those who may know beforehand what will be down."""
    make = addressed_brokers(world, ahead, downs) if is_addressed(world) else tree_brokers(world, ahead)
    return roaming_brokers(world, make) if any(one.mobility for one in world.subscribers) else make


def roaming_brokers(
    world: World, make: MakeBroker, home: Callable[[RoamingBroker], BrokerMachine] = HomeBroker
) -> MakeBroker:
    """Brokers whose clients roam, around those that `make` makes; `home` makes them homes where clients need one."""
    handoff = world.handoff or Handoff()
    given = handoff.neighbours
    overlay = overlay_of(world)
    ways = {name: overlay.ways_from(name) for name in overlay.brokers}

    def make_roaming(name: str) -> BrokerMachine:
        neighbours = None if given is None else given.get(name, ())
        inside = make(name)
        assert isinstance(inside, Broker)
        options = RoamingOptions(
            name=name,
            scheme=handoff.scheme,
            way=lambda to: inside.way(to) or ways[name].get(to),
            neighbours=neighbours,
            keeping="none" if keeps(world) else "plain",
        )
        roaming = RoamingBroker(inside, options)
        return home(roaming) if has_homes(world) else roaming

    return make_roaming


def tree_brokers(world: World, ahead: Ahead, machine: type[Broker] = Broker) -> MakeBroker:
    """Brokers that route along the world's trees."""
    neighbours = {tree.name: tree_neighbours(tree.links) for tree in world.trees}
    tree_of = tree_by_name(world)
    table = TableOptions(
        new_matcher=BitsetMatcher, covering=world.routing.covering, merging=world.routing.merging, ahead=ahead
    )

    detours = DetourOptions(overlay=overlay_of(world), trees=neighbours) if bypasses(world) else None

    def make(name: str) -> Broker:
        return machine(
            BrokerOptions(
                name=name,
                neighbours={tree: others.get(name, ()) for tree, others in neighbours.items()},
                tree_of=tree_of,
                table=table,
                renew_ns=renewal_ns(world),
                drop_expired=world.reliability.expired == "drop",
                keeps=keeps(world),
                detours=detours,
            )
        )

    return make


def tree_by_name(world: World) -> Callable[[str], str | None]:
    """The tree of whatever is published on a name: an order's names for a topic go where the topic does."""
    tree_of = {topic: tree.name for tree in world.trees for topic in tree.topics}
    if world.ordering.guarantee not in ACROSS_TOPICS:
        return tree_of.get
    names, first = Names(), world.trees[0].name if world.trees else None

    @cache
    def tree(name: str) -> str | None:
        topic = names.topic_of(name)
        if topic is None:
            return first if names.serves(name) else tree_of.get(name)
        return tree_of.get(topic, first)

    return tree


def keeps(world: World) -> bool:
    """True when what a broker has acknowledged survives its crash."""
    return world.reliability.mechanism in ("buffering", "bypass+buffering")


def has_homes(world: World) -> bool:
    """True when clients that roam have a home: it owes them events, or puts what they publish into its order."""
    roaming = {one.id for one in world.subscribers if one.mobility is not None}
    return bool(roaming) and (keeps(world) or any(one.id in roaming for one in world.publishers))


def bypasses(world: World) -> bool:
    """True when events are led around what has failed."""
    return world.reliability.mechanism in ("bypass", "bypass+buffering")


def client_renewal_ns(world: World) -> int | None:
    """How often clients say again what they want when nobody may have heard it; None: never."""
    return None if world.reliability.mechanism == "none" else world.reliability.renew_ns


def renewal_ns(world: World) -> int | None:
    """How often brokers renew what they want and is not kept; None: never."""
    return None if world.reliability.mechanism in ("none", "buffering") else world.reliability.renew_ns


def is_addressed(world: World) -> bool:
    """True when events are addressed to brokers, and no trees are used."""
    return world.routing.scheme != "tree"
