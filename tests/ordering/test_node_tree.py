"""The tree of sequencing nodes: one way for each group, no loop, and orders that never contradict each other."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordering.group_shapes import PlainNode, ranked_interests
from ordering.shapes import interests, random_interests
from tidings.ordering import node_tree as module
from tidings.ordering.atoms import atoms_of
from tidings.ordering.colocation import by_branch, by_home, by_overlap, in_one
from tidings.ordering.node_tree import AtomTree, atom_tree
from tidings.studies.random_channels import RandomRun, run_at_random
from tidings.vocabulary.streams import Streams


def dealt(atoms, seed, most=5):
    """Atoms on random nodes: nothing about the way of sharing matters for what holds here."""
    rng, nodes = np.random.default_rng(seed), {}
    for place in range(len(atoms.atoms)):
        nodes.setdefault(int(rng.integers(most)), []).append(place)
    return [tuple(node) for node in nodes.values()]


@given(interests(), st.integers(1, 2), st.integers(0, 999))
def test_one_way_past_all_atoms_of_a_group(wanted, k, seed):
    """The paper's first condition: a way from node to parent, that begins and ends where the group has atoms."""
    atoms = atoms_of(wanted, k=k)
    tree = atom_tree(atoms, dealt(atoms, seed))
    assert list(tree.ways) == list(atoms.groups)
    for group, way in tree.ways.items():
        assert all(tree.parents[one] == other for one, other in pairwise(way))
        own = {node for node, held in enumerate(tree.nodes) if any(group in atom.groups for atom in held)}
        assert own <= set(way)
        assert not own or {way[0], way[-1]} <= own
        assert own or (len(way) == 1 and tree.nodes[way[0]] == ())


@given(interests(), st.integers(1, 2), st.integers(0, 999))
def test_no_loop(wanted, k, seed):
    """The paper's second: joining the ends of all steps that messages take, no two that are joined already."""
    atoms = atoms_of(wanted, k=k)
    tree = atom_tree(atoms, dealt(atoms, seed))
    part = list(range(len(tree.nodes)))

    def root(node):
        while part[node] != node:
            node = part[node]
        return node

    for one, other in {tuple(sorted(pair)) for way in tree.ways.values() for pair in pairwise(way)}:
        assert root(one) != root(other)
        part[root(one)] = root(other)


@given(interests(), st.integers(0, 999))
def test_every_atom_is_at_one_node(wanted, seed):
    """Those that share a node still do; nodes that only take in come last, one for each group without overlaps."""
    atoms = atoms_of(wanted)
    nodes = dealt(atoms, seed)
    tree = atom_tree(atoms, nodes)
    given_ones = Counter(tuple(atoms.atoms[place] for place in node) for node in nodes)
    assert Counter(tree.nodes[: tree.sequencing]) == given_ones
    lone = [group for group in atoms.groups if not atoms.of(group)]
    assert [tree.ways[group] for group in lone] == [(tree.sequencing + place,) for place in range(len(lone))]
    assert len(tree.nodes) == len(nodes) + len(lone)
    assert all(parent is None or parent < node for node, parent in enumerate(tree.parents))


@given(interests(), st.integers(0, 999))
def test_tables_say_what_ways_say(wanted, seed):
    """Following the forwarding tables from where a group enters gives its way, the reverse tables give it back."""
    atoms = atoms_of(wanted)
    tree = atom_tree(atoms, dealt(atoms, seed))
    for group, way in tree.ways.items():
        found = [way[0]]
        while (above := tree.forwarding(found[-1])[group]) is not None:
            found.append(above)
        assert tuple(found) == way
        back = [way[-1]]
        while (below := tree.reverse(back[-1])[group]) is not None:
            back.append(below)
        assert tuple(reversed(back)) == way
    for node in range(len(tree.nodes)):
        assert tree.passing(node) == [group for group, way in tree.ways.items() if node in way]
        assert set(tree.numbered(node)) == {group for atom in tree.nodes[node] for group in atom.groups}


def run(wanted, tree, seed):
    """Messages of all groups at random over the tree."""
    nodes = {str(node): PlainNode(tree, node) for node in range(len(tree.nodes))}
    enters = {group: str(way[0]) for group, way in tree.ways.items()}
    what = RandomRun(interests=wanted, stages=nodes, stage_of=enters, events=25, answers=0.1)
    return run_at_random(what, Streams(seed)("run"))


@given(interests(), st.integers(1, 2), st.integers(0, 999))
@settings(max_examples=60)
def test_nobody_waits_for_ever_and_nobody_disagrees(wanted, k, seed):
    """Whatever atoms share a node; with k = 1 also no cycle and no effect before its cause."""
    atoms = atoms_of(wanted, k=k)
    outcome = run(wanted, atom_tree(atoms, dealt(atoms, seed)), seed)
    assert outcome.stuck == outcome.conflicts() == 0
    assert k == 2 or not (outcome.has_cycle() or outcome.inversions())


@pytest.mark.parametrize("way", ["published", "home", "branch", "one"])
def test_the_ways_of_sharing_keep_order(way):
    """The same for the ways that are offered, in shapes with many overlaps."""
    for seed in range(8):
        wanted = ranked_interests(seed, members=12, groups=8)
        atoms = atoms_of(wanted)
        draw = np.random.default_rng(seed)
        ways = {"home": by_home, "branch": by_branch, "one": in_one}
        nodes = by_overlap(atoms, draw) if way == "published" else ways[way](atoms)
        outcome = run(wanted, atom_tree(atoms, nodes), seed)
        assert outcome.stuck == outcome.conflicts() == 0


def straight(tree):
    """A planted bug, and the second condition broken: messages go straight to the next node with an atom of theirs."""
    own = {group: tuple(node for node in way if group in tree.numbered(node)) for group, way in tree.ways.items()}
    return AtomTree(tree.nodes, tree.parents, {group: own[group] or way for group, way in tree.ways.items()})


def test_nodes_that_are_skipped_make_members_wait_for_ever():
    """In some of 80 runs; in none with every ancestor on the way."""
    stuck = 0
    for seed in range(80):
        wanted = random_interests(seed)
        atoms = atoms_of(wanted)
        tree = atom_tree(atoms, [(place,) for place in range(len(atoms.atoms))])
        assert run(wanted, tree, seed).stuck == 0
        stuck += run(wanted, straight(tree), seed).stuck > 0
    assert stuck > 5


def test_the_papers_example_has_no_loop():
    """Fig. 2: with an atom on each node, one of three groups passes a node that gives it no number."""
    wanted = {"A": ("G0", "G1"), "B": ("G0", "G1", "G2"), "C": ("G1", "G2"), "D": ("G0", "G2")}
    tree = atom_tree(atoms_of(wanted), [(0,), (1,), (2,)])
    assert sorted(len(way) for way in tree.ways.values()) == [2, 2, 3]
    passed = [group for node in range(3) for group in tree.passing(node) if group not in tree.numbered(node)]
    assert len(passed) == 1


def test_ways_are_made_short():
    """Never longer together than a shallow order alone makes them, and mostly shorter."""
    shorter = 0
    for seed in range(5):
        atoms = atoms_of(ranked_interests(seed, members=48, groups=16))
        nodes = by_overlap(atoms, np.random.default_rng(seed))
        needs = [need for need in module._needs(atoms, nodes).values() if need]
        graph = module._joined(needs, len(nodes))
        plain = module.eliminate(graph, module.shallow(graph))
        before = sum(len(module._way(plain, graph, need)) for need in needs)
        after = sum(map(len, atom_tree(atoms, nodes).ways.values()))
        assert after <= before
        shorter += after < before
    assert shorter >= 3


def test_many_nodes_are_taken_as_they_come():
    """Beyond what is searched the first shallow order is used: 45 nodes in a row, six deep and no deeper."""
    wanted = {f"m{member}": tuple(f"g{member + step}" for step in range(2)) for member in range(45)}
    atoms = atoms_of(wanted, k=1)
    tree = atom_tree(atoms, [(place,) for place in range(len(atoms.atoms))])
    assert tree.sequencing == 45 > module.SEARCHED_NODES_MAX
    assert max(map(len, tree.ways.values())) == 6
