"""The first state of the compiled path: a world as arrays."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from tidings.scenario.world import World
from tidings.simulation.channel import ns_per_byte
from tidings.simulation.flow_state import BROKER, COUNTERS, EVENT, LINK, NOTED, PLAN, SENT, TAKEN, THING, Records, State

THINGS: Final = 1_024
"""Things under way for which there is room at first; it doubles."""
ROWS: Final = 1 << 15
"""Rows of what happened that are gathered before Python takes them."""
DRAWN_MAX: Final = 1 << 20
"""Random numbers drawn ahead, all in all."""
BLOCK_MIN, BLOCK_MAX = 8, 4_096

Way = tuple[str, str]


def initial_state(world: World, places: Mapping[str, int], ways: Sequence[Way]) -> State:
    """Nothing under way, nothing drawn; `places` of brokers, `ways` the directed links in their order."""
    counters = np.zeros(1, COUNTERS)
    counters["drop_expired"] = world.reliability.expired == "drop"
    counters["drained"] = True
    degrees = np.bincount([places[here] for here, _ in ways], minlength=1)
    room = int(degrees.max()) + 2
    """More rows or things than one step makes."""
    things, rows = max(THINGS, 2 * room), max(ROWS, 2 * room)
    counters["things_max"], counters["rows_max"] = things - room, rows - room
    services, delays = _block(len(world.brokers)), _block(len(ways))
    brokers, links = _brokers(world), _links(world, places, ways)
    brokers["drawn"], links["drawn"] = services, delays
    return State(
        counters=counters[0],
        thing=np.zeros(1, THING)[0],
        heap=np.zeros(things, THING),
        brokers=brokers,
        services=np.zeros((len(brokers), services)),
        links=links,
        delays=np.zeros((len(links), delays), np.int64),
        events=np.zeros(0, EVENT),
        plan_of=np.zeros((0, len(brokers)), np.int32),
        plans=np.zeros(0, PLAN),
        plan_links=np.zeros(0, np.int32),
        sent=np.zeros(rows, SENT),
        noted=np.zeros(rows, NOTED),
        taken=np.zeros(rows, TAKEN),
    )


def with_more_room(state: State) -> State:
    """The same with twice the room for things under way."""
    state.counters["things_max"] += len(state.heap)
    return state._replace(heap=np.concatenate([state.heap, np.zeros_like(state.heap)]))


def _block(owners: int) -> int:
    """How many numbers are drawn at once for each of so many owners."""
    return max(BLOCK_MIN, min(BLOCK_MAX, DRAWN_MAX // max(1, owners)))


def _brokers(world: World) -> Records:
    brokers = np.zeros(len(world.brokers), BROKER)
    brokers["up"] = True
    brokers["serves"] = [one.service is not None for one in world.brokers]
    brokers["per_subscription"] = [one.service is not None and one.service.per_subscription for one in world.brokers]
    return brokers


def _links(world: World, places: Mapping[str, int], ways: Sequence[Way]) -> Records:
    laws = [link.law for link in world.links for _ in range(2)]
    links = np.zeros(len(ways), LINK)
    links["receiver"] = [places[there] for _, there in ways]
    links["delays"] = [law.delay is not None for law in laws]
    links["lossy"] = [law.loss > 0 for law in laws]
    links["fifo"] = [law.fifo for law in laws]
    links["ns_per_byte"] = [ns_per_byte(law) for law in laws]
    return links
