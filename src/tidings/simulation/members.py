"""The clients of a simulated world: who is where, who waits for what, and what their applications were shown."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidings.node.client import REMEMBERED
from tidings.routing import tree_neighbours
from tidings.scenario.world import Subscriber, World
from tidings.simulation.brokers import bypasses, is_addressed
from tidings.simulation.channel import Line
from tidings.simulation.host import Host
from tidings.vocabulary.filter_logic import topics_of
from tidings.vocabulary.filter_parser import parsed


@dataclass(slots=True)
class Interest:
    """A row of the table `interests` in the making."""

    subscriber: Subscriber
    requested_ns: int
    broker: str | None = None
    """The broker that was asked; None: none was in range."""
    effective_ns: int | None = None
    until_ns: int | None = None
    reachable: frozenset[str] = field(default_factory=frozenset)
    """Brokers that could be reached when it was requested: all of these must know it before it is effective."""

    def confirmed(self, now: int, missing: Sequence[str]) -> None:
        """Everybody but `missing` has confirmed it; said of an interest that was taken back, it changes nothing."""
        if self.effective_ns is None and self.until_ns is None and self.reachable.isdisjoint(missing):
            self.effective_ns = now


EVERYWHERE: Final = ""
"""Stands for a tree where events are addressed to brokers, by whatever way."""


class Reach:
    """Which brokers an interest can reach, given who and what is down: along its trees, or any way where it is led."""

    def __init__(self, world: World) -> None:
        self._trees = {tree.name: tree_neighbours(tree.links) for tree in world.trees}
        links = tree_neighbours([link.between for link in world.links])
        if bypasses(world):
            self._trees = dict.fromkeys(self._trees, links)
        elif is_addressed(world):
            self._trees = {EVERYWHERE: links}
        self._tree_of = {topic: tree.name for tree in world.trees for topic in tree.topics}
        self._is_addressed = is_addressed(world)

    def reachable(
        self, subscriber: Subscriber, hosts: Mapping[str, Host], channels: Mapping[tuple[str, str], Line]
    ) -> frozenset[str]:
        """Brokers that are connected with the subscriber's in a tree that the interest uses, both ways."""
        found: set[str] = set()
        for tree in self._trees_of(subscriber.filter):
            found |= self._connected(tree, subscriber.broker, hosts, channels)
        return frozenset(found)

    def _trees_of(self, text: str) -> list[str]:
        topics = topics_of(parsed(text))
        if topics is None or self._is_addressed:
            return list(self._trees)
        return list(dict.fromkeys(self._tree_of[topic] for topic in topics if topic in self._tree_of))

    def _connected(
        self, tree: str, start: str, hosts: Mapping[str, Host], channels: Mapping[tuple[str, str], Line]
    ) -> set[str]:
        found, border = {start}, [start]
        while border:
            one = border.pop()
            for other in self._trees[tree].get(one, ()):
                cut = channels[one, other].down or channels[other, one].down
                if other not in found and hosts[other].up and not cut:
                    found.add(other)
                    border.append(other)
        return found


NOBODY: Final = -1
"""The code of a name that brokers use among themselves; no event is shown under it."""

_Shown: TypeAlias = dict[int, NDArray[np.int64]]
"""By event, the clients that were shown it."""


class Numbered:
    """Translates a broker's numbers of clients into the codes of the log tables."""

    def __init__(self, codes: Mapping[str, int], alone: Container[str]) -> None:
        self._codes, self._alone = codes, alone
        self._code_of_number: NDArray[np.int64] = np.empty(0, np.int64)
        self._is_alone: NDArray[np.bool_] = np.empty(0, np.bool_)
        self._anyone_alone = False

    def translate(self, names: Sequence[str], numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str]]:
        """Codes of those who are shown events in bulk, and names of those with an endpoint of their own."""
        if len(names) > len(self._code_of_number):
            self._code_of_number = np.array([self._codes.get(name, NOBODY) for name in names], np.int64)
            self._is_alone = np.array([name in self._alone for name in names], np.bool_)
            self._anyone_alone = bool(self._is_alone.any())
        if not self._anyone_alone:
            return self._code_of_number[numbers], []
        alone = self._is_alone[numbers]
        return self._code_of_number[numbers[~alone]], [names[number] for number in numbers[alone].tolist()]


class Memory:
    """What clients that are shown events in bulk remember of them, by broker: as much as `Client` does.

    A broker recognises what it has passed on, until it crashes; its clients live on and must not be shown the same again.
    """

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._generations: dict[str, tuple[_Shown, _Shown]] = {}

    def unseen(self, broker: str, event_id: int, clients: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of `clients` (codes) who have not been shown the event; they are remembered as having been."""
        younger, older = self._generations.setdefault(broker, ({}, {}))
        before = younger.get(event_id, older.get(event_id))
        if before is not None:
            clients = clients[~np.isin(clients, before)]
            younger[event_id] = np.concatenate([before, clients])
            return clients
        if len(younger) == self._remembered:
            younger, older = self._generations[broker] = {}, younger
        younger[event_id] = clients
        return clients
