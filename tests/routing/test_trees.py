"""Spanning trees of topics: shortest ways, the same in every process, and spread over the roots."""

from collections import Counter

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.routing.trees import ROOTS_MAX, TopicTree, pick_tree, plan_trees, tree_neighbours
from tidings.vocabulary.overlay import Overlay

TOPICS = tuple(f"topic/{number}" for number in range(200))


def full(count):
    """Everybody linked with everybody, delays all different."""
    names = tuple(f"b{number}" for number in range(count))
    links = tuple((one, other) for place, one in enumerate(names) for other in names[place + 1 :])
    return Overlay(names, links, tuple(1.0 + place / 7 for place in range(len(links))))


@st.composite
def overlays(draw, brokers_max=8):
    """Connected overlays: a random tree and some links more."""
    count = draw(st.integers(1, brokers_max))
    names = tuple(f"b{number}" for number in range(count))
    links = {(draw(st.integers(0, child - 1)), child) for child in range(1, count)}
    pairs = [(one, other) for one in range(count) for other in range(one + 1, count)]
    links |= set(draw(st.lists(st.sampled_from(pairs), max_size=8))) if pairs else set()
    chosen = tuple((names[one], names[other]) for one, other in sorted(links))
    delays = tuple(float(draw(st.integers(0, 5))) for _ in chosen)
    return Overlay(names, chosen, delays)


@given(overlays())
def test_each_tree_is_a_shortest_path_tree_of_its_root(overlay):
    """Compared with another library: it spans all brokers, and no way from the root is longer than need be."""
    graph = nx.Graph()
    graph.add_nodes_from(overlay.brokers)
    for link, delay in zip(overlay.links, overlay.delays_ns, strict=True):
        graph.add_edge(*link, weight=delay)
    for tree in plan_trees(overlay, TOPICS[:20]):
        inside = graph.edge_subgraph(tree.links) if tree.links else graph
        assert nx.is_tree(inside)
        assert set(inside) == set(overlay.brokers)
        shortest = nx.single_source_dijkstra_path_length(graph, tree.name)
        assert nx.single_source_dijkstra_path_length(inside, tree.name) == shortest


@given(overlays())
def test_every_topic_has_one_tree_and_no_tree_is_idle(overlay):
    """Trees come in the order of the brokers, their topics in the order given; no two are alike."""
    trees = plan_trees(overlay, TOPICS[:20])
    assert sorted(topic for tree in trees for topic in tree.topics) == sorted(TOPICS[:20])
    assert all(tree.topics == tuple(topic for topic in TOPICS if topic in tree.topics) for tree in trees)
    names = [tree.name for tree in trees]
    assert names == [broker for broker in overlay.brokers if broker in names]
    assert len({frozenset(tree.links) for tree in trees}) == len(trees)


def test_an_overlay_that_is_a_tree_has_one_tree():
    """All its links; none is left to choose. One broker alone is a tree, too."""
    overlay = Overlay(("a", "b", "c"), (("a", "b"), ("b", "c")), (1.0, 1.0))
    assert plan_trees(overlay, ("x", "y")) == (TopicTree("a", overlay.links, ("x", "y")),)
    assert plan_trees(Overlay(("a",), (), ()), ("x",)) == (TopicTree("a", (), ("x",)),)
    assert plan_trees(overlay, ()) == ()


def test_roots_that_have_the_same_tree_count_once():
    """In a triangle with one long side both ends and the middle agree."""
    overlay = Overlay(("a", "b", "c"), (("a", "b"), ("b", "c"), ("a", "c")), (1.0, 1.0, 9.0))
    assert [tree.name for tree in plan_trees(overlay, TOPICS)] == ["a"]


def test_the_number_of_trees_is_bounded():
    """Roots are then taken evenly over the brokers."""
    few = plan_trees(full(ROOTS_MAX), TOPICS * 5)
    assert len(few) <= ROOTS_MAX
    many = plan_trees(full(ROOTS_MAX + 1), TOPICS * 5)
    assert {int(tree.name[1:]) % 2 for tree in many} == {0}


def test_topics_are_spread_over_the_trees():
    """No broker is the root of most of them."""
    counts = Counter(pick_tree(topic, ("a", "b", "c", "d")) for topic in TOPICS)
    assert len(counts) == 4
    assert max(counts.values()) < 2 * len(TOPICS) / 4


@given(st.lists(st.sampled_from(TOPICS), max_size=20, unique=True), st.sampled_from(TOPICS))
def test_a_new_topic_moves_none_of_the_others(topics, new):
    """A topic's tree depends on its name and the roots alone."""
    overlay = full(5)
    before = {topic: tree.name for tree in plan_trees(overlay, topics) for topic in tree.topics}
    after = {topic: tree.name for tree in plan_trees(overlay, [*topics, new]) for topic in tree.topics}
    assert {topic: after[topic] for topic in before} == before


@given(st.sampled_from(TOPICS), st.permutations(["a", "b", "c", "d"]), st.sampled_from("abcd"))
def test_a_root_that_goes_moves_only_its_own_topics(topic, names, gone):
    """Rendezvous: the others' weights stay as they are, in whatever order they are named."""
    before = pick_tree(topic, names)
    after = pick_tree(topic, [name for name in names if name != gone])
    assert before in (after, gone)
    assert before == pick_tree(topic, sorted(names))


def test_the_choice_is_the_same_in_every_process():
    """Frozen, since brokers of different versions must agree."""
    assert [pick_tree(topic, ("a", "b", "c")) for topic in TOPICS[:8]] == list("bacbcaaa")


@pytest.mark.parametrize("links", [(), (("a", "b"),), (("a", "b"), ("c", "a"), ("b", "d"))])
def test_neighbours_follow_the_links(links):
    """Both ends of each, in the order of the links."""
    neighbours = tree_neighbours(links)
    assert sorted((one, other) for one, others in neighbours.items() for other in others) == sorted(
        pair for one, other in links for pair in ((one, other), (other, one))
    )
    if "a" in neighbours:
        assert neighbours["a"] == ("b", "c")[: len(neighbours["a"])]
