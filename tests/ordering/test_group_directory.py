"""The directory: what orders follow from joins, leaves and ends, and that the tree stays one that keeps order."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordering.shapes import interests, random_interests
from tidings.errors import InputError
from tidings.ordering.group_directory import GroupDirectory
from tidings.ordering.group_messages import (
    AddAtom,
    Admit,
    End,
    GoOn,
    RetireAtom,
    Shut,
    StandBelow,
    StepOut,
    StopHere,
    TakeIn,
)


def orders(directory, kind):
    """Of this kind, since the last call, with their nodes."""
    return [(node, order) for node, order in directory.drain() if isinstance(order, kind)]


def new(wanted, k=2):
    """A directory whose first orders are given."""
    directory = GroupDirectory(wanted, k=k)
    directory.drain()
    return directory


def check(directory, k):
    """What must hold at any time: every two groups that enough members have meet on their ways up, and heirs with what
    they were.
    """
    parents, groups = directory.nodes, directory._groups
    assert set(parents.values()) <= {None, *parents}
    for group, found in groups.items():
        way = directory.way(group)
        assert way[0] == found.entrance
        assert all(parents[one] == other for one, other in pairwise(way))
        assert set(found.homes.values()) <= set(way)
        assert way[-1] in {found.entrance, *found.homes.values()}
        assert not found.ended or directory._current.get(found.name) != group
    for one, other in combinations(groups, 2):
        kin = groups[one].name == groups[other].name
        shared = len(groups[one].members.keys() & groups[other].members.keys())
        today = not groups[one].ended and not groups[other].ended
        if groups[one].version == groups[other].version and (
            kin or shared >= k or (today and directory._ordered(one, other))
        ):
            home = groups[one].homes[other]
            assert groups[other].homes[one] == home
            assert home in directory.way(one)
            assert home in directory.way(other)
    assert directory._k == k


@given(interests(), st.integers(1, 2))
def test_it_starts_with_a_planned_tree(wanted, k):
    """Every group enters somewhere and is told to climb as far as its way goes; every overlap has an atom on both ways."""
    directory = GroupDirectory(wanted, k=k)
    given_orders = directory.drain()
    check(directory, k)
    for member, names in wanted.items():
        for name in names:
            assert member in directory.members(directory.group(name))
    for group in directory._groups:
        way = directory.way(group)
        assert (way[0], TakeIn(group, 0)) in given_orders
        assert [node for node, order in given_orders if order == GoOn(group, 0)] == way[:-1]
    below = {node: order.parent for node, order in given_orders if isinstance(order, StandBelow)}
    assert below == {node: parent for node, parent in directory.nodes.items() if parent is not None}
    atoms = {frozenset(order.groups) for _, order in given_orders if isinstance(order, AddAtom)}
    assert atoms == {frozenset((one, other)) for one, found in directory._groups.items() for other in found.homes}


def test_the_first_to_join_begins_a_group():
    """On a node of its own; without overlaps nobody else is told."""
    directory = new({"a": ("g",)})
    assert directory.join("b", "h") == ("h.1", None)
    assert directory.members("h.1") == ["b"]
    assert directory.drain() == [(directory.entrance("h.1"), TakeIn("h.1", 2))]
    assert directory.way("h.1") == [directory.entrance("h.1")]


def test_a_join_without_a_new_overlap_is_a_message_of_the_group():
    """With a ticket, a new one each time."""
    directory = new({"a": ("g", "h"), "b": ("g", "h")})
    group, ticket = directory.join("c", "g")
    assert (group, ticket) == ("g.1", 1)
    assert directory.drain() == [(directory.entrance("g.1"), Admit("g.1", "c", 1))]
    assert directory.join("c", "h") == ("h.1", 2)
    assert directory.members("g.1") == ["a", "b", "c"]


def test_a_join_with_a_new_overlap_makes_an_heir():
    """Above all that it must be put in order with, the old group among it; the old one ends, and both have all members."""
    directory = new({"a": ("g",), "b": ("g", "h"), "c": ("h",)})
    old, other = directory.entrance("g.1"), directory.entrance("h.1")
    assert directory.join("c", "g") == ("g.2", None)
    node = directory.entrance("g.2")
    assert directory.drain() == [
        (node, TakeIn("g.2", 3, ("g.1", "h.1"))),
        (old, StandBelow(node)),
        (other, StandBelow(node)),
        (old, GoOn("g.1", 3)),
        (other, GoOn("h.1", 3)),
        (old, End("g.1")),
    ]
    assert directory.group("g") == "g.2"
    assert directory.members("g.1") == ["a", "b"]
    assert directory.members("g.2") == ["a", "b", "c"]
    assert directory.way("h.1") == [other, node]
    check(directory, 2)


def test_with_one_shared_member_enough_every_overlap_counts():
    """The same join under k = 1: the overlap was there."""
    directory = new({"a": ("g",), "b": ("g", "h"), "c": ("h",)}, k=1)
    assert directory.join("c", "g") == ("g.1", 1)


def test_who_has_the_end_before_eyes_still_counts():
    """A member that lags behind in what a group was is in the group; what overlaps with its heir overlaps with it."""
    directory = new({"a": ("g",), "b": ("g", "h"), "c": ("h",)})
    directory.join("c", "g")
    directory.depart("a", "g.1")
    assert directory.join("a", "h") == ("h.2", None)
    assert set(directory._groups["h.2"].homes) == {"h.1", "g.1", "g.2"}
    check(directory, 2)


def test_a_group_begun_again_is_put_in_order_with_what_it_was():
    """As long as somebody has not seen the end."""
    directory = new({"a": ("g",), "b": ("g",)})
    directory.end("g")
    assert orders(directory, End) == [("n1", End("g.1"))]
    assert directory.join("c", "g") == ("g.2", None)
    assert set(directory._groups["g.2"].homes) == {"g.1"}
    for member in "ab":
        directory.depart(member, "g.1")
    assert not directory._groups["g.2"].homes
    assert directory.entrance("g.1") is None


def test_atoms_retire_when_too_few_have_both():
    """The way of both becomes shorter; what numbered nothing else steps out, and says when it is gone."""
    directory = new({"a": ("g", "h"), "b": ("g", "h"), "c": ("g",), "d": ("h",)})
    top = directory.way("g.1")[-1]
    assert directory.way("h.1") == [top]
    assert directory.leave("a", "g") == ["g.1"]
    found = directory.drain()
    assert [order for _, order in found if isinstance(order, RetireAtom)] == [RetireAtom(("g.1", "h.1"))]
    assert not [order for _, order in found if isinstance(order, StepOut)]
    check(directory, 2)


def changed_for_ever(k, seed, steps=40):
    """Members that join and leave at random, ends seen late, nodes gone late."""
    wanted, draw = random_interests(seed), np.random.default_rng(seed)
    directory, lagging, leaving = new(wanted, k), [], []
    names = [f"t{number}" for number in range(1, 7)]
    for _ in range(steps):
        name, member = names[draw.integers(6)], f"s{draw.integers(8)}"
        members = directory.members(directory.group(name)) if name in directory._current else []
        if member in members:
            directory.leave(member, name)
        elif members and draw.random() < 0.2:
            directory.end(name)
        elif draw.random() < 0.1:
            directory.plan_anew()
        else:
            directory.join(member, name)
        for node, order in directory.drain():
            if isinstance(order, End):
                lagging += [(one, order.group) for one in directory.members(order.group)]
            elif isinstance(order, StepOut):
                leaving.append(node)
        if leaving and draw.random() < 0.5:
            directory.gone(leaving.pop())
        while lagging and draw.random() < 0.5:
            one, group = lagging.pop(int(draw.integers(len(lagging))))
            if directory.entrance(group) is not None and one in directory.members(group):
                directory.depart(one, group)
        yield directory


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("seed", range(12))
def test_the_tree_stays_right_whatever_happens(k, seed):
    """After every one of 40 changes all that must be put in order meets on its ways."""
    for directory in changed_for_ever(k, seed):
        check(directory, k)


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_left_when_everybody_has_left(seed):
    """No group, no atom, and no node but one that is about to go."""
    for found in changed_for_ever(1, seed, steps=25):
        directory = found
    for group in list(directory._groups):
        for member in directory.members(group):
            directory.depart(member, group)
    gone = 0
    while directory._leaving is not None:
        directory.gone(directory._leaving)
        gone += 1
    assert not directory._groups
    assert not directory._current
    assert not directory.nodes
    assert gone


def test_one_node_steps_out_at_a_time():
    """The next when the one before is gone; children get its parent, and are told that it is drained."""
    wanted = {f"{name}{one}": (f"t{number}", f"t{number + 1}") for number, name in enumerate("abc") for one in range(2)}
    directory = new(wanted)
    assert len(directory.nodes) == 2
    for member, names in wanted.items():
        for name in names:
            directory.leave(member, name)
    found = directory.drain()
    assert len([order for _, order in found if isinstance(order, StepOut)]) == 1
    assert [order.group for _, order in found if isinstance(order, Shut)] == ["t0.1", "t1.1", "t2.1", "t3.1"]
    assert [order for _, order in found if isinstance(order, StopHere)]
    (node, children), redirected = next(
        ((node, order.children), found) for node, order in found if isinstance(order, StepOut)
    )
    assert [at for at, order in redirected if isinstance(order, StandBelow) and order.drained] == list(children)
    directory.gone(node)
    assert len(orders(directory, StepOut)) == 1


def test_everything_may_be_planned_anew():
    """Every group gets an heir with the same members, in a tree that has nothing to do with the old one."""
    wanted = random_interests(4)
    directory = new(wanted)
    old = {name: directory.group(name) for name in directory._current}
    members = {name: directory.members(group) for name, group in old.items()}
    before = set(directory.nodes)
    heirs = directory.plan_anew()
    assert sorted(heirs) == sorted(old)
    for name, heir in heirs.items():
        assert directory.group(name) == heir != old[name]
        assert directory.members(heir) == members[name]
        assert (directory.version(old[name]), directory.version(heir)) == (0, 1)
        assert set(directory.way(heir)).isdisjoint(before)
        assert set(directory.way(old[name])) <= before
    found = directory.drain()
    assert [order.group for _, order in found if isinstance(order, End)] == [old[name] for name in heirs]
    check(directory, 2)


def test_a_new_plan_makes_ways_short_again():
    """After many changes that each put a group on top of all others."""
    for found in changed_for_ever(2, 3, steps=120):
        directory = found
    long = sum(len(directory.way(directory.group(name))) for name in directory._current)
    directory.plan_anew()
    assert sum(len(directory.way(directory.group(name))) for name in directory._current) < long


def test_nobody_may_plan_anew():
    """Without groups nothing follows."""
    directory = GroupDirectory({})
    assert directory.plan_anew() == {}
    assert directory.drain() == []


def test_what_cannot_be_is_refused():
    """With what would be right, and nothing changes."""
    directory = new({"a": ("g",)})
    with pytest.raises(InputError, match="a is in group g already"):
        directory.join("a", "g")
    with pytest.raises(InputError, match="no group h; it begins when somebody joins it"):
        directory.end("h")
    with pytest.raises(InputError, match="no group h"):
        directory.group("h")
    with pytest.raises(InputError, match="b is not in group g"):
        directory.leave("b", "g")
    for member, group in (("b", "g.1"), ("a", "h.1")):
        with pytest.raises(InputError, match=f"{member} is not in group {group}"):
            directory.depart(member, group)
    with pytest.raises(InputError, match="k = 0"):
        GroupDirectory({"a": ("g",)}, k=0)
    with pytest.raises(AssertionError, match="n1 was not to go"):
        directory.gone("n1")
    assert directory.drain() == []


def test_nobody_is_there_at_first():
    """Groups begin as they are joined."""
    directory = GroupDirectory({})
    assert (dict(directory.nodes), directory.drain()) == ({}, [])
    assert directory.join("a", "g") == ("g.1", None)
