"""Crossings: what a link is good for, and how long an answer is awaited."""

import math

import pytest

from simulation.worlds import changed, const, make_world
from tidings.analysis.crossing import crossings, expected_links
from tidings.analysis.failures import Failures
from tidings.scenario.world import Broker, Link, LinkEpisodes, LinkLaw, OutageLaw, Routing
from tidings.simulation.overlays import expected_links as told
from tidings.vocabulary.distribution import Exponential, Uniform
from tidings.vocabulary.instant import SECOND

OUTAGES = OutageLaw(up=Exponential(9.0 * SECOND), down=Exponential(1.0 * SECOND))


def world(law, **more):
    """Two brokers; the second fails."""
    brokers = (Broker(id="a"), Broker(id="b", outages=OUTAGES))
    link = Link(between=("a", "b"), law=law, outages=OUTAGES)
    return make_world(brokers, links=[link], routing=Routing(scheme="dcrd", **more))


def test_what_a_link_is_good_for():
    """The link and the broker behind it; answers a round trip and a millisecond later."""
    made = world(LinkLaw(delay=const(20), loss=0.1))
    found = crossings(made, Failures(made))
    assert found["a", "b"].works == pytest.approx(0.81)
    assert found["b", "a"].works == pytest.approx(0.9)
    assert (found["a", "b"].loss, found["a", "b"].delay_ns, found["a", "b"].patience_ns) == (0.1, 20e6, 41e6)


def test_answers_are_awaited_for_as_long_as_they_scatter():
    """Four mean deviations of two random delays; at least 10 ms; as in the paper for one delay."""
    random = world(LinkLaw(delay=Uniform(10e6, 30e6)))
    spread = 4 * math.sqrt(2 * 2 * (20e6**2 / 12) / math.pi)
    assert crossings(random, Failures(random))["a", "b"].patience_ns == pytest.approx(41e6 + spread)
    quick = world(LinkLaw(delay=const(1)))
    assert crossings(quick, Failures(quick))["a", "b"].patience_ns == 11e6
    paper = world(LinkLaw(delay=const(20)), ack="one-way")
    assert crossings(paper, Failures(paper))["a", "b"].patience_ns == 20e6


def test_what_brokers_are_told():
    """The same as in a simulation."""
    made = world(LinkLaw(delay=const(20), loss=0.1))
    assert dict(expected_links(made, Failures(made))) == dict(told(made))
    episodes = changed(made, episodes=LinkEpisodes(probability=0.06, every_ns=SECOND, lasting_ns=SECOND))
    ours, theirs = expected_links(episodes, Failures(episodes)), told(episodes)
    assert ours["a", "b"].ratio == pytest.approx(theirs["a", "b"].ratio, abs=0.01)
