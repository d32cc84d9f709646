"""Spanning trees of topics: planned, or listed and checked."""

import pytest

from scenario_texts import PUBLISHER, TOP, world_of
from tidings.errors import ScenarioError
from tidings.scenario.world import Tree

TRIANGLE = """
[[broker]]
id = "a"
[[broker]]
id = "b"
[[broker]]
id = "c"
[[link]]
between = ["a", "b"]
[[link]]
between = ["b", "c"]
[[link]]
between = ["a", "c"]
"""
WORLD = TOP + TRIANGLE + PUBLISHER
TREE = "[[tree]]\nname = 'x'\nlinks = [['a', 'b'], ['c', 'b']]\ntopics = ['t']\n"


def test_trees_are_planned_for_every_topic(tmp_path):
    """Each topic in one, each spanning the overlay."""
    world = world_of(tmp_path, WORLD.replace('"t"', '"t"\ncount = 9\nper = "publisher"'))
    assert sorted(topic for tree in world.trees for topic in tree.topics) == [f"t{number}" for number in range(9)]
    assert {len(tree.links) for tree in world.trees} == {2}


def test_other_schemes_have_no_trees(tmp_path):
    """They find ways of their own; listing trees for them is a mistake."""
    assert world_of(tmp_path, WORLD + "[routing]\nscheme = 'dcrd'").trees == ()
    with pytest.raises(ScenarioError, match='scheme = "tree"'):
        world_of(tmp_path, WORLD + TREE + "[routing]\nscheme = 'dcrd'")


def test_listed_trees_are_taken_as_they_are(tmp_path):
    """Also the direction of links."""
    tree = Tree(name="x", links=(("a", "b"), ("c", "b")), topics=("t",))
    assert world_of(tmp_path, WORLD + TREE).trees == (tree,)


@pytest.mark.parametrize(
    ("tree", "key", "remedy"),
    [
        (TREE.replace("'c', 'b'", "'c', 'd'"), "tree[0].links[1]", "no such link"),
        (TREE.replace(", ['c', 'b']", ""), "tree[0].links", "2 links"),
        (TREE.replace("['c', 'b']", "['c', 'b'], ['a', 'c']"), "tree[0].links", "without a loop"),
        (TREE.replace("['c', 'b']", "['b', 'a']"), "tree[0].links", "without a loop"),
        (TREE.replace("['t']", "['u']"), "tree[0].topics[0]", "unknown topic"),
        (TREE.replace("['t']", "[]"), "tree", "is in no tree"),
        (TREE + TREE.replace("'x'", "'y'"), "tree[1].topics[0]", "already in the tree x"),
    ],
)
def test_trees_that_cannot_be(tmp_path, tree, key, remedy):
    """They must span without loops, and each topic has one."""
    with pytest.raises(ScenarioError) as caught:
        world_of(tmp_path, WORLD + tree)
    assert caught.value.key == key
    assert remedy in caught.value.remedy


def test_of_an_overlay_in_parts_trees_span_the_one_with_clients(tmp_path):
    """Whichever it is."""
    text = WORLD + "[[broker]]\nid = 'lonely'\n[[broker]]\nid = 'alone'\n[[link]]\nbetween = ['alone', 'lonely']\n"
    assert {len(tree.links) for tree in world_of(tmp_path, text).trees} == {2}
    moved = world_of(tmp_path, text.replace('broker = "a"', 'broker = "alone"'))
    assert [tree.links for tree in moved.trees] == [(("alone", "lonely"),)]


def test_without_clients_there_is_nothing_to_span(tmp_path):
    """An overlay in parts alone is no mistake."""
    assert world_of(tmp_path, TOP + "[[broker]]\nid = 'a'\n[[broker]]\nid = 'b'\n").trees == ()
