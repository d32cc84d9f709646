"""What brokers are told of the overlay: mean delays, and the share that arrives in the long run."""

import pytest

from simulation.worlds import chain, const, make_world
from tidings.scenario.world import Link, LinkEpisodes, LinkLaw, OutageLaw
from tidings.simulation.overlays import expected_links, overlay_of
from tidings.vocabulary.distribution import Exponential
from tidings.vocabulary.instant import MILLISECOND, SECOND


def test_the_overlay_has_mean_delays():
    """In the order of the world."""
    overlay = overlay_of(make_world("abc", links=chain("abc", LinkLaw(delay=const(7)))))
    assert overlay.brokers == ("a", "b", "c")
    assert overlay.links == (("a", "b"), ("b", "c"))
    assert overlay.delays_ns == (7.0 * MILLISECOND,) * 2


def test_everything_that_fails_counts():
    """Loss, outages by law and episodes, for both directions."""
    law = LinkLaw(delay=const(7), loss=0.1)
    outages = OutageLaw(up=Exponential(9.0 * SECOND), down=Exponential(1.0 * SECOND))
    episodes = LinkEpisodes(probability=0.2, every_ns=2 * SECOND, lasting_ns=SECOND)
    links = [Link(between=("a", "b"), law=law, outages=outages), *chain("bc")]
    found = expected_links(make_world("abc", links=links, episodes=episodes))
    assert found["a", "b"] == found["b", "a"]
    assert found["a", "b"].delay_ns == 7 * MILLISECOND
    assert found["a", "b"].ratio == pytest.approx(0.9 * 0.9 * 0.9)
    assert found["b", "c"].ratio == pytest.approx(0.9)
