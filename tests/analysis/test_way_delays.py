"""Queues, links and waits for neighbours together."""

import pytest

from simulation.worlds import chain, make_world, publisher
from tidings.analysis.delay_law import TimeGrid, no_delay
from tidings.analysis.failures import Failures
from tidings.analysis.flows import flows_of
from tidings.analysis.interest import Interest
from tidings.analysis.path_delays import PathDelays, Setting, link_delay
from tidings.analysis.stream_curves import OWN
from tidings.analysis.trees import Trees
from tidings.analysis.way_delays import WayDelays
from tidings.scenario.world import Broker, LinkLaw, OutageLaw, Reliability
from tidings.vocabulary.distribution import Constant, Exponential
from tidings.vocabulary.instant import SECOND

FAILS = OutageLaw(up=Exponential(9.0 * SECOND), down=Exponential(1.0 * SECOND))


def delays(mechanism, outages=FAILS):
    """Of two brokers a tenth of a second apart, the second of which fails."""
    world = make_world(
        [Broker(id="a"), Broker(id="b", outages=outages)],
        links=chain("ab", LinkLaw(delay=Constant(0.1 * SECOND))),
        publishers=[publisher()],
        reliability=Reliability(mechanism=mechanism),
    )
    trees, grid = Trees(world), TimeGrid(10.0 * SECOND)
    flow = flows_of(world, Interest(world.subscribers), trees)[0]
    links = {ends: link_delay(grid, link.law, 1.0, None) for ends, link in trees.links.items()}
    paths = PathDelays(Setting(grid=grid, brokers=dict.fromkeys(((OWN, "a"), ("a", "b")), no_delay(grid)), links=links))
    return WayDelays(grid, paths, Failures(world)), flow


@pytest.mark.parametrize(("mechanism", "mean"), [("periodic", 0.1), ("buffering", 0.2), ("bypass+buffering", 0.2)])
def test_waits_are_added(mechanism, mean):
    """A tenth of the events wait for one more second; on this line there is no way around."""
    ways, flow = delays(mechanism)
    assert ways.shown(flow, "b").mean == pytest.approx(mean * SECOND)
    assert ways.arrived(flow, "b").mean == pytest.approx(mean * SECOND)
    assert ways.shown(flow, "a").mean == 0.0


def test_nothing_fails():
    """No waits."""
    ways, flow = delays("buffering", outages=None)
    assert ways.shown(flow, "b").mean == pytest.approx(0.1 * SECOND)
