"""Brokers and links that fail: shares of time, merged causes, and the chains that stand for them."""

import numpy as np
import pytest

from simulation.worlds import make_world
from tidings.analysis.components import (
    Alternation,
    availability,
    broker_alternation,
    chain_of,
    episode_share,
    law_alternation,
    link_alternation,
    merged,
)
from tidings.scenario.world import Broker, Crash, Link, LinkEpisodes, OutageLaw
from tidings.vocabulary.distribution import Constant, Exponential, Gamma
from tidings.vocabulary.instant import SECOND

FAILS = OutageLaw(up=Exponential(9.0 * SECOND), down=Exponential(1.0 * SECOND))


def test_availabilities():
    """Drawn outages, recorded ones, crashes, episodes: all multiply."""
    world = make_world(
        [Broker(id="a", outages=FAILS), Broker(id="b")],
        links=[
            Link(between=("a", "b"), outages=FAILS, recorded_outages=((SECOND, 2 * SECOND), (9 * SECOND, 99 * SECOND)))
        ],
        crashes=(
            Crash(component="b", at_ns=8 * SECOND, lasting_ns=SECOND),
            Crash(component="b", at_ns=9 * SECOND, lasting_ns=5 * SECOND),
        ),
        episodes=LinkEpisodes(probability=0.1, every_ns=SECOND, lasting_ns=SECOND),
    )
    assert availability(broker_alternation(world.brokers[0], world)) == pytest.approx(0.9)
    assert availability(broker_alternation(world.brokers[1], world)) == pytest.approx(0.8)
    assert availability(link_alternation(world.links[0], world)) == pytest.approx(0.9 * 0.8 * 0.9)
    assert availability(link_alternation(Link(between=("a", "b")), make_world())) == 1.0


@pytest.mark.parametrize(
    ("every", "lasting", "share"), [(1, 1, 0.1), (2, 1, 0.05), (1, 2, 0.19), (2, 3, 0.1 / 2 + 0.19 / 2)]
)
def test_episodes(every, lasting, share):
    """Those that overlap an instant: one, one half of the time, two, one or two."""
    episodes = LinkEpisodes(probability=0.1, every_ns=every, lasting_ns=lasting)
    assert episode_share(episodes) == pytest.approx(share)
    one = link_alternation(Link(between=("a", "b")), make_world(episodes=episodes))
    assert one.availability == pytest.approx(1 - share)


@pytest.mark.parametrize(("probability", "share"), [(0.0, 1.0), (1.0, 0.0)])
def test_episodes_without_chance(probability, share):
    """Never, and all the time."""
    world = make_world(episodes=LinkEpisodes(probability=probability, every_ns=SECOND, lasting_ns=SECOND))
    assert availability(link_alternation(world.links[0], world)) == share


def test_merged_causes():
    """The share of time and the frequency of failures are right; what never works wins."""
    one, other = Alternation(9.0, 1.0), Alternation(50.0, 5.0, 1.0, 0.0)
    both = merged([one, other])
    assert both.availability == pytest.approx(one.availability * other.availability)
    assert both.up_mean == pytest.approx(1 / (1 / 9 + 1 / 50))
    assert merged([one, Alternation(0.0, 1.0)]).availability == 0.0
    assert merged([one]) is one
    assert merged([]) is None


@pytest.mark.parametrize(
    "one", [Alternation(9.0, 1.0), Alternation(9.0, 1.0, 0.3, 4.0), Alternation(2.0, 8.0, 3.0, 0.0)]
)
def test_a_chain_is_up_as_often(one):
    """Long-run shares solve the chain, and the share of time up is that of the alternation."""
    chain = chain_of(one)
    assert chain.shares @ chain.moves == pytest.approx(np.zeros(len(chain.shares)), abs=1e-12)
    assert chain.shares[chain.up].sum() == pytest.approx(one.availability)


def test_what_never_changes():
    """Always up, and never."""
    assert chain_of(None).up.all()
    assert chain_of(Alternation(5.0, 0.0)).up.all()
    assert not chain_of(Alternation(0.0, 5.0)).up.any()
    assert Alternation(0.0, 0.0).availability == 1.0


def test_laws():
    """Exponential times forget; others do not; repairs that take no time are no failures."""
    assert law_alternation(FAILS).memoryless
    assert not law_alternation(OutageLaw(up=Exponential(1.0), down=Gamma(1.0, 0.5))).memoryless
    assert law_alternation(OutageLaw(up=Exponential(1.0), down=Constant(0.0))) is None
    assert law_alternation(OutageLaw(up=Constant(0.0), down=Constant(1.0))).availability == 0.0
    assert law_alternation(None) is None
