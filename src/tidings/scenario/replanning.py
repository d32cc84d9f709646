"""A world with another link: its trees planned anew."""

from dataclasses import replace

from tidings.routing.trees import plan_trees
from tidings.scenario.world import Link, Tree, World
from tidings.vocabulary.overlay import Overlay


def with_link(world: World, link: Link) -> World:
    """The world with one more link, and trees as they would be planned with it, whether they were listed or not."""
    links = (*world.links, link)
    if not world.trees:
        return replace(world, links=links)
    spanned = {name: None for tree in world.trees for ends in tree.links for name in ends}
    names = tuple(one.id for one in world.brokers if one.id in spanned or one.id in link.between or not spanned)
    inside = [one for one in links if all(name in names for name in one.between)]
    graph = Overlay(names, tuple(one.between for one in inside), tuple(one.law.mean_delay_ns for one in inside))
    planned = plan_trees(graph, tuple(topic for tree in world.trees for topic in tree.topics))
    trees = tuple(Tree(name=one.name, links=one.links, topics=one.topics) for one in planned)
    return replace(world, links=links, trees=trees)
