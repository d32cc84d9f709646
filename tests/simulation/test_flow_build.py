"""The first state of the compiled path: every array says what the world says."""

import itertools

import numpy as np
import pytest

from simulation.campaign import case_of
from simulation.worlds import changed, make_world, ms, serving
from tidings.scenario.world import Link, LinkLaw, Reliability
from tidings.simulation.channel import ns_per_byte
from tidings.simulation.flow_build import (
    BLOCK_MAX,
    BLOCK_MIN,
    DRAWN_MAX,
    ROWS,
    THINGS,
    initial_state,
    with_more_room,
)
from tidings.vocabulary.distribution import Exponential


def state_of(world):
    """The state, and the directed links in their order."""
    ways = [way for link in world.links for way in (link.between, link.between[::-1])]
    return initial_state(world, {broker.id: place for place, broker in enumerate(world.brokers)}, ways), ways


@pytest.mark.parametrize("seed", range(1, 30))
def test_a_row_for_every_broker_and_direction(seed):
    """In the order of the world, each with its law."""
    world = case_of(seed).world
    state, ways = state_of(world)
    assert len(state.brokers) == len(state.services) == len(world.brokers)
    for row, broker in zip(state.brokers, world.brokers, strict=True):
        serves, by_table = broker.service is not None, broker.service is not None and broker.service.per_subscription
        assert (bool(row["up"]), bool(row["serves"]), bool(row["per_subscription"])) == (True, serves, by_table)
    laws = {}
    for link in world.links:
        laws[link.between] = laws[link.between[::-1]] = link.law
    names = [broker.id for broker in world.brokers]
    assert len(state.links) == len(state.delays) == len(ways)
    for row, way in zip(state.links, ways, strict=True):
        law = laws[way]
        assert names[row["receiver"]] == way[1]
        assert (bool(row["delays"]), bool(row["lossy"])) == (law.delay is not None, law.loss > 0)
        assert (bool(row["fifo"]), row["ns_per_byte"], row["down"]) == (law.fifo, ns_per_byte(law), 0)


def test_all_numbers_are_still_to_be_drawn():
    """Each block counts as used up, so the first call asks for numbers."""
    state, _ = state_of(make_world([serving("a", ms(1)), "b"]))
    assert state.counters["drained"]
    assert (state.brokers["drawn"] == state.services.shape[1]).all()
    assert (state.links["drawn"] == state.delays.shape[1]).all()


@pytest.mark.parametrize("expired", ["drop", "carry"])
def test_what_becomes_of_expired_events(expired):
    """As the scenario says."""
    state, _ = state_of(changed(make_world(), reliability=Reliability(expired=expired)))
    assert bool(state.counters["drop_expired"]) == (expired == "drop")


@pytest.mark.parametrize("leaves", [0, 3, 40_000])
def test_there_is_room_for_what_one_step_makes(leaves):
    """A broker may send to all its neighbours at once, however many they are, and one row more."""
    names = [f"b{number}" for number in range(leaves + 1)]
    links = [Link(between=("b0", name)) for name in names[1:]]
    state, _ = state_of(changed(make_world("a"), brokers=brokers(names), links=tuple(links)))
    n = state.counters
    assert len(state.heap) - n["things_max"] > leaves
    assert min(map(len, (state.sent, state.noted, state.taken))) - n["rows_max"] > leaves
    assert n["things_max"] > 0
    assert n["rows_max"] > 0
    assert len(state.heap) >= THINGS
    assert len(state.sent) >= ROWS


def brokers(names):
    """Brokers without service."""
    return make_world(names, links=[], trees=()).brokers


@pytest.mark.parametrize("count", [1, 300, 20_000])
def test_numbers_ahead_are_bounded_all_in_all(count):
    """Few owners get long blocks, many get short ones, none gets less than a few."""
    names = [f"b{number}" for number in range(count)]
    links = [Link(between=pair, law=LinkLaw(delay=Exponential(1.0))) for pair in itertools.pairwise(names)]
    state, _ = state_of(changed(make_world("a"), brokers=brokers(names), links=tuple(links)))
    for block, owners in ((state.services, count), (state.delays, 2 * (count - 1))):
        assert BLOCK_MIN <= block.shape[1] <= BLOCK_MAX
        assert block.size <= max(DRAWN_MAX, BLOCK_MIN * owners)


def test_more_room_keeps_what_is_there():
    """Twice as many things fit; those under way stay where they are."""
    state, _ = state_of(make_world())
    state.heap["ns"] = np.arange(len(state.heap))
    margin = len(state.heap) - int(state.counters["things_max"])
    more = with_more_room(state)
    assert len(more.heap) == 2 * len(state.heap)
    assert np.array_equal(more.heap[: len(state.heap)], state.heap)
    assert len(more.heap) - int(more.counters["things_max"]) == margin
    assert more.sent is state.sent
