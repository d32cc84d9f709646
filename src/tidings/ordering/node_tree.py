"""The tree of sequencing nodes: one way for the messages of each group past all its atoms, and no loop.

The paper on groups asks for both and says of neither how. Join two nodes when a group has atoms at both: the atoms of a
group then stand at nodes that are all joined to each other, and in an elimination tree such nodes stand one above the
other. The group's messages enter at the lowest of them and climb through every ancestor up to the highest. A node that
they merely pass numbers nothing, but keeps them in line, so that all orders extend to the one at the root.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tidings.ordering.atoms import Atom, Atoms
from tidings.ordering.elimination import EliminationTree, StageGraph, eliminate, members
from tidings.ordering.precedence import improved, shallow

SEARCHED_NODES_MAX: Final = 40
"""With more nodes than this the first shallow order is taken as it is."""


@dataclass(frozen=True, slots=True)
class AtomTree:
    """Nodes by number, from the highest rank to the lowest; ingress-only ones at the end."""

    nodes: tuple[tuple[Atom, ...], ...]
    """The atoms of each node; none at one that only takes in the messages of a group without overlaps."""
    parents: tuple[int | None, ...]
    """The next node up. None: a root."""
    ways: Mapping[str, tuple[int, ...]]
    """The nodes that each group's messages pass, in that order; groups in the order of identifiers."""

    def forwarding(self, node: int) -> dict[str, int | None]:
        """The next node of each group that passes; None: its messages leave for the members."""
        return {group: self._step(group, node, 1) for group in self.passing(node)}

    def reverse(self, node: int) -> dict[str, int | None]:
        """The node before, of each group that passes; None: its messages enter here."""
        return {group: self._step(group, node, -1) for group in self.passing(node)}

    def passing(self, node: int) -> list[str]:
        """The groups whose messages the node sees."""
        return [group for group, way in self.ways.items() if node in way]

    def numbered(self, node: int) -> list[str]:
        """The groups to whose messages the node gives numbers of atoms."""
        return [group for group in self.ways if any(group in atom.groups for atom in self.nodes[node])]

    @property
    def sequencing(self) -> int:
        """How many nodes have atoms; they come first."""
        return sum(map(bool, self.nodes))

    def _step(self, group: str, node: int, by: int) -> int | None:
        way = self.ways[group]
        place = way.index(node) + by
        return way[place] if 0 <= place < len(way) else None


def atom_tree(atoms: Atoms, nodes: Sequence[Sequence[int]]) -> AtomTree:
    """The tree for atoms that share nodes in this way (every atom in one of them), with short ways as far as found."""
    needs = _needs(atoms, nodes)
    graph = _joined(needs.values(), len(nodes))
    tree = eliminate(graph, _order(graph, [need for need in needs.values() if need]))
    lone = [group for group, need in needs.items() if not need]
    ways = {group: _way(tree, graph, needs[group]) for group in needs if needs[group]}
    ways |= {group: (len(nodes) + place,) for place, group in enumerate(lone)}
    place_of = {name: place for place, name in enumerate(graph.stages)}
    return AtomTree(
        nodes=(
            *(tuple(atoms.atoms[atom] for atom in nodes[place_of[name]]) for name in tree.stages),
            *(() for _ in lone),
        ),
        parents=(*tree.parents, *(None for _ in lone)),
        ways={group: ways[group] for group in needs},
    )


def _needs(atoms: Atoms, nodes: Sequence[Sequence[int]]) -> dict[str, int]:
    """The nodes with atoms of each group, as bits."""
    needs = dict.fromkeys(atoms.groups, 0)
    for place, node in enumerate(nodes):
        for atom in node:
            for group in atoms.atoms[atom].groups:
                needs[group] |= 1 << place
    return needs


def _joined(needs: Collection[int], count: int) -> StageGraph:
    masks = [0] * count
    for need in needs:
        for node in members(need):
            masks[node] |= need & ~(1 << node)
    return StageGraph(tuple(f"n{node}" for node in range(count)), tuple(masks))


def _order(graph: StageGraph, needs: Sequence[int]) -> tuple[str, ...]:
    """An order in which the ways of all groups together are short: as few messages as possible for every node."""
    order = shallow(graph)
    if not needs or len(order) > SEARCHED_NODES_MAX:
        return order
    wanted = np.array([[bool(need >> node & 1) for node in range(len(order))] for need in needs])
    place = {name: node for node, name in enumerate(graph.stages)}

    def visits(tried: tuple[str, ...]) -> tuple[float, ...]:
        depths = np.array(eliminate(graph, tried).depths)
        by_rank = wanted[:, [place[name] for name in tried]]
        lowest = by_rank.shape[1] - 1 - by_rank[:, ::-1].argmax(axis=1)
        return (float((depths[lowest] - depths[by_rank.argmax(axis=1)] + 1).sum()),)

    return improved(order, visits)


def _way(tree: EliminationTree, graph: StageGraph, need: int) -> tuple[int, ...]:
    """From the lowest node that is needed up to the highest, by rank."""
    ranks = sorted(tree.rank[graph.stages[node]] for node in members(need))
    way = [ranks[-1]]
    while way[-1] != ranks[0]:
        above = tree.parents[way[-1]]
        assert above is not None, "nodes that a group needs stand one above the other"
        way.append(above)
    return tuple(way)
