"""The chance of getting past each part of a way."""

import pytest

from simulation.worlds import chain, make_world, publisher
from tidings.analysis.failures import Failures
from tidings.analysis.passing import passing_of
from tidings.analysis.sources import sources_of
from tidings.scenario.world import Broker, LinkLaw, OutageLaw, Reliability
from tidings.vocabulary.distribution import Exponential
from tidings.vocabulary.instant import SECOND

FAILS = OutageLaw(up=Exponential(9.0 * SECOND), down=Exponential(1.0 * SECOND))


@pytest.mark.parametrize(
    ("mechanism", "links"),
    [("periodic", [0.8, 0.72]), ("bypass", [0.8, 0.8]), ("buffering", [1.0, 1.0])],
)
def test_passing(mechanism, links):
    """A link and the broker behind it, by direction; a publisher's own link and its broker."""
    world = make_world(
        [Broker(id="a", outages=FAILS), Broker(id="b")],
        links=chain("ab", LinkLaw(loss=0.2)),
        publishers=[publisher(link=LinkLaw(loss=0.5))],
        reliability=Reliability(mechanism=mechanism),
    )
    found = passing_of(Failures(world), sources_of(world))
    assert [found.links["a", "b"], found.links["b", "a"]] == pytest.approx(links)
    assert found.entering == pytest.approx({"p": 0.45})
