"""Which machine a client of a scenario runs: the plain endpoint, or one that keeps an order around it."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from tidings.node import LatchedClient, LatchedOptions
from tidings.ordering.latch import LatchOptions
from tidings.ordering.publication_record import About
from tidings.ordering.reach import reach_of
from tidings.scenario.world import Ordering, Subscriber, World
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


def around_of(world: World) -> Around:
    """As the scenario's guarantee asks for."""
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


def latch_options(ordering: Ordering) -> LatchOptions:
    """The latch that a scenario names."""
    hold_ns = MINUTE if ordering.hold_ns is None else ordering.hold_ns
    return LatchOptions(reach=reach_of(ordering.latch, ordering.tolerance), hold_ns=hold_ns, cold_ns=COLD_NS)


def about_of(world: World) -> About:
    """Topics serve while no filter asks for anything else; then events are summarised, attributes and all."""
    named = frozenset().union(*(attributes_named(parsed(one.filter)) for one in world.subscribers))
    return "topics" if named <= {TOPIC} else "summaries"
