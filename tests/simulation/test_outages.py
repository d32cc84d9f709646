"""Outages: stationary from the first instant, merged, cut at the duration; against counting and by statistics."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import InputError
from tidings.scenario.world import Broker, Crash, Link, LinkEpisodes, OutageLaw
from tidings.simulation.outages import (
    broker_outages,
    link_episodes,
    link_outages,
    merge_intervals,
    outage_intervals,
    residual_ns,
    without_intervals,
)
from tidings.vocabulary.distribution import Constant, Exponential, Gamma, Hyperexponential, Uniform
from tidings.vocabulary.instant import DAY, HOUR, MINUTE, SECOND
from tidings.vocabulary.streams import Streams

INTERVALS = st.lists(st.tuples(st.integers(-5, 60), st.integers(-5, 60)), max_size=12)


def drawn(up, down, *, seed=1, duration_ns=1000 * SECOND):
    """The outages of one component."""
    generator = Streams(seed)("outages")
    return outage_intervals(OutageLaw(up=up, down=down), duration_ns=duration_ns, generator=generator)


def in_shape(intervals, duration_ns):
    """True when they ascend, are apart, not empty and within the duration."""
    edges = [edge for interval in intervals for edge in interval]
    return all(a < b for a, b in itertools.pairwise(edges)) and (
        not edges or (edges[0] >= 0 and edges[-1] <= duration_ns)
    )


def points(intervals, until):
    """The dumb twin: which of the instants from 0 are inside."""
    return [any(start <= now < end for start, end in intervals) for now in range(until)]


LAWS = [
    (Exponential(9.0 * SECOND), Exponential(1.0 * SECOND)),
    (Constant(3.0 * SECOND), Constant(1.0 * SECOND)),
    (Uniform(0.0, 4.0 * SECOND), Exponential(1.0 * SECOND)),
    (Gamma(5.0 * SECOND, 0.3), Uniform(0.0, 2.0 * SECOND)),
    (Hyperexponential(8.0 * SECOND, 4.0), Gamma(2.0 * SECOND, 2.0)),
]


@pytest.mark.parametrize(("up", "down"), LAWS)
def test_shape_and_repetition(up, down):
    """Ascending, apart, within the duration; the same for the same seed."""
    found = drawn(up, down)
    assert in_shape(found, 1000 * SECOND)
    assert len(found) > 20
    assert found == drawn(up, down)
    assert found != drawn(up, down, seed=2)


@pytest.mark.parametrize(("up", "down"), LAWS)
def test_the_share_of_time_up_is_the_availability(up, down):
    """Over many independent components, within five standard errors."""
    law, duration = OutageLaw(up=up, down=down), 200 * SECOND
    downs = np.array(
        [sum(end - start for start, end in drawn(up, down, seed=seed, duration_ns=duration)) for seed in range(400)]
    )
    share = 1 - downs / duration
    assert abs(share.mean() - law.availability) <= 5 * share.std() / 400**0.5 + 1e-9


@pytest.mark.parametrize(("up", "down"), LAWS)
@pytest.mark.parametrize("at_s", [0, 1, 3])
def test_every_instant_is_as_good_as_any_other(up, down, at_s):
    """Stationary: already at 0, and shortly after, the chance to be up is the availability."""
    law, now = OutageLaw(up=up, down=down), at_s * SECOND
    hits = [
        any(start <= now < end for start, end in drawn(up, down, seed=seed, duration_ns=5 * SECOND))
        for seed in range(1500)
    ]
    chance = law.availability
    assert abs(1 - np.mean(hits) - chance) < 5 * (chance * (1 - chance) / 1500) ** 0.5


@pytest.mark.parametrize("law", [law for pair in LAWS for law in pair])
def test_the_first_phase_is_a_residual_life(law):
    """Its mean is (1 + scv) / 2 of the law's: longer phases are met more often."""
    drawn_ns = np.array([residual_ns(law, Streams(seed)("residual")) for seed in range(2000)])
    assert abs(drawn_ns.mean() - law.mean * (1 + law.scv) / 2) < 5 * drawn_ns.std() / 2000**0.5


def test_the_residual_of_a_constant_is_uniform():
    """Every tenth of it is met equally often."""
    drawn_ns = [residual_ns(Constant(10.0), Streams(seed)("residual")) for seed in range(1000)]
    share = np.mean(np.array(drawn_ns) <= 5)
    assert abs(share - 0.55) < 5 * 0.5 / 1000**0.5


def test_a_phase_longer_than_everything_is_cut():
    """No number overflows on the way."""
    assert residual_ns(Constant(1e30), Streams(1)("residual")) == 9 * 10**18
    assert drawn(Constant(1e30), Constant(1.0)) == []
    assert drawn(Constant(1.0), Constant(1e30)) == [(0, 1000 * SECOND)]


def test_always_up_and_always_down():
    """Phases of no length: availability 1 has no outage, availability 0 a single one."""
    assert drawn(Constant(10.0 * SECOND), Constant(0.0)) == []
    assert drawn(Constant(0.0), Constant(10.0 * SECOND)) == [(0, 1000 * SECOND)]


class Sometimes:
    """Zero, or a second, by the toss of a coin."""

    mean, variance, scv = SECOND / 2, (SECOND / 2) ** 2, 1.0

    def sample(self, generator, count):
        return SECOND * (generator.random(count) < 0.5).astype(float)


class Never:
    """A mean that no sample of the pool shows, as with a rare long phase."""

    mean, variance, scv = 1.0, 1e30, 1e30

    def sample(self, generator, count):
        return np.zeros(count)


def test_zero_phases_join_their_neighbours():
    """Outages without length vanish, and those without a pause between them are one."""
    found = drawn(Sometimes(), Sometimes())
    assert in_shape(found, 1000 * SECOND)
    lengths = [end - start for start, end in found[1:-1]]
    assert all(length % SECOND == 0 for length in lengths)
    assert max(lengths) > SECOND


def test_a_pool_of_nothing_leaves_nothing():
    """No division by the length of no time."""
    assert residual_ns(Never(), Streams(1)("residual")) == 0


def test_phases_below_a_nanosecond_add_up():
    """Half a nanosecond up, half down: half of the time, not all and not none."""
    found = drawn(Exponential(0.6), Exponential(0.6), duration_ns=20_000)
    share = sum(end - start for start, end in found) / 20_000
    assert abs(share - 0.5) < 0.1


@pytest.mark.parametrize(("up", "down"), [(0.0, 0.0), (0.4, 0.4), (float("inf"), 1.0), (1.0, float("nan"))])
def test_laws_without_a_stationary_state_are_refused(up, down):
    """Rather than running for ever."""

    class Mean:
        def __init__(self, mean):
            self.mean = self.variance = self.scv = mean

    with pytest.raises(InputError, match="mean cycle"):
        drawn(Mean(up), Mean(down))


def test_a_year_of_a_hundred_links():
    """Hourly flaps: as many as there should be, and done before anybody waits."""
    total = 0
    for seed in range(100):
        found = drawn(Exponential(1.0 * HOUR), Exponential(1.0 * MINUTE), seed=seed, duration_ns=365 * DAY)
        assert in_shape(found, 365 * DAY)
        total += len(found)
    expected = 100 * 365 * 24 * 60 / 61
    assert abs(total - expected) < 5 * expected**0.5


def test_a_duration_of_nothing():
    """No time, no outage."""
    assert drawn(*LAWS[0], duration_ns=0) == []


def episodes(probability, every, lasting, *, duration_ns=1000, seed=1):
    """The episodes of one link."""
    law = LinkEpisodes(probability=probability, every_ns=every, lasting_ns=lasting)
    return link_episodes(law, duration_ns=duration_ns, generator=Streams(seed)("episodes"))


def test_episodes_certain_and_impossible():
    """Probability 1 and 0; the last one ends with the duration."""
    assert episodes(1.0, 10, 3, duration_ns=25) == [(0, 3), (10, 13), (20, 23)]
    assert episodes(1.0, 10, 7, duration_ns=25) == [(0, 7), (10, 17), (20, 25)]
    assert episodes(0.0, 10, 3) == []


def test_episodes_that_touch_or_overlap_are_one():
    """As long as the period, or longer."""
    assert episodes(1.0, 10, 10) == episodes(1.0, 10, 55) == [(0, 1000)]
    assert episodes(1.0, 10, 2**63 - 1) == [(0, 1000)]


def test_episodes_without_length_are_none():
    """Nothing is down for no time."""
    assert episodes(1.0, 10, 0) == []


def test_episodes_come_with_their_probability():
    """Within five standard errors."""
    found = episodes(0.06, 10, 5, duration_ns=10 * 20_000)
    assert abs(len(found) - 1200) < 5 * (20_000 * 0.06 * 0.94) ** 0.5
    assert all(start % 10 == 0 and end == start + 5 for start, end in found)


def test_episodes_without_a_period_are_refused():
    """They would never stop."""
    with pytest.raises(InputError, match="every 0 ns"):
        episodes(0.5, 0, 1)


def test_the_outages_of_a_link_come_from_everywhere():
    """Recorded, drawn and in episodes: the union, each from a stream of its own."""
    law = OutageLaw(up=Exponential(10.0 * SECOND), down=Exponential(1.0 * SECOND))
    recorded = ((5 * SECOND, 6 * SECOND), (90 * SECOND, 200 * SECOND))
    world = LinkEpisodes(probability=0.1, every_ns=SECOND, lasting_ns=SECOND)
    streams, duration = Streams(1), 100 * SECOND
    link = Link(between=("a", "b"), outages=law, recorded_outages=recorded)

    def of(link, episodes):
        return link_outages(link, episodes=episodes, duration_ns=duration, streams=streams)

    alone = of(Link(between=("a", "b"), outages=law), None)
    only_recorded = of(Link(between=("a", "b"), recorded_outages=recorded), None)
    only_episodes = of(Link(between=("a", "b")), world)
    assert alone
    assert only_episodes
    assert only_recorded == [(5 * SECOND, 6 * SECOND), (90 * SECOND, duration)]
    assert of(link, world) == merge_intervals([*alone, *only_recorded, *only_episodes], duration_ns=duration)
    assert of(Link(between=("a", "c"), outages=law), None) != alone


def test_the_outages_of_a_broker_are_drawn_and_told():
    """Its law, and the crashes that name it and nobody else."""
    crashes = [
        Crash(component="b0", at_ns=5, lasting_ns=10),
        Crash(component="b0", at_ns=12, lasting_ns=10),
        Crash(component="b1", at_ns=50, lasting_ns=10),
        Crash(component="b0", at_ns=95, lasting_ns=10),
    ]

    def of(broker):
        return broker_outages(broker, crashes=crashes, duration_ns=100, streams=Streams(1))

    assert of(Broker(id="b0")) == [(5, 22), (95, 100)]
    assert of(Broker(id="b2")) == []
    law = OutageLaw(up=Constant(10.0), down=Constant(5.0))
    both = of(Broker(id="b0", outages=law))
    assert both == merge_intervals([*of(Broker(id="b0")), *_drawn_for_b0(law)], duration_ns=100)


def _drawn_for_b0(law):
    return outage_intervals(law, duration_ns=100, generator=Streams(1)("outages b0"))


@given(INTERVALS)
def test_merging_is_the_union(intervals):
    """The same instants as before, cut at both ends, and no two intervals that could be one."""
    merged = merge_intervals(intervals, duration_ns=50)
    assert in_shape(merged, 50)
    assert points(merged, 50) == points(intervals, 50)
    assert merge_intervals(merged, duration_ns=50) == merged


@given(INTERVALS, INTERVALS)
def test_without_is_the_difference(intervals, holes):
    """The instants of the one that are not in the other."""
    kept, cut = merge_intervals(intervals, duration_ns=60), merge_intervals(holes, duration_ns=60)
    left = without_intervals(kept, cut)
    assert in_shape(left, 60)
    assert points(left, 60) == [a and not b for a, b in zip(points(kept, 60), points(cut, 60), strict=True)]
