"""The setting of the paper on groups: who is in which group, and where everybody is.

Sizes of groups are said to be proportional to r⁻¹/H over ranks r. In the reading `whole` the first group is everybody, so
that group r has the r-th part of all; the paper's largest number of atoms on a way, nearly one for each group, needs that.
In the reading `shares` the size is that share of all: the first of 128 members' groups has 24, and those behind rank 36
nobody. Both are done where it matters. Members are drawn evenly.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from tidings.ordering.atoms import Atoms, atoms_of
from tidings.ordering.colocation import Nodes, by_branch, by_home, by_overlap, in_one
from tidings.ordering.node_tree import AtomTree, atom_tree
from tidings.ordering.placement import Delays, Floats, Journey
from tidings.scenario.transit_stub import lay_out

Reading = Literal["whole", "shares"]
Sharing = Literal["as published", "by home", "by branch", "one node"]

HOSTS: Final = 128
CLUSTER: Final = 8
"""Hosts of one stub domain."""
SHARINGS: Final[tuple[Sharing, ...]] = ("as published", "by home", "by branch", "one node")
Interests = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Membership:
    """Who is in which group."""

    groups: tuple[tuple[int, ...], ...]
    """The hosts of each."""

    @property
    def names(self) -> list[str]:
        """Of the groups."""
        return [f"g{group}" for group in range(len(self.groups))]

    def interests(self) -> Interests:
        """The groups of every host that has any."""
        of: dict[str, list[str]] = {}
        for name, hosts in zip(self.names, self.groups, strict=True):
            for host in hosts:
                of.setdefault(f"h{host}", []).append(name)
        return {host: tuple(groups) for host, groups in of.items()}

    def atoms(self, k: int = 2) -> Atoms:
        """Where groups share `k` hosts."""
        return atoms_of(self.interests(), groups=self.names, k=k)


def sizes(reading: Reading, groups: int, hosts: int = HOSTS) -> list[int]:
    """Hosts of each group, the largest first."""
    ranks = np.arange(1, groups + 1)
    largest = hosts if reading == "whole" else hosts / float(np.sum(1 / np.arange(1, hosts + 1)))
    found: list[int] = np.rint(largest / ranks).astype(np.int64).tolist()
    return found


def ranked_groups(reading: Reading, groups: int, draw: np.random.Generator, hosts: int = HOSTS) -> Membership:
    """Groups of these sizes."""
    chosen = [draw.choice(hosts, size, replace=False) for size in sizes(reading, groups, hosts)]
    return Membership(tuple(tuple(sorted(one.tolist())) for one in chosen))


def occupied_groups(occupancy: float, groups: int, draw: np.random.Generator, hosts: int = HOSTS) -> Membership:
    """Every host is in every group with the same probability."""
    member = draw.random((groups, hosts)) < occupancy
    return Membership(tuple(tuple(np.flatnonzero(row).tolist()) for row in member))


def shared_nodes(sharing: Sharing, atoms: Atoms, draw: np.random.Generator) -> Nodes:
    """Atoms on nodes in one of the ways that are compared."""
    if sharing == "as published":
        return by_overlap(atoms, draw)
    return {"by home": by_home, "by branch": by_branch, "one node": in_one}[sharing](atoms)


def tree_of(sharing: Sharing, atoms: Atoms, draw: np.random.Generator) -> AtomTree:
    """Their tree."""
    return atom_tree(atoms, shared_nodes(sharing, atoms, draw))


class Routers:
    """An internetwork of 10,000 routers with hosts in clusters, each cluster in a stub domain drawn evenly."""

    def __init__(self, draw: np.random.Generator, hosts: int = HOSTS) -> None:
        network = lay_out({}, draw)
        self._overlay = network.overlay()
        self.hosts: list[int] = []
        """The router of each host."""
        while len(self.hosts) < hosts:
            stub = network.stubs[int(draw.integers(len(network.stubs)))]
            free = [router for router in stub if router not in self.hosts]
            size = min(CLUSTER, hosts - len(self.hosts), len(free))
            self.hosts += draw.choice(free, size, replace=False).tolist()
        # A place in the cache is 80 kB; a network's nodes and hosts are a few hundred.
        self.delays: Delays = cache(self._from)

    def unicast(self) -> NDArray[np.float64]:
        """Delays between hosts, in nanoseconds."""
        return np.array([self.delays(router)[self.hosts] for router in self.hosts])

    def journeys(self, members: Membership, tree: AtomTree) -> dict[str, Journey]:
        """Of every group that somebody can send to another."""
        return {
            name: Journey(tree.ways[name], tuple(self.hosts[host] for host in hosts))
            for name, hosts in zip(members.names, members.groups, strict=True)
            if len(hosts) > 1
        }

    def _from(self, router: int) -> Floats:
        row: Floats = self._overlay.distance_matrix([str(router)])[0]
        return row
