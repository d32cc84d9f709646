"""Spanning trees of topics: as listed, or planned by the routing room."""

from collections.abc import Mapping, Sequence

from tidings.routing.trees import plan_trees
from tidings.scenario.document import Scenario
from tidings.scenario.overlay_tables import TreeEntry
from tidings.scenario.schema import unknown
from tidings.scenario.source import Place
from tidings.scenario.world import Topic, Tree
from tidings.vocabulary.overlay import Overlay


def expand_trees(
    scenario: Scenario, graph: Overlay, topics: Sequence[Topic], homes: Mapping[str, str]
) -> tuple[Tree, ...]:
    """One tree for every topic under the scheme `tree`; none under the others, which find ways of their own.

    Args:
        scenario: its `[[tree]]`s are checked and taken, if there are any.
        graph: the overlay; of one in parts, trees span the part that clients are at.
        topics: those of the world.
        homes: the brokers that clients are at.
    """
    if scenario.routing.scheme != "tree":
        if scenario.tree:
            remedy = 'belongs to [routing] scheme = "tree"; leave [[tree]] out'
            raise scenario.place("tree").wrong(f"{len(scenario.tree)} trees", remedy)
        return ()
    part = _part(graph, homes)
    names = {topic.name: None for topic in topics}
    if not scenario.tree:
        planned = plan_trees(part, tuple(names))
        return tuple(Tree(name=one.name, links=one.links, topics=one.topics) for one in planned)
    listed: dict[str, str] = {}
    for index, entry in enumerate(scenario.tree):
        _check_tree(scenario.place("tree", index), entry, part, names, listed)
    missing = [name for name in names if name not in listed]
    if missing:
        remedy = "is in no tree; list it in the topics of one, or leave all [[tree]] out to have them planned"
        raise scenario.place("tree").wrong(missing[0], remedy)
    return tuple(Tree(name=one.name, links=one.links, topics=one.topics) for one in scenario.tree)


def _part(graph: Overlay, homes: Mapping[str, str]) -> Overlay:
    if graph.is_connected:
        return graph
    parts = graph.components()
    inside = dict.fromkeys(next((part for part in parts if any(name in homes for name in part)), parts[0]))
    kept = [index for index, (one, _) in enumerate(graph.links) if one in inside]
    return Overlay(
        tuple(inside), tuple(graph.links[index] for index in kept), tuple(graph.delays_ns[index] for index in kept)
    )


def _check_tree(
    place: Place, entry: TreeEntry, part: Overlay, names: Mapping[str, None], listed: dict[str, str]
) -> None:
    links = {frozenset(ends): None for ends in part.links}
    for index, ends in enumerate(entry.links):
        if frozenset(ends) not in links:
            raise place.child("links").item(index).wrong(list(ends), "there is no such link between brokers")
    if not _spans(part, entry):
        remedy = f"must join all {len(part.brokers)} brokers without a loop: {len(part.brokers) - 1} links"
        raise place.child("links").wrong(f"{len(entry.links)} links", remedy)
    for index, name in enumerate(entry.topics):
        where = place.child("topics").item(index)
        if name not in names:
            raise where.wrong(name, unknown("topic", name, names))
        if listed.setdefault(name, entry.name) != entry.name:
            raise where.wrong(name, f"is already in the tree {listed[name]}; a topic has one tree")


def _spans(part: Overlay, entry: TreeEntry) -> bool:
    delays = (0.0,) * len(entry.links)
    try:
        return Overlay(part.brokers, entry.links, delays).is_tree
    except ValueError:
        return False
