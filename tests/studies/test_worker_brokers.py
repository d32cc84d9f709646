"""The network of brokers with workers: against formulas, a single queue by hand, and its own shape."""

import math

import numpy as np
import pytest

from tidings.studies.worker_brokers import Message, WorkerBrokers, deliver, line, low_degree_tree
from tidings.vocabulary.streams import Streams


def stream(rate, count, end, draw):
    """A Poisson stream from broker 0 to broker `end`."""
    return [Message(at, 0, frozenset([end])) for at in np.cumsum(draw.exponential(1 / rate, count)).tolist()]


def delays(network, messages, broker, draw):
    """How long each message took to `broker`."""
    return deliver(network, messages, draw)[:, broker] - [one.departed for one in messages]


def test_hops_are_what_walking_counts():
    """A star with an arm."""
    network = WorkerBrokers(parents=(-1, 0, 0, 2))
    assert network.hops().tolist() == [[0, 1, 1, 2], [1, 0, 2, 3], [1, 2, 0, 1], [2, 3, 1, 0]]
    assert network.neighbours == [[1, 2], [0], [0, 3], [2]]


@pytest.mark.parametrize("seed", range(5))
def test_the_tree_has_its_diameter(seed):
    """46 brokers, diameter 15, at most four links each, as the paper's low-degree network."""
    network = low_degree_tree(46, 15, Streams(seed)("tree"))
    assert len(network.parents) == 46
    assert network.hops().max() == 15
    assert max(map(len, network.neighbours)) <= 4


def test_one_worker_is_the_textbook_queue():
    """M/M/1 at half load: the mean time in the broker is 1/(μ − λ)."""
    draw = Streams(1)("queue")
    network = WorkerBrokers(parents=(-1,), workers=1, service_mean=0.01)
    found = delays(network, stream(50.0, 60_000, 0, draw), 0, draw)
    assert found.mean() == pytest.approx(0.02, rel=0.05)


def test_several_workers_wait_as_erlang_says():
    """M/M/4 at 75 % load: Erlang's C formula."""
    draw = Streams(2)("queue")
    servers, offered, mean = 4, 3.0, 0.005
    network = WorkerBrokers(parents=(-1,), workers=servers, service_mean=mean)
    found = delays(network, stream(offered / mean, 80_000, 0, draw), 0, draw)
    busy = offered**servers / math.factorial(servers) * servers / (servers - offered)
    chance = busy / (busy + sum(offered**k / math.factorial(k) for k in range(servers)))
    assert found.mean() == pytest.approx(mean + chance * mean / (servers - offered), rel=0.05)


def test_a_way_is_links_and_services():
    """Without waiting the delay over k brokers is k exponential times and k − 1 links."""
    draw = Streams(3)("way")
    found = delays(line(5), stream(1.0, 20_000, 4, draw), 4, draw)
    assert found.min() > 0.2
    assert found.mean() == pytest.approx(0.2 + 5 * 0.005, rel=0.01)
    assert found.var() == pytest.approx(5 * 0.005**2, rel=0.1)


def test_only_one_worker_keeps_the_order():
    """With one, nobody overtakes; with four, some do."""
    draw = Streams(4)("order")
    for workers, overtaken in ((1, False), (4, True)):
        network = WorkerBrokers(parents=(-1, 0, 1), workers=workers)
        left = deliver(network, stream(150.0, 2_000, 2, draw), draw)[:, 2]
        assert bool((np.diff(left) < 0).any()) == overtaken


def test_messages_go_only_where_they_are_wanted():
    """And are served wherever they pass."""
    network = WorkerBrokers(parents=(-1, 0, 0, 2), workers=1, service_mean=1.0)
    messages = [Message(0.0, 1, frozenset([2])), Message(0.0, 3, frozenset([3]))]
    left = deliver(network, messages, Streams(5)("where"))
    assert np.isfinite(left).tolist() == [[False, False, True, False], [False, False, False, True]]
    assert deliver(network, [Message(0.0, 1, frozenset())], Streams(5)("where"))[0].tolist() == pytest.approx(
        [math.nan] * 4, nan_ok=True
    )


def test_same_draws_same_delays():
    """Nothing else decides."""
    one, two = (deliver(line(3), stream(100.0, 100, 2, Streams(6)("m")), Streams(6)("d")) for _ in range(2))
    assert np.array_equal(one, two, equal_nan=True)


def test_impossible_networks_are_our_bug():
    """No root, a child before its parent, a diameter that does not fit."""
    for parents in ((0, 0), (-1, 1)):
        with pytest.raises(AssertionError):
            WorkerBrokers(parents=parents)
    with pytest.raises(AssertionError, match="diameter"):
        low_degree_tree(3, 9, Streams(1)("x"))
