"""Per-topic spanning trees: every broker, told the same overlay and topic, names the same tree.

A tree is the shortest-delay tree of a root. Roots are spread over the overlay, and a topic picks its tree by
rendezvous hashing, so that no broker carries every topic and a new topic moves none of the others. Where the overlay is
itself a tree there is only one.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tidings.vocabulary.overlay import Overlay

ROOTS_MAX: Final = 64
"""Trees beyond this many would cost more interest traffic than they spread load."""


@dataclass(frozen=True, slots=True)
class TopicTree:
    """A spanning tree of the overlay and the known topics that use it; `name` is its root."""

    name: str
    links: tuple[tuple[str, str], ...]
    topics: tuple[str, ...]


def plan_trees(overlay: Overlay, topics: Sequence[str]) -> tuple[TopicTree, ...]:
    """The trees that `topics` use, in the order of the overlay's brokers; trees that no topic uses are left out.

    The overlay must be connected.
    """
    links_by_root = _distinct_trees(overlay)
    roots = tuple(links_by_root)
    topics_by_root: dict[str, list[str]] = {root: [] for root in roots}
    for topic in topics:
        topics_by_root[pick_tree(topic, roots)].append(topic)
    return tuple(
        TopicTree(root, links_by_root[root], tuple(chosen)) for root, chosen in topics_by_root.items() if chosen
    )


def pick_tree(topic: str, names: Sequence[str]) -> str:
    """The tree of `topic` among `names`: rendezvous hashing, equal in every process."""
    if len(names) == 1:
        return names[0]
    return max(names, key=lambda name: (_weight(topic, name), name))


def tree_neighbours(links: Sequence[tuple[str, str]]) -> Mapping[str, tuple[str, ...]]:
    """For every broker in the tree its neighbours, in the order of `links`."""
    neighbours: dict[str, list[str]] = {}
    for a, b in links:
        neighbours.setdefault(a, []).append(b)
        neighbours.setdefault(b, []).append(a)
    return {broker: tuple(others) for broker, others in neighbours.items()}


def _weight(topic: str, name: str) -> bytes:
    return hashlib.blake2b(f"{topic}\0{name}".encode(), digest_size=8).digest()


def _distinct_trees(overlay: Overlay) -> dict[str, tuple[tuple[str, str], ...]]:
    if overlay.is_tree:
        return {overlay.brokers[0]: overlay.links}
    step = -(-len(overlay.brokers) // ROOTS_MAX)
    links_by_root: dict[str, tuple[tuple[str, str], ...]] = {}
    known: set[frozenset[tuple[str, str]]] = set()
    for root in overlay.brokers[::step]:
        links = _links_of(overlay, root)
        if frozenset(links) not in known:
            known.add(frozenset(links))
            links_by_root[root] = links
    return links_by_root


def _links_of(overlay: Overlay, root: str) -> tuple[tuple[str, str], ...]:
    _, parents = overlay.shortest_from(root)
    used = {frozenset((child, parent)) for child, parent in parents.items() if parent is not None}
    return tuple(link for link in overlay.links if frozenset(link) in used)
