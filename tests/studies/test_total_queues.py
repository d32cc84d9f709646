"""Requests in a network of servers: known delays, a busy server, one that is too slow."""

import numpy as np
import pytest

from studies.total_worlds import hand_made
from tidings.studies.total_queues import FAR, NEAR, PEAK_RATE, serve, step_seconds
from tidings.studies.total_routes import Deployment, Visit

WORLD = hand_made((0,))


def deployment(*way, to_publisher=True):
    """All topics go the same way."""
    return Deployment(name="all", ways=(way,) * 1_000, to_publisher=to_publisher, depth=len(way))


def latency(one, rate=200.0, step=1e-6):
    """On average, far from any queue."""
    return serve(one, WORLD.publishes, rate=rate, seconds=10, step=step, draw=np.random.default_rng(1)).latency


def test_delays_add_up():
    """One in five publishers is near; there and back, or only there."""
    client = 0.2 * NEAR[0] + 0.8 * FAR[0]
    assert latency(deployment(Visit(0, 1))) == pytest.approx(2 * client, rel=0.03)
    assert latency(deployment(Visit(0, 1), to_publisher=False)) == pytest.approx(client, rel=0.03)
    assert latency(deployment(Visit(0, 1), Visit(3, 1))) == pytest.approx(2 * client + FAR[0], rel=0.03)
    assert latency(deployment(Visit(0, 1), Visit(3, 1), to_publisher=False)) == pytest.approx(
        client + 2 * FAR[0], rel=0.03
    )


def test_a_server_is_a_queue():
    """Poisson arrivals, constant steps, half busy: the mean wait of M/D/1 is half a step."""
    idle, busy = (latency(deployment(Visit(2, 10)), rate=5_000.0, step=step) for step in (1e-9, 1e-5))
    assert busy - idle == pytest.approx(1.5 * 1e-4, rel=0.15)


def test_a_server_that_is_too_slow_decides_the_throughput():
    """At twice what it can do, half is done."""
    found = serve(
        deployment(Visit(0, 1)), WORLD.publishes, rate=2_000.0, seconds=4, step=1e-3, draw=np.random.default_rng(1)
    )
    assert found.throughput == pytest.approx(1_000, rel=0.02)
    assert found.latency > 1


def test_the_step_is_fitted_to_the_peak():
    """The busiest server is just busy at 5,000 a second."""
    one = deployment(Visit(0, 1), Visit(1, 3))
    assert step_seconds(one, WORLD.publishes) == pytest.approx(1 / (3 * PEAK_RATE))
