"""The paper's network and the flows taken out of it."""

import pytest

from tidings.studies import fifo_setting
from tidings.studies.fifo_setting import KINDS, NetworkJob, network_flows

JOB = NetworkJob(seed=3, brokers=12, diameter=5, seconds=1.5, flows=12)


@pytest.fixture(scope="module")
def flows():
    """A small network's."""
    return network_flows(JOB)


def test_flows_hold_what_was_published_and_what_came(flows):
    """Every wanted message arrives once, after the links and not before."""
    for flow in flows:
        assert list(flow.departures_ns) == sorted(flow.departures_ns)
        assert 0 <= flow.wanted < KINDS
        wanted = [number for number, kind in enumerate(flow.kinds) if kind == flow.wanted]
        assert sorted(number for _, number in flow.arrivals) == wanted
        assert [at for at, _ in flow.arrivals] == sorted(at for at, _ in flow.arrivals)
        assert all(at > flow.departures_ns[number] for at, number in flow.arrivals)


def test_about_a_tenth_is_wanted(flows):
    """Of all that is published."""
    shares = [len(flow.arrivals) / len(flow.departures_ns) for flow in flows]
    assert 0.07 < sum(shares) / len(shares) < 0.13


def test_some_overtake(flows):
    """Without a latch some are shown after later ones."""
    assert any(a[1] > b[1] for flow in flows for a, b in zip(flow.arrivals, flow.arrivals[1:], strict=False))


def test_the_busiest_broker_has_the_load_that_was_asked_for():
    """In a chain of two with everything wanted at both ends every message passes both: capacity is that of one."""
    import numpy as np

    from tidings.studies.worker_brokers import line

    everywhere = np.tile(np.arange(KINDS), (2, 1))
    assert fifo_setting._busiest_share(line(2), everywhere, np.array([0, 1])) == 1
    nobody = np.full((3, 1), -1)
    assert fifo_setting._busiest_share(line(3), nobody, np.array([0])) == 0


def test_same_seed_same_flows():
    """And threads give other arrivals of the same messages."""
    from dataclasses import replace

    again, threads = network_flows(JOB), network_flows(replace(JOB, threads=True))
    assert again == network_flows(JOB)
    assert [one.departures_ns for one in again] == [one.departures_ns for one in threads]
    assert [one.arrivals for one in again] != [one.arrivals for one in threads]
