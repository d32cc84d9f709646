"""Which atoms share a machine: the published heuristics, and two by the elimination tree of the groups.

Each gives the atoms of every node, as positions; a node is one sequential process.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from tidings.ordering.atoms import Atom, Atoms
from tidings.ordering.elimination import EliminationTree, StageGraph, eliminate
from tidings.ordering.node_tree import atom_tree
from tidings.ordering.precedence import shallow

Nodes: TypeAlias = tuple[tuple[int, ...], ...]


def by_overlap(atoms: Atoms, draw: np.random.Generator) -> Nodes:
    """As published: what lies within a larger overlap joins it; then what holds a member drawn from it.

    All groups with atoms on a node share that member, as far as the first step leaves it so. Largest overlaps first;
    an atom is moved once in each step.
    """
    nodes: list[tuple[int, ...]] = []
    left = _subsets(atoms.atoms)
    while left:
        node = left.pop(0)
        overlap = sorted(frozenset[str]().union(*(atoms.atoms[place].shared for place in node)))
        chosen = overlap[int(draw.integers(len(overlap)))]
        joining = [other for other in left if any(chosen in atoms.atoms[place].shared for place in other)]
        left = [other for other in left if other not in joining]
        nodes.append(tuple(sorted(place for part in (node, *joining) for place in part)))
    return tuple(nodes)


def by_home(atoms: Atoms) -> Nodes:
    """What two groups share lives with the one that stands higher in a shallow elimination tree of the groups.

    Of two overlapping groups one is above the other, so that a message needs few nodes: those of its ancestors.
    """
    rank = group_tree(atoms).rank
    homes: dict[str, list[int]] = {}
    for place, atom in enumerate(atoms.atoms):
        homes.setdefault(min(atom.groups, key=rank.__getitem__), []).append(place)
    return tuple(tuple(homes[home]) for home in sorted(homes, key=rank.__getitem__))


def group_tree(atoms: Atoms) -> EliminationTree:
    """A shallow elimination tree of the groups themselves."""
    masks = tuple(sum(1 << other for other in others) for others in atoms.overlap.neighbours)
    graph = StageGraph(atoms.groups, masks)
    return eliminate(graph, shallow(graph))


def by_branch(atoms: Atoms) -> Nodes:
    """By home, and then a node joins its parent as long as none has to see more groups than the busiest had to anyway.

    What would pass both is numbered at once, so that ways are short; most such groups first.
    """
    tree = atom_tree(atoms, by_home(atoms))
    nodes = {node: list(tree.nodes[node]) for node in range(tree.sequencing)}
    passing = {node: set(tree.passing(node)) for node in nodes}
    above = {node: parent for node, parent in enumerate(tree.parents) if parent is not None}
    most = max(map(len, passing.values()), default=0)
    while joining := [node for node in above if len(passing[node] | passing[above[node]]) <= most]:
        node = max(joining, key=lambda node: (len(passing[node] & passing[above[node]]), node))
        parent = above.pop(node)
        nodes[parent] += nodes.pop(node)
        passing[parent] |= passing.pop(node)
        above = {child: parent if it == node else it for child, it in above.items()}
    place = {atom.groups: position for position, atom in enumerate(atoms.atoms)}
    return tuple(tuple(sorted(place[atom.groups] for atom in node)) for node in nodes.values())


def in_one(atoms: Atoms) -> Nodes:
    """One sequencer for everything: the shortest ways, and all the work at one place."""
    return (tuple(range(len(atoms.atoms))),) if atoms.atoms else ()


def _subsets(atoms: Sequence[Atom]) -> list[tuple[int, ...]]:
    """Every overlap with those that lie within it and within no larger one."""
    left = sorted(range(len(atoms)), key=lambda place: (-len(atoms[place].shared), place))
    found = []
    while left:
        within = [place for place in left if atoms[place].shared <= atoms[left[0]].shared]
        left = [place for place in left if place not in within]
        found.append(tuple(within))
    return found
