"""Elimination trees against elimination by hand on sets, and the law that makes them useful."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordering.shapes import SMALLEST, from_edges, graphs
from tidings.errors import InputError
from tidings.ordering.elimination import EliminationTree, StageGraph, eliminate, members, stage_graph
from tidings.ordering.overlap import overlap_graph


def named(masks):
    """A graph of stages called g0, g1, …"""
    return StageGraph(tuple(f"g{place}" for place in range(len(masks))), tuple(masks))


def by_hand(graph, order):
    """The dumb twin: join the remaining neighbours of each to one another; parent by stage, and the pairs added."""
    rank = {stage: place for place, stage in enumerate(order)}
    joined = {
        stage: {graph.stages[place] for place in members(mask)}
        for stage, mask in zip(graph.stages, graph.neighbours, strict=True)
    }
    parents, added = {}, 0
    for stage in reversed(order):
        higher = sorted((other for other in joined[stage] if rank[other] < rank[stage]), key=rank.__getitem__)
        parents[stage] = higher[-1] if higher else None
        for one in higher:
            for other in higher:
                if one != other and other not in joined[one]:
                    joined[one].add(other)
                    joined[other].add(one)
                    added += 1
    return parents, added


@st.composite
def ordered_graphs(draw):
    """A graph and an order of its stages."""
    graph = named(draw(graphs(8)))
    return graph, tuple(draw(st.permutations(graph.stages)))


@given(ordered_graphs())
def test_trees_are_what_elimination_by_hand_gives(drawn):
    """Parents and the number of pairs filled in."""
    graph, order = drawn
    tree = eliminate(graph, order)
    parents, added = by_hand(graph, order)
    assert {stage: tree.parent(stage) for stage in order} == parents
    assert tree.fill == added


@given(ordered_graphs())
def test_every_overlap_joins_a_stage_to_one_of_its_ancestors(drawn):
    """Hence two requests that must be ordered meet on their ways up."""
    graph, order = drawn
    tree = eliminate(graph, order)
    for place, mask in enumerate(graph.neighbours):
        for other in members(mask):
            one, two = graph.stages[place], graph.stages[other]
            assert one in tree.ancestors(two) or two in tree.ancestors(one)


@given(ordered_graphs())
def test_parents_stand_higher_in_the_order(drawn):
    """So the ways up end, depths count them, and no root has a neighbour above."""
    graph, order = drawn
    tree = eliminate(graph, order)
    assert tree.stages == order
    for rank, stage in enumerate(order):
        way = [stage, *tree.ancestors(stage)]
        assert all(tree.rank[low] > tree.rank[high] for low, high in pairwise(way))
        assert tree.depths[rank] == len(way)
    assert tree.depth == max(tree.depths)


@given(ordered_graphs())
def test_what_falls_apart_has_trees_of_its_own(drawn):
    """Two stages have the same root exactly when overlaps connect them."""
    graph, order = drawn
    tree = eliminate(graph, order)
    roots = {stage: [stage, *tree.ancestors(stage)][-1] for stage in order}
    connected = {stage: {stage} for stage in graph.stages}
    for _ in graph.stages:
        for place, mask in enumerate(graph.neighbours):
            for other in members(mask):
                connected[graph.stages[place]] |= connected[graph.stages[other]]
    for one in order:
        for other in order:
            assert (roots[one] == roots[other]) == (other in connected[one])


def test_the_smallest_shape_becomes_a_chain():
    """t3 climbs through t2, which is no member of its group: exactly what the published routing leaves out."""
    graph = overlap_graph(SMALLEST)
    stages = stage_graph(graph, range(4), range(4), graph.topics)
    tree = eliminate(stages, graph.topics)
    assert list(tree.ancestors("t4")) == ["t3", "t2", "t1"]
    assert tree.fill == 2
    assert tree.depth == 4


def test_a_star_is_as_deep_as_its_order():
    """With the middle on top two stages; with the middle at the bottom all are filled in to a chain."""
    star = named(from_edges(5, [(0, place) for place in range(1, 5)]))
    assert eliminate(star, ("g0", "g1", "g2", "g3", "g4")).depth == 2
    bottom = eliminate(star, ("g1", "g2", "g3", "g4", "g0"))
    assert (bottom.depth, bottom.fill) == (5, 6)


def test_nothing_is_no_tree():
    """No stages: depth 0."""
    assert eliminate(StageGraph((), ()), ()) == EliminationTree((), (), 0)
    assert eliminate(StageGraph((), ()), ()).depth == 0


@pytest.mark.parametrize(
    ("order", "says"),
    [
        (("g0",), "leaves out stage g1"),
        (("g0", "g1", "g0"), "names stage g0 twice"),
        (("g0", "g1", "x"), "names x, which is no stage"),
    ],
)
def test_an_order_names_every_stage_once(order, says):
    """Otherwise it says which one."""
    with pytest.raises(InputError, match=says):
        eliminate(named([2, 1]), order)


def test_stages_are_joined_when_their_topics_are():
    """Overlaps inside a stage join nothing; stages without a topic in the component are left out."""
    graph = overlap_graph({"a": ("t1", "t2", "t3"), "b": ("t4", "t5")}, k=1)
    stage_of, names = (0, 0, 2, 2, 1), ("p", "q", "r")
    first, second = graph.components()
    assert stage_graph(graph, first, stage_of, names) == StageGraph(("p", "r"), (0b10, 0b01))
    assert stage_graph(graph, second, stage_of, names) == StageGraph(("q", "r"), (0b10, 0b01))
    assert stage_graph(graph, range(5), stage_of, names) == StageGraph(("p", "q", "r"), (0b100, 0b100, 0b011))


@given(st.sets(st.integers(0, 200)))
def test_members_are_the_bits_of_a_set(places):
    """Ascending."""
    assert list(members(sum(1 << place for place in places))) == sorted(places)
