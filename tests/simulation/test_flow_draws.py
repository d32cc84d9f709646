"""Random numbers of the compiled path: those that a channel and a host would draw, in the same order."""

import numpy as np
import pytest

from simulation.worlds import changed, make_world, ms, serving
from tidings.scenario.world import Link, LinkLaw
from tidings.simulation.channel import Rare
from tidings.simulation.flow_build import initial_state
from tidings.simulation.flow_draws import FlowDraws
from tidings.vocabulary.distribution import Draws, Exponential, Normal, Uniform
from tidings.vocabulary.streams import Streams

WAYS = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")]
COUNT = 10_000
DELAYS = {
    "exponential": Exponential(5e6),
    "cut at 0": Normal(1.0, 1_000.0),
    "beyond all time": Uniform(0.0, 2.0**70),
}


def world_of(delay=None, loss=0.0, service=None):
    """Brokers a – b – c; the first link and the middle broker have these laws."""
    links = [Link(between=("a", "b"), law=LinkLaw(delay=delay, loss=loss)), Link(between=("b", "c"))]
    return make_world(["a", "b" if service is None else serving("b", service), "c"], links=links)


def state_of(world):
    """A state and who fills it."""
    places = {broker.id: place for place, broker in enumerate(world.brokers)}
    state = initial_state(world, places, WAYS)
    return state, FlowDraws(world, Streams(7), WAYS, state)


def blocks(world, owner, row):
    """Numbers that a link or broker gets, block by block."""
    state, draws = state_of(world)
    rows, block = (state.links, state.delays) if owner == "link" else (state.brokers, state.services)
    found = []
    while len(found) < COUNT:
        draws.refill(state)
        assert rows["drawn"][row] == 0
        found += block[row].tolist()
        rows["drawn"][row] = block.shape[1]
    return found[:COUNT]


@pytest.mark.parametrize("law", DELAYS.values(), ids=DELAYS)
@pytest.mark.parametrize("row", [0, 1])
def test_delays_are_those_of_a_channel(law, row):
    """Whole nanoseconds from the stream of the direction, cut at the longest that there is."""
    here, there = WAYS[row]
    twin = Draws(law, Streams(7)(f"delay {here}>{there}"))
    found = blocks(world_of(delay=law), "link", row)
    assert found == [twin.next_ns() for _ in range(COUNT)]


def test_services_are_those_of_a_host():
    """As drawn, never negative, before they are rounded or multiplied."""
    law = Normal(1e3, 1e3)
    twin = Draws(law, Streams(7)("service b"))
    assert blocks(world_of(service=law), "broker", 1) == [max(twin.next(), 0.0) for _ in range(COUNT)]


@pytest.mark.parametrize("loss", [0.001, 0.3, 1.0])
def test_gaps_between_losses_are_those_of_a_channel(loss):
    """One gap is counted down while the next one is ready."""
    state, draws = state_of(world_of(loss=loss))
    twin = Rare(loss, Streams(7)("loss a>b"))
    lost = [trial for trial in range(1, 3_000) if twin.happens()]
    draws.refill(state)
    found, trial = [], int(state.links["loss_in"][0])
    while trial < 3_000:
        found.append(trial)
        trial += int(state.links["loss_gap"][0])
        state.links["loss_gap"][0] = 0
        draws.refill(state)
    assert found == lost


def test_only_what_is_used_up_is_drawn():
    """The others keep their place in their blocks; nobody draws what he never needs."""
    state, draws = state_of(world_of(delay=ms(1), loss=0.5, service=ms(1)))
    draws.refill(state)
    before = state.delays.copy(), state.services.copy(), state.links["loss_gap"].copy()
    state.links["drawn"][1] = state.delays.shape[1]
    state.links["drawn"][0] = 3
    state.counters["drained"] = True
    draws.refill(state)
    assert not state.counters["drained"]
    assert state.links["drawn"].tolist()[:2] == [3, 0]
    changed_rows = (state.delays != before[0]).any(axis=1)
    assert changed_rows.tolist() == [False, True, False, False]
    assert np.array_equal(state.services, before[1])
    assert np.array_equal(state.links["loss_gap"], before[2])
    assert not state.delays[2:].any()
    assert not state.services[[0, 2]].any()


def test_another_link_changes_nothing():
    """Streams carry the names of the ends."""
    alone = blocks(world_of(delay=ms(1)), "link", 0)
    world = world_of(delay=ms(1))
    both = changed(world, links=(world.links[0], Link(between=("b", "c"), law=LinkLaw(delay=ms(3), loss=0.1))))
    assert blocks(both, "link", 0) == alone
