"""Whether one order exists that no subscriber contradicts.

Events are joined in the order in which each subscriber was shown them, one after the other. One order exists exactly
when these edges close no cycle; three subscribers can close one though no two of them disagree on any pair.
"""

from collections import deque
from collections.abc import Mapping

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from tidings.checking.history import History, Integers

SEARCHES_MAX = 2_000
"""Events from which a shortest cycle is searched."""


def order_cycles(history: History) -> int:
    """How many strongly connected sets of more than one event there are."""
    _, sizes = _components(history)
    return int((sizes > 1).sum())


def shortest_cycle(history: History) -> tuple[int, ...]:
    """Identities of events that form a cycle, in its order; empty when there is none.

    It is the shortest one through the first `SEARCHES_MAX` events of the smallest set.
    """
    members, sizes = _components(history)
    cyclic = np.flatnonzero(sizes > 1)
    if not len(cyclic):
        return ()
    smallest = cyclic[np.argmin(sizes[cyclic])]
    nodes = np.flatnonzero(members == smallest)
    inside = members == smallest
    before, behind = _edges(history)
    kept = inside[before] & inside[behind]
    followers: dict[int, list[int]] = {}
    for one, other in zip(before[kept].tolist(), behind[kept].tolist(), strict=True):
        followers.setdefault(one, []).append(other)
    best: tuple[int, ...] = ()
    for start in nodes[:SEARCHES_MAX].tolist():
        found = _cycle_through(start, followers)
        best = found if not best or len(found) < len(best) else best
    return tuple(int(history.events.ids[event]) for event in best)


def _edges(history: History) -> tuple[Integers, Integers]:
    """Consecutive showings of one subscriber, each edge once."""
    showings = history.showings.ordered
    follows = showings.subscriber[1:] == showings.subscriber[:-1]
    width = max(len(history.events), 1)
    keys = np.unique(showings.event[:-1][follows] * width + showings.event[1:][follows])
    return keys // width, keys % width


def _components(history: History) -> tuple[Integers, Integers]:
    """The strongly connected set of each event, and the sizes of the sets."""
    before, behind = _edges(history)
    size = len(history.events)
    graph = csr_array((np.ones(len(before), np.int8), (before, behind)), shape=(size, size))
    _, members = connected_components(graph, directed=True, connection="strong")
    return members, np.bincount(members)


def _cycle_through(start: int, followers: Mapping[int, list[int]]) -> tuple[int, ...]:
    """The shortest way from `start` back to it, which exists within a strongly connected set."""
    came_from: dict[int, int] = {}
    waiting = deque([start])
    while start not in came_from:
        event = waiting.popleft()
        for follower in followers[event]:
            if follower not in came_from:
                came_from[follower] = event
                waiting.append(follower)
    way = [came_from[start]]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return tuple(reversed(way))
