"""Simulated queues against what queueing theory knows exactly, within K standard errors; and a wrong mean is caught.

Times are in seconds, the mean service is 1 s throughout. Seeds are fixed, so a test passes always or never.
"""

import pytest

from simulation.waiting import SECONDS, batch_means, sojourns
from simulation.worlds import make_world, publisher, run
from tidings.scenario.world import Link, LinkLaw
from tidings.vocabulary.distribution import Constant, Exponential, Gamma, Hyperexponential
from tidings.vocabulary.instant import SECOND

K = 3.5
"""Standard errors; by chance one comparison in some two thousand is that far off."""

EVENTS = 60_000
POISSON = {load: Exponential(SECONDS / load) for load in (0.5, 0.7, 0.8, 0.9)}
MM = Exponential(SECONDS)
MD = Constant(SECONDS)

MEAN_WAITS = {
    "M/M/1 at 0.8": (POISSON[0.8], MM, 4.0),
    "M/D/1 at 0.5": (POISSON[0.5], MD, 0.5),
    "M/D/1 at 0.8": (POISSON[0.8], MD, 2.0),
    "M/D/1 at 0.9": (POISSON[0.9], MD, 4.5),
    "M/E2/1 at 0.8": (POISSON[0.8], Gamma(SECONDS, 0.5), 3.0),
    "M/G/1 with scv 4 at 0.7": (POISSON[0.7], Hyperexponential(SECONDS, 4.0), 35 / 6),
    "E2/M/1 at 0.8": (Gamma(SECONDS / 0.8, 0.5), MM, 2.8439798),
}


@pytest.mark.parametrize(("every", "service", "truth"), MEAN_WAITS.values(), ids=list(MEAN_WAITS))
def test_mean_wait(tmp_path, every, service, truth):
    """The time spent is the wait and one service: so the mean wait is what is left without the mean service."""
    waits = sojourns(tmp_path / "run", every=every, service=service, events=EVENTS) - 1.0
    assert batch_means(waits).off(truth) < K


@pytest.mark.parametrize("name", ["M/D/1 at 0.5", "M/M/1 at 0.8"])
def test_a_service_five_per_cent_too_long_is_caught(tmp_path, name):
    """The planted fault: the same test, told the wrong mean, fails."""
    every, service, truth = MEAN_WAITS[name]
    longer = Constant(1.05 * SECONDS) if service == MD else Exponential(1.05 * SECONDS)
    waits = sojourns(tmp_path / "run", every=every, service=longer, events=EVENTS) - 1.0
    assert batch_means(waits).off(truth) > K


def test_distribution_of_waits(tmp_path):
    """P(Wq ≤ t) of M/D/1 at 0.5 for t = 0, 1, 2 (Erlang 1909)."""
    waits = sojourns(tmp_path / "run", every=POISSON[0.5], service=MD, events=EVENTS) - 1.0
    for limit, truth in ((0, 0.5), (1, 0.8243606), (2, 0.9469606)):
        within = (waits <= limit + 1e-12).astype(float)
        assert batch_means(within).off(truth) < K, limit


def test_tail_of_sojourns(tmp_path):
    """P(W > 10) of M/M/1 at 0.8 is exp(−2)."""
    spent = sojourns(tmp_path / "run", every=POISSON[0.8], service=MM, events=EVENTS)
    assert batch_means((spent > 10).astype(float)).off(0.1353353) < K


def test_waiting_for_bandwidth(tmp_path):
    """A link that sends one frame a second is M/D/1: wait 2, send 1, travel 0.25."""
    law = LinkLaw(bandwidth_bps=1_000.0, delay=Constant(0.25 * SECONDS))
    world = make_world(
        links=[Link(between=("a", "b"), law=law)],
        publishers=[publisher(every=POISSON[0.8], payload=Constant(1_000 / 8 - 64))],
        duration_ns=round(EVENTS / 0.8) * SECOND,
    )
    found = run(world, tmp_path / "run", tables=("publications", "deliveries", "interests"))
    waits = found.delays()[EVENTS // 10 :] / SECONDS - 1.25
    assert batch_means(waits).off(2.0) < K
    assert waits.min() == pytest.approx(0.0, abs=1e-9)
