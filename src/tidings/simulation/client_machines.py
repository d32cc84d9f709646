"""Which machine a client of a scenario runs: the plain endpoint, or one that keeps an order around it."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from tidings.node import LatchedClient, LatchedOptions, OrderedClient, OrderedOptions
from tidings.ordering.latch import LatchOptions
from tidings.ordering.publication_record import About
from tidings.ordering.reach import reach_of
from tidings.scenario.world import Ordering, Subscriber, World
from tidings.sequencing import Deployment
from tidings.vocabulary.filter import TOPIC
from tidings.vocabulary.filter_logic import attributes_named
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.instant import MINUTE, SECOND
from tidings.vocabulary.machine import Machine

COLD_NS: Final = SECOND
"""How long a latch that learns from the network holds before it has learned anything."""

Around: TypeAlias = Callable[[str, Machine], Machine]
"""The machine that the named client runs around its plain endpoint."""


def has_order(world: World) -> bool:
    """True when clients do more than show what comes in."""
    return world.ordering.guarantee != "none"


def around_of(world: World, deployment: Deployment | None = None, renew_ns: int | None = None) -> Around:
    """As the scenario's guarantee asks for; an order across topics has a deployment."""
    if deployment is not None:
        return _ordered(world, deployment, renew_ns)
    if world.ordering.guarantee != "fifo":
        return lambda _name, inner: inner
    latch = latch_options(world.ordering)
    about = about_of(world)
    subscribers: Mapping[str, Subscriber] = {one.id: one for one in world.subscribers}

    def around(name: str, inner: Machine) -> Machine:
        options = LatchedOptions(name=name, latch=latch, record=world.ordering.record, about=about)
        if name in subscribers:
            one = subscribers[name]
            options = LatchedOptions(
                name=name,
                latch=latch,
                record=world.ordering.record,
                about=about,
                deadline_ns=one.deadline_ns,
                deadlines=one.deadlines,
            )
        return LatchedClient(options, inner)

    return around


def _ordered(world: World, deployment: Deployment, renew_ns: int | None) -> Around:
    publishers = {one.id: place for place, one in enumerate(world.publishers)}
    joiners = {one.id: None for one in world.subscribers if one.joins_ns is not None}
    names = dict.fromkeys([*publishers, *(one.id for one in world.subscribers)])
    # Identities of publishers are those of the scenario's events; what carries an order has others.
    indices = {name: len(publishers) + place for place, name in enumerate(names)}

    def around(name: str, inner: Machine) -> Machine:
        options = OrderedOptions(
            name=name,
            index=indices[name],
            deployment=deployment,
            publishes=name in publishers,
            from_start=name not in joiners,
            renew_ns=renew_ns,
        )
        return OrderedClient(options, inner)

    return around


def latch_options(ordering: Ordering) -> LatchOptions:
    """The latch that a scenario names."""
    hold_ns = MINUTE if ordering.hold_ns is None else ordering.hold_ns
    return LatchOptions(reach=reach_of(ordering.latch, ordering.tolerance), hold_ns=hold_ns, cold_ns=COLD_NS)


def about_of(world: World) -> About:
    """Topics serve while no filter asks for anything else; then events are summarised, attributes and all."""
    named = frozenset().union(*(attributes_named(parsed(one.filter)) for one in world.subscribers))
    return "topics" if named <= {TOPIC} else "summaries"
