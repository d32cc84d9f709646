"""Trees as seen from where events start."""

from simulation.worlds import chain, make_world
from tidings.analysis.trees import Trees, links_by_ends


def test_views():
    """A line seen from its middle: nearest first, ways to both ends; each view is made once."""
    trees = Trees(make_world("abcd"))
    view = trees.of("t", "b")
    assert view.root == "b"
    assert view.order[0] == "b"
    assert sorted(view.order) == list("abcd")
    assert view.path("d") == ("b", "c", "d")
    assert view.path("b") == ("b",)
    assert sorted(view.edges()) == [("b", "a"), ("b", "c"), ("c", "d")]
    assert trees.of("t", "b") is view


def test_links_have_two_directions():
    """Both lead to the same link."""
    world = make_world("abc", links=chain("abc"))
    found = links_by_ends(world)
    assert found["a", "b"] is found["b", "a"] is world.links[0]
    assert len(found) == 4


def test_reaches():
    """The root and all behind it, nobody else."""
    tree = Trees(make_world("abc")).of("t", "b")
    assert all(tree.reaches(name) for name in "abc")
    assert not tree.reaches("z")
