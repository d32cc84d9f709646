"""Trees and graphs of ten brokers, run and predicted."""

import numpy as np
import pytest

from tidings.analysis import predict
from tidings.studies.overlay_nets import Both, NetJob, _orders, both, choosing
from tidings.studies.overlay_setting import LOW_END, Net, with_homes

NET = Net(shape="tree", quality=LOW_END, mechanism="buffering", seed=2, subscribers=12, days=2, every_s=3_600)


def test_a_run_beside_its_prediction():
    """Subscriber by subscriber; over two days outages scatter, but shares are shares."""
    found = both(NetJob(net=NET))
    assert len(found.simulated) == len(found.predicted) == 12
    assert ((found.predicted > 0.3) & (found.predicted < 1)).all()
    assert np.abs(found.errors).mean() < 0.35


def test_who_wanted_nothing_has_no_error():
    """And does not count."""
    assert Both(np.array([0.5, np.nan]), np.array([0.75, 1.0])).errors.tolist() == [0.25]


def test_more_candidates_are_never_worse_by_prediction():
    """Who has more candidates has those of the others, too, and takes the best by what is predicted for its home."""
    job = NetJob(net=NET, candidates=(1, 3, 8), each=6)
    world = choosing(job)
    assert len(world.subscribers) == 18
    shares = [one.reliability for one in predict(world).subscribers.values()]
    for number in range(6):
        mine = shares[3 * number : 3 * number + 3]
        assert mine == sorted(mine)
    probes = predict(with_homes(world, [one.id for one in world.brokers])).subscribers
    best = sorted(one.reliability for one in probes.values())
    assert min(shares[2::3]) >= best[2], "the best of eight of ten is among the best three"


def test_orders_are_said_in_words():
    """From best to worst, beside the thesis's."""
    means = {("low-end", "periodic"): 0.5, ("low-end", "buffering"): 0.7}
    means |= {("high-end", "periodic"): 0.9, ("high-end", "buffering"): 0.8}
    low, high = _orders(means, ("periodic", "buffering"))
    assert (low.paper, low.ours) == ("buffering > periodic", "buffering > periodic")
    assert high.ours == "periodic > buffering"


@pytest.mark.parametrize("mechanism", ["periodic", "bypass"])
def test_other_mechanisms_run_too(mechanism):
    """A short while."""
    net = Net(shape="graph", quality=LOW_END, mechanism=mechanism, seed=1, subscribers=4, days=1, every_s=7_200)
    assert len(both(NetJob(net=net)).predicted) == 4
