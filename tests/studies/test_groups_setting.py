"""The setting of the paper on groups: sizes in both readings, members, hosts in clusters."""

import numpy as np
import pytest

from tidings.studies.groups_setting import (
    CLUSTER,
    HOSTS,
    SHARINGS,
    Membership,
    Routers,
    occupied_groups,
    ranked_groups,
    shared_nodes,
    sizes,
    tree_of,
)
from tidings.vocabulary.streams import Streams


def test_sizes_in_both_readings():
    """Everybody is in the first group, or a share of all; the second group is half as large."""
    assert sizes("whole", 4, 128) == [128, 64, 43, 32]
    assert sizes("shares", 4, 128) == [24, 12, 8, 6]
    assert sizes("whole", 64)[-1] == 2
    assert sizes("shares", 64)[-1] == 0
    assert sum(1 / rank for rank in range(1, 129)) == pytest.approx(128 / 23.6, rel=0.01)


def test_groups_have_their_sizes():
    """Different members each, hosts by number, the same from the same stream."""
    found = ranked_groups("whole", 8, Streams(1)("x"))
    assert [len(one) for one in found.groups] == sizes("whole", 8)
    assert all(list(one) == sorted(set(one)) and max(one) < HOSTS for one in found.groups)
    assert found == ranked_groups("whole", 8, Streams(1)("x"))
    assert found != ranked_groups("whole", 8, Streams(2)("x"))


def test_interests_are_the_groups_of_each_host():
    """Hosts without groups are left out, groups without hosts are not."""
    found = Membership(((0, 2), (2,), ()))
    assert found.interests() == {"h0": ("g0",), "h2": ("g0", "g1")}
    atoms = found.atoms(k=1)
    assert atoms.groups == ("g0", "g1", "g2")
    assert [atom.groups for atom in atoms.atoms] == [("g0", "g1")]
    assert found.atoms().atoms == ()


def test_occupancy_is_how_likely_a_host_is_in_a_group():
    """Nobody, everybody, and about a fifth."""
    draw = Streams(3)("x")
    assert all(one == () for one in occupied_groups(0, 5, draw).groups)
    assert all(len(one) == HOSTS for one in occupied_groups(1, 5, draw).groups)
    assert np.mean([len(one) for one in occupied_groups(0.2, 60, draw).groups]) == pytest.approx(0.2 * HOSTS, rel=0.05)


@pytest.mark.parametrize("sharing", SHARINGS)
def test_trees_of_all_ways_of_sharing(sharing):
    """Their nodes are those of the way of sharing; every group has a way."""
    members = ranked_groups("whole", 8, Streams(1)("x"))
    atoms = members.atoms()
    nodes = shared_nodes(sharing, atoms, Streams(1)("nodes"))
    tree = tree_of(sharing, atoms, Streams(1)("nodes"))
    assert sorted(map(len, nodes)) == sorted(map(len, tree.nodes[: tree.sequencing]))
    assert list(tree.ways) == members.names
    assert tree.sequencing == 1 or sharing != "one node"


def test_hosts_stand_in_clusters_on_routers():
    """As many as asked for, each on a router of its own; a cluster is near, and other clusters are not."""
    routers = Routers(Streams(1)("x"), hosts=20)
    assert len(set(routers.hosts)) == len(routers.hosts) == 20
    unicast = routers.unicast()
    assert unicast == pytest.approx(unicast.T)
    assert (unicast.diagonal() == 0).all()
    near = unicast[:CLUSTER, :CLUSTER]
    assert near.max() < 50e6
    assert np.median(unicast[:CLUSTER, CLUSTER:]) > near.max()
    assert len(routers.delays(routers.hosts[0])) == 10_000


def test_clusters_may_share_a_stub_domain():
    """More hosts than a stub domain has routers still find places."""
    routers = Routers(Streams(5)("x"), hosts=300)
    assert len(set(routers.hosts)) == 300


def test_journeys_of_groups_with_somebody_to_send_to():
    """Ways of the tree between the routers of the members; a group of one needs none."""
    members = Membership((tuple(range(6)), (0, 1), (3,)))
    routers = Routers(Streams(1)("x"), hosts=6)
    tree = tree_of("by home", members.atoms(), Streams(1)("nodes"))
    journeys = routers.journeys(members, tree)
    assert list(journeys) == ["g0", "g1"]
    assert journeys["g1"].nodes == tree.ways["g1"]
    assert journeys["g1"].members == tuple(routers.hosts[:2])
