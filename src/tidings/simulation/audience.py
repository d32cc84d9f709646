"""Who would have been shown an event that a broker gave up: the world knows, the protocol does not.

Used for the logs only, and in batches, since giving up is what an overloaded world does most.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tidings.matching import BitsetMatcher, Matcher
from tidings.routing import tree_neighbours
from tidings.scenario.world import World
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter_parser import parsed


class Audience:
    """Looks up subscribers by what they want and by where they are, seen from where an event came from."""

    def __init__(self, world: World, codes: Mapping[str, int]) -> None:
        self._world = world
        self._codes = np.array([codes[one.id] for one in world.subscribers], np.int64)
        places = {broker.id: place for place, broker in enumerate(world.brokers)}
        self._homes = np.array([places[one.broker] for one in world.subscribers], np.int64)
        self._places = places
        self._home_of_publisher = {one.id: one.broker for one in world.publishers}
        self._tree_of = {topic: tree.name for tree in world.trees for topic in tree.topics}
        self._neighbours = {tree.name: tree_neighbours(tree.links) for tree in world.trees}
        self._behind: dict[tuple[str, str, str], NDArray[np.bool_]] = {}
        self._matcher: Matcher | None = None

    def behind(self, given_up: Sequence[tuple[Event, str]]) -> list[NDArray[np.int64]]:
        """For every event and the broker that gave it up: codes of subscribers who wanted it and lie behind."""
        wanting = self._everybody().match([event for event, _ in given_up])
        return [
            self._codes[keys[self._side(event, broker)[self._homes[keys]]]]
            for (event, broker), keys in zip(given_up, wanting, strict=True)
        ]

    def _everybody(self) -> Matcher:
        if self._matcher is None:
            self._matcher = BitsetMatcher()
            self._matcher.add_many([(key, parsed(one.filter)) for key, one in enumerate(self._world.subscribers)])
        return self._matcher

    def _side(self, event: Event, broker: str) -> NDArray[np.bool_]:
        """By place of broker: true for `broker` and all that the event would have reached through it."""
        if not self._neighbours:
            return self._homes_only(broker)
        tree, origin = self._tree_of[event.topic], self._home_of_publisher[event.publisher]
        side = self._behind.get((tree, origin, broker))
        if side is None:
            side = self._behind[tree, origin, broker] = self._walk(tree, origin, broker)
        return side

    def _homes_only(self, broker: str) -> NDArray[np.bool_]:
        """Where events are addressed to brokers, only clients of the broker itself lie behind it."""
        side = np.zeros(len(self._places), np.bool_)
        side[self._places[broker]] = True
        return side

    def _walk(self, tree: str, origin: str, broker: str) -> NDArray[np.bool_]:
        neighbours = self._neighbours[tree]
        came_from: dict[str, str | None] = {origin: None}
        order = [origin]
        for one in order:
            for other in neighbours.get(one, ()):
                if other not in came_from:
                    came_from[other] = one
                    order.append(other)
        side = np.zeros(len(self._places), np.bool_)
        side[self._places[broker]] = True
        for one in order:
            parent = came_from[one]
            if parent is not None and side[self._places[parent]]:
                side[self._places[one]] = True
        return side
