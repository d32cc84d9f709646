"""Ways of requests: the published ones by hand, planned ones by their plan, and what is counted on them."""

import numpy as np
import pytest

from studies.total_worlds import drawn, hand_made
from tidings.studies.total_routes import Deployment, Visit, deployments, planned, published
from tidings.studies.total_setting import SITES

PAIR = hand_made((5, 205, 207), (5, 205, 207), (900,))


def test_the_published_way_by_hand():
    """Topic 207 goes through the managers of 207 and 205 on server 1 and of 5 on server 0; topic 5 stays."""
    found = published(PAIR)
    assert found.ways[207] == (Visit(1, 2), Visit(0, 1))
    assert found.ways[205] == (Visit(1, 1), Visit(0, 1))
    assert found.ways[5] == (Visit(0, 1),)
    assert found.ways[900] == (Visit(4, 1),)
    assert (found.depth, found.to_publisher) == (3, True)


def test_what_is_counted_by_hand():
    """Of 1,000 topics two have requests that cross: up, and back to the publisher at site 1."""
    found = published(PAIR)
    assert found.crossings(PAIR.publishes) == pytest.approx(4 / 1_000)
    assert found.steps(PAIR.publishes) == pytest.approx((997 + 2 + 3 + 1) / 1_000)
    assert found.load(PAIR.publishes) == pytest.approx([0.202, 0.201, 0.2, 0.2, 0.2])
    entries = 1 + PAIR.overlaps().sum(axis=0)
    outgoing = found.outgoing(PAIR.publishes, entries)
    assert outgoing == pytest.approx([0, 6 / (198 + 3 + 6), 0, 0, 0])


def test_a_planned_way_goes_back_to_its_stage():
    """On the same servers by identifier: two stages, up and back; no manager for each topic."""
    found = planned(PAIR, "tree", SITES, "identifier")
    assert found.ways[207] == found.ways[205] == (Visit(1, 1), Visit(0, 1))
    assert found.crossings(PAIR.publishes) == pytest.approx(4 / 1_000)
    assert (found.depth, found.depth_bound, found.to_publisher) == (2, 2, False)


def test_a_server_without_work_has_no_share():
    """Neither 0 nor anything else."""
    alone = Deployment(name="one", ways=((Visit(0, 1),),) * 1_000, to_publisher=False, depth=1)
    shares = alone.outgoing(PAIR.publishes, np.ones(1_000, np.int64))
    assert shares[0] == 0
    assert np.isnan(shares[1:]).all()


@pytest.mark.parametrize("shape", [0, 1])
@pytest.mark.parametrize("reading", ["shares", "exponents"])
def test_plans_beat_the_published_deployment(shape, reading):
    """In depth, and in messages between sites; not below the bounds."""
    world = drawn(shape, reading)
    paper, same_servers, shallow, by_site = deployments(world)
    assert (paper.name, paper.crossings_bound) == ("published", None)
    for plan in (same_servers, shallow, by_site):
        assert plan.depth_bound <= plan.depth < paper.depth
        assert plan.crossings(world.publishes) >= plan.crossings_bound
    for plan in (shallow, by_site):
        assert plan.crossings(world.publishes) < 0.6 * paper.crossings(world.publishes)
        assert plan.steps(world.publishes) < paper.steps(world.publishes)
    assert shallow.depth <= same_servers.depth
