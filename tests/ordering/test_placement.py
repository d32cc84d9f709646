"""Nodes on machines: the published heuristic against its sentences, ours against every single move."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.ordering.placement import Journey, beside, settled


def plane(seed, machines=40):
    """Delays between points of a square, from each to all."""
    points = np.random.default_rng(seed).random((machines, 2))
    matrix = np.hypot(*(points[:, None] - points[None, :]).transpose(2, 0, 1))
    return lambda machine: matrix[machine]


def journeys(seed, nodes=6, groups=8, machines=40):
    """Ways that lead up one line, with members anywhere."""
    rng = np.random.default_rng(1_000 + seed)
    found = []
    for _ in range(groups):
        low, high = sorted(rng.integers(0, nodes, 2).tolist())
        members = rng.choice(machines, int(rng.integers(2, 6)), replace=False)
        found.append(Journey(tuple(range(low, high + 1)), tuple(members.tolist())))
    return found


def lost(ways, at, delays):
    """What every sender's message to every other member takes, all together: plainly added up."""
    total = 0.0
    for way in ways:
        inner = sum(delays(at[one])[at[other]] for one, other in zip(way.nodes, way.nodes[1:], strict=False))
        for sender in way.members:
            for receiver in way.members:
                if sender != receiver:
                    total += delays(sender)[at[way.nodes[0]]] + inner + delays(at[way.nodes[-1]])[receiver]
    return total


@given(st.integers(0, 500))
def test_every_node_has_a_machine_of_its_own(seed):
    """All nodes that anybody's messages pass, on different machines, either way."""
    ways, delays = journeys(seed), plane(seed)
    for at in (settled(ways, delays), beside(ways, delays, np.random.default_rng(seed))):
        assert set(at) == {node for way in ways for node in way.nodes}
        assert len(set(at.values())) == len(at)


@pytest.mark.parametrize("seed", range(8))
def test_settled_nodes_have_no_better_free_machine(seed):
    """Every node tried on every free machine: none loses less."""
    ways, delays = journeys(seed), plane(seed)
    at = settled(ways, delays)
    least = lost(ways, at, delays)
    for node in at:
        for machine in set(range(40)) - set(at.values()):
            assert lost(ways, {**at, node: machine}, delays) >= least - 1e-9


def test_settled_loses_less_than_beside():
    """On most of 20 planes, and a good part of it over all: the published heuristic begins anywhere."""
    found = []
    for seed in range(20):
        ways, delays = journeys(seed), plane(seed)
        at = [settled(ways, delays), beside(ways, delays, np.random.default_rng(seed))]
        found.append([lost(ways, one, delays) for one in at])
    ours, theirs = np.array(found).T
    assert (ours < theirs).sum() >= 17
    assert ours.sum() < 0.9 * theirs.sum()


@pytest.mark.parametrize("seed", range(8))
def test_beside_is_as_published(seed):
    """Of a group without a place one node is anywhere; all others are on what was free and nearest to a neighbour."""
    ways, delays = journeys(seed), plane(seed)
    at = beside(ways, delays, np.random.default_rng(seed))
    taken, placed = [], {}
    order = list(at)
    for way in ways:
        fresh = [node for node in order if node in way.nodes and node not in placed]
        if fresh and all(node not in placed for node in way.nodes):
            placed[fresh[0]] = at[fresh[0]]
            taken.append(at[fresh.pop(0)])
        for node in fresh:
            gap = {other: abs(way.nodes.index(node) - way.nodes.index(other)) for other in way.nodes if other in placed}
            known = min(gap, key=gap.__getitem__)
            free = [machine for machine in range(40) if machine not in taken]
            assert gap[known] == 1
            assert at[node] == min(free, key=delays(at[known]).__getitem__)
            placed[node] = at[node]
            taken.append(at[node])
    assert placed == at


def test_one_group_and_one_node():
    """The machine in the middle of a line."""
    line = np.abs(np.arange(5.0)[:, None] - np.arange(5.0)[None, :])
    assert settled([Journey((0,), (0, 4, 2))], lambda machine: line[machine]) == {0: 2}


def test_nothing_to_place():
    """No groups, no nodes."""
    assert beside([], plane(1), np.random.default_rng(1)) == settled([], plane(1)) == {}


def test_sweeps_are_bounded():
    """Each one helps; with none all stay in the middle of everybody."""
    ways, delays = journeys(2), plane(2)
    found = [lost(ways, settled(ways, delays, sweeps_max=sweeps), delays) for sweeps in (0, 1, 8)]
    assert found[0] > found[1] >= found[2]
    assert settled(ways, delays) == settled(ways, delays, sweeps_max=8)
