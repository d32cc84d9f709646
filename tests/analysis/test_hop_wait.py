"""Waits for the next broker: closed forms, the thesis's chain, and a dumb twin that plays whole paths."""

import math

import numpy as np
import pytest

from tidings.analysis.components import Alternation
from tidings.analysis.delay_law import TimeGrid
from tidings.analysis.hop_wait import hop_wait, wait_law
from tidings.analysis.phase_type import PhaseType, no_time

BROKER, LINK = Alternation(57_000.0, 3_000.0), Alternation(59_400.0, 600.0)


def test_only_the_next_broker_fails():
    """Down with its share of time, and then for the rest of an exponential repair."""
    wait = hop_wait(None, None, BROKER)
    assert wait.atom == pytest.approx(0.95)
    assert wait.mean == pytest.approx(0.05 * 3_000)
    assert wait.cdf([3_000])[0] == pytest.approx(1 - 0.05 * math.exp(-1))


def test_the_chain_of_the_thesis():
    """Eq. 5.6: eight states, one of them the end; the start as printed below Eq. 5.8."""
    wait = hop_wait(BROKER, LINK, BROKER)
    assert len(wait.start) == 7
    assert wait.atom == pytest.approx(0.99 * 0.95)
    assert sorted(wait.start[wait.start > 0]) == pytest.approx(sorted([0.01 * 0.05, 0.99 * 0.05, 0.01 * 0.95]))
    assert (wait.moves.sum(axis=1) <= 1e-15).all()


def test_nothing_fails_or_nothing_comes_back():
    """No wait; and a wait without an end, which is a number all the same."""
    assert hop_wait(BROKER, None, None).mean == 0.0
    never = hop_wait(None, None, Alternation(0.0, 1.0))
    assert never.mean == math.inf
    assert never.cdf([1e9])[0] == 0.0
    assert wait_law(TimeGrid(10.0), never).within(10.0) == 0.0
    assert hop_wait(Alternation(0.0, 1.0), LINK, BROKER).mean == pytest.approx(hop_wait(None, LINK, BROKER).mean)


def test_on_a_grid():
    """The law on a grid is the chain's: the chance of no wait, the mean, and any time between."""
    wait = hop_wait(BROKER, LINK, BROKER)
    law = wait_law(TimeGrid(7_200.0), wait)
    assert law.atom == wait.atom
    assert law.mean == wait.mean
    for time in (10.0, 600.0, 3_600.0, 7_000.0):
        assert law.within(time) == pytest.approx(wait.cdf([time])[0], abs=1e-5)
    assert wait_law(TimeGrid(1.0), no_time()).within(0.0) == 1.0


def test_steady_repairs_are_waited_for_less_long():
    """A repair of constant length has half of itself left in the mean."""
    steady = hop_wait(None, None, Alternation(57_000.0, 3_000.0, 1.0, 0.0))
    assert steady.mean / 0.05 == pytest.approx(3_000 * (1 + 1 / 4) / 2)


def play(parts, limit, rng):
    """One event along brokers and links in turn, each with its own alternation: is it through by the limit?"""
    at, now = 0, 0.0
    up = [True] + [rng.random() < one.availability for one in parts[1:]]
    while at + 2 < len(parts):
        if all(up[at : at + 3]):
            at += 2
            continue
        # All times are exponential: whoever changes next is drawn anew.
        rates = [1 / (one.up_mean if on else one.down_mean) for one, on in zip(parts, up, strict=True)]
        now += rng.exponential(1 / sum(rates))
        place = rng.choice(len(parts), p=np.array(rates) / sum(rates))
        up[place] = not up[place]
        if now > limit:
            return False
    return True


def test_hops_that_share_a_broker_are_independent():
    """Whole paths, everything failing often: the sum of independent waits is what happens (Eq. 5.10)."""
    parts = [Alternation(3.0, 2.0), Alternation(2.0, 1.0), Alternation(1.0, 1.0), Alternation(4.0, 1.0)]
    parts.append(Alternation(2.0, 3.0))
    rng = np.random.default_rng(7)
    runs = 4_000
    played = sum(play(parts, 4.0, rng) for _ in range(runs)) / runs
    both: PhaseType = hop_wait(*parts[:3]).plus(hop_wait(*parts[2:]))
    assert both.cdf([4.0])[0] == pytest.approx(played, abs=3.5 * math.sqrt(0.25 / runs))
