"""One more link, and trees that use it."""

from scenario_texts import CONTRACT
from simulation.worlds import changed, make_world
from tidings.scenario import expand, load_scenario
from tidings.scenario.replanning import with_link
from tidings.scenario.world import Link, LinkLaw
from tidings.vocabulary.distribution import Constant


def test_a_short_cut():
    """A line that becomes a ring has trees that use the new link where it is shorter."""
    law = LinkLaw(delay=Constant(1e6))
    line = make_world("abcd")
    links = tuple(changed(link, law=law) for link in line.links)
    ring = with_link(changed(line, links=links), Link(between=("a", "d"), law=LinkLaw(delay=Constant(1e3))))
    assert ring.links[-1].between == ("a", "d")
    assert len(ring.trees[0].links) == 3
    assert ("a", "d") in ring.trees[0].links
    assert ring.trees[0].topics == line.trees[0].topics


def test_the_same_trees_as_when_expanded():
    """Taking the last link away and adding it again gives the plan of the scenario."""
    world = expand(load_scenario(CONTRACT / "load.toml"))
    *links, last = world.links
    again = with_link(changed(world, links=tuple(links)), last)
    assert {frozenset(ends) for ends in again.trees[0].links} == {frozenset(ends) for ends in world.trees[0].links}


def test_no_trees():
    """A scheme that finds ways of its own gets the link alone."""
    bare = changed(make_world("abc"), trees=())
    assert with_link(bare, Link(between=("a", "c"))).trees == ()


def test_a_part_that_nobody_is_at():
    """Brokers outside the trees stay outside, unless the link leads there."""
    world = changed(make_world("abcd"), links=make_world("abc").links, trees=make_world("abc").trees)
    joined = with_link(world, Link(between=("c", "d")))
    assert {name for ends in joined.trees[0].links for name in ends} == set("abcd")
    apart = with_link(world, Link(between=("a", "c")))
    assert {name for ends in apart.trees[0].links for name in ends} == set("abc")
