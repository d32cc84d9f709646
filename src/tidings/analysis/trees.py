"""The spanning trees of a world as brokers see them from where events start."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tidings.scenario.world import Link, World


@dataclass(frozen=True, slots=True)
class RootedTree:
    """A tree (of this number) as seen from one broker: `order` nearest first, each but the root with its parent."""

    number: int
    root: str
    order: tuple[str, ...]
    parents: Mapping[str, str]

    def reaches(self, broker: str) -> bool:
        """True for the root and all behind it."""
        return broker == self.root or broker in self.parents

    def path(self, broker: str) -> tuple[str, ...]:
        """From the root to a broker, both included."""
        found = [broker]
        while found[-1] != self.root:
            found.append(self.parents[found[-1]])
        return tuple(reversed(found))

    def edges(self) -> Iterator[tuple[str, str]]:
        """Parent and child, away from the root."""
        for broker in self.order[1:]:
            yield self.parents[broker], broker


class Trees:
    """Every topic's tree, seen from any broker; each view is made once."""

    def __init__(self, world: World) -> None:
        self._tree_of = {topic: number for number, tree in enumerate(world.trees) for topic in tree.topics}
        # Without trees, where events are addressed to brokers, any tree says who can be reached.
        self._links = [*(tree.links for tree in world.trees), tuple(link.between for link in world.links)]
        self._views: dict[tuple[int, str], RootedTree] = {}
        self.links = links_by_ends(world)

    def of(self, topic: str, root: str) -> RootedTree:
        """The topic's tree as seen from a broker."""
        key = self._tree_of.get(topic, len(self._links) - 1), root
        if key not in self._views:
            self._views[key] = _rooted(key[0], self._links[key[0]], root)
        return self._views[key]


def links_by_ends(world: World) -> dict[tuple[str, str], Link]:
    """Each link under both of its directions."""
    found = {}
    for link in world.links:
        one, other = link.between
        found[one, other] = found[other, one] = link
    return found


def _rooted(number: int, links: tuple[tuple[str, str], ...], root: str) -> RootedTree:
    neighbours: dict[str, list[str]] = {}
    for one, other in links:
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)
    order, parents = [root], dict[str, str]()
    for broker in order:
        for other in neighbours.get(broker, ()):
            if other != root and other not in parents:
                parents[other] = broker
                order.append(other)
    return RootedTree(number, root, tuple(order), parents)
