"""Which atoms share a node: every atom has one, and each way of sharing keeps what it says."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordering.group_shapes import ranked_interests
from ordering.shapes import interests
from tidings.ordering.atoms import atoms_of
from tidings.ordering.colocation import by_branch, by_home, by_overlap, group_tree, in_one
from tidings.ordering.node_tree import atom_tree


def shared_by(way, atoms, seed=1):
    """The nodes of one way."""
    return way(atoms, np.random.default_rng(seed)) if way is by_overlap else way(atoms)


@pytest.mark.parametrize("way", [by_overlap, by_home, by_branch, in_one])
@given(interests(), st.integers(1, 2), st.integers(0, 99))
def test_every_atom_has_one_node(way, wanted, k, seed):
    """None is left out, none is there twice, no node is empty."""
    atoms = atoms_of(wanted, k=k)
    nodes = shared_by(way, atoms, seed)
    assert sorted(place for node in nodes for place in node) == list(range(len(atoms.atoms)))
    assert all(nodes)


@pytest.mark.parametrize("way", [by_overlap, by_home, by_branch, in_one])
def test_nothing_to_share(way):
    """Without overlaps there are no nodes."""
    assert shared_by(way, atoms_of({"a": ("g1",), "b": ("g2",)})) == ()


@given(interests(), st.integers(0, 99))
def test_overlaps_within_others_share_their_node(wanted, seed):
    """The first published step: whatever lies within an overlap is with that or with a larger one around it."""
    atoms = atoms_of(wanted, k=1)
    node_of = {place: number for number, node in enumerate(shared_by(by_overlap, atoms, seed)) for place in node}
    for place, atom in enumerate(atoms.atoms):
        around = [other for other, one in enumerate(atoms.atoms) if atom.shared < one.shared]
        if around:
            assert node_of[place] in {node_of[other] for other in around}


@pytest.mark.parametrize("seed", range(10))
def test_the_second_step_leaves_no_node_that_it_could_have_taken(seed):
    """With overlaps of equal size and none within another: every node shares the drawn member, which no later one has."""
    draw = np.random.default_rng(seed)
    pairs = [sorted(draw.choice(9, 4, replace=False).tolist()) for _ in range(8)]
    wanted = {
        f"m{member}": tuple(f"g{group}" for group, who in enumerate(pairs) if member in who) for member in range(9)
    }
    atoms = atoms_of({member: groups for member, groups in wanted.items() if groups})
    equal = [place for place, atom in enumerate(atoms.atoms) if len(atom.shared) == 2]
    if len(equal) < len(atoms.atoms):
        atoms = replace(atoms, atoms=tuple(atoms.atoms[place] for place in equal))
    nodes = shared_by(by_overlap, atoms, seed)
    common = [frozenset.intersection(*(atoms.atoms[place].shared for place in node)) for node in nodes]
    assert all(common)
    later = [frozenset().union(*(atoms.atoms[place].shared for place in node)) for node in nodes]
    for number, members in enumerate(common):
        assert any(all(member not in other for other in later[number + 1 :]) for member in members)


def test_the_draw_decides():
    """Two overlaps that share one of two members: one node or two."""
    atoms = atoms_of({"a": ("g1", "g2"), "b": ("g1", "g2", "g3"), "c": ("g2", "g3")})
    sizes = {len(shared_by(by_overlap, atoms, seed)) for seed in range(20)}
    assert sizes == {1, 2}


@pytest.mark.parametrize("seed", range(5))
def test_an_atom_lives_with_the_higher_of_its_groups(seed):
    """By home: all atoms of a node have one group in common, which stands above the others in the groups' tree."""
    atoms = atoms_of(ranked_interests(seed))
    tree = group_tree(atoms)
    homes = []
    for node in by_home(atoms):
        common = set.intersection(*(set(atoms.atoms[place].groups) for place in node))
        home = min(common, key=tree.rank.__getitem__)
        for place in node:
            other = next(group for group in atoms.atoms[place].groups if group != home)
            assert home in tree.ancestors(other)
        homes.append(home)
    assert len(set(homes)) == len(homes)
    assert homes == sorted(homes, key=tree.rank.__getitem__)


def test_by_home_needs_fewer_nodes_than_published():
    """Where many groups overlap: at most one for each group that is not the lowest of all."""
    ours = [len(by_home(atoms_of(ranked_interests(seed, members=64, groups=32)))) for seed in range(5)]
    theirs = [len(shared_by(by_overlap, atoms_of(ranked_interests(seed, members=64, groups=32)))) for seed in range(5)]
    assert all(ours < 32 for ours in ours)
    assert sum(ours) < sum(theirs)


def loads(atoms, nodes):
    """How many groups each node of the tree sees."""
    tree = atom_tree(atoms, nodes)
    return [len(tree.passing(node)) for node in range(tree.sequencing)]


@pytest.mark.parametrize("seed", range(6))
def test_branches_see_no_more_than_the_busiest_home(seed):
    """Fewer nodes and shorter ways, and nobody who has more to do than somebody had to by home."""
    atoms = atoms_of(ranked_interests(seed, members=48, groups=16))
    homes, branches = by_home(atoms), by_branch(atoms)
    assert len(branches) < len(homes)
    assert sum(loads(atoms, branches)) < sum(loads(atoms, homes))
    assert max(loads(atoms, branches)) <= max(loads(atoms, homes))
    home_of = {place: home for home, node in enumerate(homes) for place in node}
    assert len(atoms.atoms) == sum(map(len, branches))
    assert all(set(homes[home_of[place]]) <= set(node) for node in branches for place in node)


def test_branches_that_share_no_load_stay_apart():
    """Two chains of groups that have nothing to do with each other; either ends in one node, none is above the other."""
    wanted = {f"{side}{member}": (f"{side}1", f"{side}2", f"{side}3") for side in "ab" for member in range(2)}
    atoms = atoms_of(wanted)
    assert [len(node) for node in by_branch(atoms)] == [3, 3]


def test_one_node_holds_all():
    """In the order of the atoms."""
    atoms = atoms_of(dict.fromkeys("ab", ("g1", "g2", "g3")))
    assert in_one(atoms) == ((0, 1, 2),)
    assert len(list(combinations(atoms.groups, 2))) == 3
