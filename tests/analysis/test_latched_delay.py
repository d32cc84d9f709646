"""Delays behind a latch: against a latch played event by event, and against simulated runs."""

import numpy as np
import pytest

from simulation.worlds import MS, changed, const, make_world, ms, publisher, run, subscriber
from tidings.analysis.delay_law import TimeGrid, constant_delay, delay_of
from tidings.analysis.latched_delay import Latch, LatchedDelay
from tidings.analysis.predicting import predict
from tidings.scenario.world import Link, LinkLaw, Ordering
from tidings.vocabulary.distribution import Exponential
from tidings.vocabulary.instant import FOREVER, SECOND

GRID = TimeGrid(30.0)


def latched(hold=2.0, rate=1.0, limit=float(FOREVER), arrives=1.0, inner=None):
    """Behind a constant latch; delays are exponential with mean 1 unless told otherwise."""
    ordering = Ordering(guarantee="fifo", latch="constant", hold_ns=hold)
    latch = Latch(ordering=ordering, rate=rate, arrives=arrives, limit=limit)
    return LatchedDelay(inner or delay_of(GRID, Exponential(1.0)), latch)


def played(hold, rate, arrives=1.0, count=200_000):
    """Dumb twin: nobody waits for an event whose publication is more than the hold before one's own."""
    generator = np.random.default_rng(1)
    published = np.cumsum(generator.exponential(1 / rate, count))
    there = published + np.where(generator.random(count) < arrives, generator.exponential(1.0, count), np.inf)
    shown = []
    for place in np.flatnonzero(np.isfinite(there)).tolist():
        until, before = there[place], place - 1
        while before >= 0 and published[place] - published[before] < hold:
            given_up = there[place] + hold - (published[place] - published[before])
            until = max(until, min(there[before], given_up))
            before -= 1
        shown.append(until - published[place])
    return np.array(shown)


@pytest.mark.parametrize(("hold", "rate", "arrives"), [(2.0, 1.0, 1.0), (1.0, 5.0, 1.0), (2.0, 0.5, 0.9)])
def test_a_latch_played_event_by_event(hold, rate, arrives):
    """Means and shares shown by some times."""
    law, seen = latched(hold, rate, arrives=arrives), played(hold, rate, arrives)
    assert law.mean == pytest.approx(seen.mean(), rel=0.02)
    for limit in (0.5, 1.0, 2.0, 4.0):
        assert law.within(limit) == pytest.approx((seen <= limit).mean(), abs=0.015)


def test_never_past_the_deadline():
    """By then everything is shown that is there, and the mean stays below it."""
    law, plain = latched(limit=1.5, rate=9.0), delay_of(GRID, Exponential(1.0))
    assert law.within(1.5) == plain.within(1.5)
    assert law.within(1.4) < plain.within(1.4)
    assert plain.mean_within(1.5) < law.mean_within(1.5) <= 1.5
    assert law.mean_within(-1.0) is None
    assert (law.times == plain.times).all()


def test_nothing_to_wait_for():
    """Nobody before it, no hold, or delays that are all the same."""
    plain = delay_of(GRID, Exponential(1.0))
    for law in (latched(rate=0.0), latched(hold=0.0)):
        assert law.mean == pytest.approx(plain.mean)
        assert law.within(1.0) == pytest.approx(plain.within(1.0), abs=2e-3)
    same = LatchedDelay(constant_delay(GRID, 3.0), latch("predictive", rate=5.0))
    assert same.reach == 0.0
    assert same.mean == pytest.approx(3.0)
    assert same.within_each(np.array([2.9, 3.1])).tolist() == [0.0, 1.0]


def latch(kind, rate=1e-7):
    """One that learns."""
    return Latch(ordering=Ordering(guarantee="fifo", latch=kind), rate=rate, arrives=1.0, limit=float(FOREVER))


def test_the_reach_is_that_of_the_latch_itself():
    """For two hops the paper's quantile, and more where few samples are accounted for."""
    law = delay_of(TimeGrid(200.0 * MS), Exponential(10.0 * MS))
    reaches = {kind: LatchedDelay(law, latch(kind)).reach for kind in ("plain", "predictive", "empirical")}
    assert reaches["plain"] == pytest.approx(10 * MS * 3.2718121 / 1.5, rel=0.02)
    assert reaches["predictive"] > reaches["plain"]
    # The 34th of 36 exponential sizes, in the mean.
    assert reaches["empirical"] == pytest.approx(10 * MS * sum(1 / left for left in range(3, 37)), rel=0.02)


@pytest.mark.parametrize(("kind", "loss"), [("predictive", 0.0), ("predictive", 0.02), ("empirical", 0.0)])
def test_against_a_simulated_run(tmp_path, kind, loss):
    """Two hops of 5 ms, an event each 2 ms: the delay that a latch adds, to a tenth."""
    law = LinkLaw(delay=ms(5), loss=loss)
    made = make_world(
        "abc",
        links=[Link(between=pair, law=law) for pair in (("a", "b"), ("b", "c"))],
        publishers=[publisher(every=ms(2))],
        subscribers=[subscriber(broker="c", topics=("t",))],
        duration_ns=10 * SECOND,
        ordering=Ordering(guarantee="fifo", latch=kind),
    )
    simulated = run(made, tmp_path / "run").delays().mean() / SECOND
    found = predict(made).subscribers["s"]
    assert found.delay_mean_s - 0.01 == pytest.approx(simulated - 0.01, rel=0.1)
    unordered = predict(changed(made, ordering=Ordering())).subscribers["s"]
    assert found.reliability == pytest.approx(unordered.reliability)
    assert unordered.delay_mean_s == pytest.approx(0.01)


def test_order_never_costs_a_deadline():
    """The same share on time with a latch and without, for every filter."""
    made = make_world(
        "ab",
        links=[Link(between=("a", "b"), law=LinkLaw(delay=ms(20), loss=0.1))],
        publishers=[publisher(every=const(10), lifetime_ns=50 * MS)],
        subscribers=[subscriber("r", "b", deadline_ns=30 * MS), subscriber("s", "b", "x < 1")],
    )
    ordered = predict(changed(made, ordering=Ordering(guarantee="fifo")))
    for name, one in predict(made).subscribers.items():
        assert ordered.subscribers[name].reliability == pytest.approx(one.reliability)
