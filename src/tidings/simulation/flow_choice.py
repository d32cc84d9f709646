"""Which of the two paths a world takes. The tables are the same; only the time differs."""

from typing import Final

from tidings.scenario.world import LinkLaw, World
from tidings.simulation.client_machines import has_order
from tidings.simulation.faults import Faults, LinkFaults, Spells
from tidings.simulation.publishing import expected_events

COMPILED_HOPS_MIN: Final = 200_000
"""Loading the compiled path takes half a second or more; the plain one makes some 200,000 hops in a second."""


def can_flow(world: World, faults: Faults | None) -> bool:
    """True when the compiled path does everything that this world needs."""
    links = [*(one.link for one in world.publishers), *(one.link for one in world.subscribers)]
    if world.routing.scheme != "tree":
        return False
    if has_order(world) or any(one.mobility is not None for one in world.subscribers):
        return False
    if any(link is not None for link in links) or any(link.law.duplication for link in world.links):
        return False
    if world.reliability.mechanism not in ("none", "periodic"):
        return False
    return faults is None or (faults.packets == LinkFaults() and faults.pauses == Spells())


def can_repeat(world: World, faults: Faults | None) -> bool:
    """True when a broker that lost its memory may hand its clients an event that it has handed them before."""
    if world.routing.scheme != "tree":
        return True
    laws: list[LinkLaw] = [link.law for link in world.links]
    laws += [one.link for one in world.publishers if one.link is not None]
    if world.reliability.mechanism not in ("none", "periodic"):
        return True
    return any(law.duplication for law in laws) or (faults is not None and faults.packets.duplicate > 0)


def pays_to_flow(world: World) -> bool:
    """True when there may be enough to do for the compiled path: every event passes every broker at most once."""
    events = sum(expected_events(publisher, world.duration_ns) for publisher in world.publishers)
    return events * len(world.brokers) >= COMPILED_HOPS_MIN
