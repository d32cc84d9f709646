"""Atoms: one for every two groups that overlap, and numbers that follow from timestamps."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordering.shapes import interests, random_interests
from tidings.errors import InputError
from tidings.ordering.atoms import Atom, atom_numbers, atoms_of
from tidings.ordering.plan import plan_sequencing
from tidings.ordering.stage import ClimbTo, Stage
from tidings.ordering.timestamp import Timestamp


@given(interests(), st.integers(1, 3))
def test_every_two_groups_with_enough_members_have_one_atom(wanted, k):
    """Against sets that are compared two by two."""
    found = atoms_of(wanted, k=k)
    members = {group: {one for one, groups in wanted.items() if group in groups} for group in found.groups}
    pairs = [(one, other) for one, other in combinations(found.groups, 2) if len(members[one] & members[other]) >= k]
    assert list(found.atoms) == [Atom((one, other), frozenset(members[one] & members[other])) for one, other in pairs]
    for group in found.groups:
        assert [found.atoms[place] for place in found.of(group)] == [one for one in found.atoms if group in one.groups]


def test_groups_without_overlap_have_none():
    """Nor have groups without members, when they are named."""
    found = atoms_of({"a": ("g1",), "b": ("g2",)}, groups=["g3", "g2", "g1"])
    assert (found.groups, found.atoms, found.of("g3")) == (("g1", "g2", "g3"), (), ())


def test_what_cannot_be_is_refused():
    """As the overlap graph refuses it."""
    with pytest.raises(InputError, match="k = 0"):
        atoms_of({"a": ("g1",)}, k=0)
    with pytest.raises(InputError, match="no topics"):
        atoms_of({"a": ()})
    with pytest.raises(InputError, match="not among the 1 topics"):
        atoms_of({"a": ("g1",)}, groups=["g2"])


def test_the_papers_example():
    """Fig. 2: three groups of four nodes, three atoms, in each of which two nodes see both groups."""
    wanted = {"A": ("G0", "G1"), "B": ("G0", "G1", "G2"), "C": ("G1", "G2"), "D": ("G0", "G2")}
    found = atoms_of(wanted)
    assert [(atom.groups, sorted(atom.shared)) for atom in found.atoms] == [
        (("G0", "G1"), ["A", "B"]),
        (("G0", "G2"), ["B", "D"]),
        (("G1", "G2"), ["B", "C"]),
    ]
    assert found.of("G1") == (0, 2)


def test_numbers_of_atoms_are_sums():
    """The third message of a, after five of b and none of c."""
    assert atom_numbers(Timestamp.of("a", {"a": 3, "b": 5, "c": 0})) == {"b": 8, "c": 3}
    assert atom_numbers(Timestamp.of("a", {"a": 1})) == {}


@pytest.mark.parametrize("seed", range(5))
def test_an_atom_counts_the_messages_of_both_groups(seed):
    """Against a counter for every two groups: what it says never repeats, and members of both see no gap."""
    wanted = random_interests(seed)
    plan = plan_sequencing(wanted, k=1, stages=3)
    stages = {stage.name: Stage(plan, stage.name) for stage in plan.stages}
    rng, seen = np.random.default_rng(seed), Counter()
    for event in range(80):
        group = list(plan.routes)[rng.integers(len(plan.routes))]
        answer = stages[plan.routes[group].stage].request(group, event)
        while isinstance(answer, ClimbTo):
            answer = stages[answer.stage].climb(answer.request)
        for other, number in atom_numbers(answer.timestamp).items():
            pair = tuple(sorted((group, other)))
            seen[pair] += 1
            assert number == seen[pair]
    assert seen
