"""Delays along trees: queues and links add up, and bandwidth counts."""

import pytest

from simulation.worlds import make_world
from tidings.analysis.delay_law import TimeGrid, constant_delay, delay_of
from tidings.analysis.flows import flows_of
from tidings.analysis.interest import Interest
from tidings.analysis.path_delays import PathDelays, Setting, link_delay, link_load
from tidings.analysis.stream_curves import OWN
from tidings.analysis.trees import Trees
from tidings.scenario.world import LinkLaw
from tidings.vocabulary.distribution import Constant, Exponential, Uniform
from tidings.vocabulary.instant import SECOND

GRID = TimeGrid(10.0 * SECOND)


def test_along_a_tree():
    """Brokers 1 s each, links 0.1 s: shown at the third broker after 3.2 s, arrived a second before."""
    world = make_world("abc")
    (flow,) = flows_of(world, Interest(world.subscribers), Trees(world))
    brokers = {step: constant_delay(GRID, 1.0 * SECOND) for step in ((OWN, "a"), ("a", "b"), ("b", "c"))}
    links = {ends: constant_delay(GRID, 0.1 * SECOND) for ends in (("a", "b"), ("b", "c"), ("b", "a"), ("c", "b"))}
    paths = PathDelays(Setting(grid=GRID, brokers=brokers, links=links))
    assert paths.shown(flow, "c").mean == pytest.approx(3.2 * SECOND)
    assert paths.arrived(flow, "c").mean == pytest.approx(2.2 * SECOND)
    assert paths.arrived(flow, "a").mean == 0.0
    assert paths.shown(flow, "b") is paths.shown(flow, "b")


def test_a_plain_link():
    """Its delay, or none."""
    assert link_delay(GRID, LinkLaw(), 1.0, None).mean == 0.0
    law = Exponential(0.5 * SECOND)
    assert link_delay(GRID, LinkLaw(delay=law), 1.0, None).within(SECOND) == delay_of(GRID, law).within(SECOND)
    assert link_load(LinkLaw(), 1.0, None) == 0.0


def test_bandwidth():
    """Frames of 125 bytes at 1,000 bit/s take a second each: at 0.8 a second that is M/D/1 with a wait of 2."""
    law = LinkLaw(bandwidth_bps=1_000.0, delay=Constant(0.25 * SECOND))
    payload = Constant(61.0)
    assert link_load(law, 0.8 / SECOND, payload) == pytest.approx(0.8)
    assert link_delay(GRID, law, 0.8 / SECOND, payload).mean / SECOND == pytest.approx(3.25)
    assert link_load(law, 0.8 / SECOND, None) == pytest.approx(0.8 * 64 * 8 / 1000)
    spread = Uniform(0.0, 122.0)
    assert link_delay(GRID, law, 0.8 / SECOND, spread).mean > link_delay(GRID, law, 0.8 / SECOND, payload).mean


def test_times_at_brokers_that_go_together():
    """Each pair on the way adds twice its covariance; what comes from elsewhere has a delay of its own."""
    world = make_world("abc")
    (flow,) = flows_of(world, Interest(world.subscribers), Trees(world))
    brokers = {(OWN, "a"): delay_of(GRID, Exponential(1.0 * SECOND)), ("c", "b"): constant_delay(GRID, 99.0 * SECOND)}
    brokers |= {step: delay_of(GRID, Exponential(0.5 * SECOND)) for step in (("a", "b"), ("b", "c"))}
    links = {ends: constant_delay(GRID, 0.0) for ends in (("a", "b"), ("b", "c"))}
    pairs = {("a", "b"): 0.1, ("a", "c"): 0.01, ("b", "c"): 0.2, ("c", "b"): 7.0}
    found = PathDelays(Setting(grid=GRID, brokers=brokers, links=links, covariances=pairs)).shown(flow, "c")
    assert found.covariance == pytest.approx(2 * 0.31)
    assert found.mean == pytest.approx(2.0 * SECOND)
    assert found.variance == pytest.approx(1.5 * SECOND**2)
