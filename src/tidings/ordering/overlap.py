"""The overlap graph: which topics (or groups) must be put in order with which others.

Two topics are joined when at least `k` subscribers have both. A topic's *sequencing group* is itself and its
neighbours: the entries of its timestamps. Groups are planned as topics are: a group's members are its subscribers.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tidings.errors import InputError
from tidings.ordering.natural_order import natural_key


@dataclass(frozen=True, slots=True)
class OverlapGraph:
    """Topics in the order of their identifiers, and for each the indices of those it overlaps with, ascending."""

    topics: tuple[str, ...]
    neighbours: tuple[tuple[int, ...], ...]
    k: int
    index: Mapping[str, int] = field(init=False, compare=False, repr=False)
    """Where each topic stands in `topics`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", {topic: position for position, topic in enumerate(self.topics)})

    def group(self, topic: str) -> tuple[str, ...]:
        """The sequencing group: the topic and all that it overlaps with, in the order of `topics`."""
        own = self.index[topic]
        return tuple(self.topics[other] for other in sorted((own, *self.neighbours[own])))

    def edges(self) -> Iterable[tuple[int, int]]:
        """Every overlap once, the smaller index first."""
        return ((one, other) for one, others in enumerate(self.neighbours) for other in others if one < other)

    def components(self) -> tuple[tuple[int, ...], ...]:
        """What hangs together, as ascending indices; ordered by the first of each. A lone topic is a component."""
        seen = [False] * len(self.topics)
        starts = (start for start in range(len(self.topics)) if not seen[start])
        return tuple(tuple(sorted(self._reached(start, seen))) for start in starts)

    def _reached(self, start: int, seen: list[bool]) -> list[int]:
        seen[start] = True
        reached = [start]
        for topic in reached:
            for other in self.neighbours[topic]:
                if not seen[other]:
                    seen[other] = True
                    reached.append(other)
        return reached


def overlap_graph(
    interests: Mapping[str, Collection[str]], *, topics: Sequence[str] | None = None, k: int = 2
) -> OverlapGraph:
    """The overlap graph of `interests`, the topics that each subscriber has.

    Args:
        interests: by subscriber; each has at least one topic, none twice.
        topics: every topic of the deployment; None: those that somebody has.
        k: how many subscribers two topics must share: 2 for pairwise order, 1 for causal order.

    Raises:
        InputError: for a `k` below 1, a subscriber without topics, unknown topics and whatever is named twice.
    """
    if k < 1:
        raise InputError(f"k = {k}: two topics overlap when k subscribers have both; 1 or more would be right")
    named = tuple(sorted(_checked(interests, topics), key=natural_key))
    index = {topic: position for position, topic in enumerate(named)}
    joined = _joined(interests, index, k)
    starts, ends = joined.indptr.tolist(), joined.indices.tolist()
    neighbours = tuple(tuple(ends[start:end]) for start, end in pairwise(starts))
    return OverlapGraph(named, neighbours, k)


def _checked(interests: Mapping[str, Collection[str]], topics: Sequence[str] | None) -> list[str]:
    """All topics, once each, in the order named."""
    for subscriber, wanted in interests.items():
        if isinstance(wanted, str) or not wanted:
            raise InputError(f"subscriber {subscriber} has no topics; give it one, or leave it out of the plan")
        if len(dict.fromkeys(wanted)) < len(wanted):
            raise InputError(f"subscriber {subscriber} names topic {_twice(wanted)} twice; once is enough")
    subscribed = dict.fromkeys(chain.from_iterable(sorted(wanted) for wanted in interests.values()))
    if topics is None:
        return list(subscribed)
    known = dict.fromkeys(topics)
    if len(known) < len(topics):
        raise InputError(f"topic {_twice(topics)} is named twice among the topics; once is enough")
    for topic in subscribed:
        if topic not in known:
            reader = next(subscriber for subscriber, wanted in interests.items() if topic in wanted)
            raise InputError(f"subscriber {reader} has topic {topic}, which is not among the {len(known)} topics")
    return list(known)


def _twice(names: Iterable[str]) -> str:
    return next(name for name, count in Counter(names).items() if count > 1)


def _joined(interests: Mapping[str, Collection[str]], index: Mapping[str, int], k: int) -> "sparse.csr_array":
    """The pairs that at least `k` subscribers share, both ways round, rows and columns ascending."""
    sizes = [len(wanted) for wanted in interests.values()]
    subscribers: NDArray[np.int64] = np.repeat(np.arange(len(sizes)), sizes)
    columns = np.fromiter((index[topic] for wanted in interests.values() for topic in wanted), np.int64, sum(sizes))
    has = sparse.csr_array((np.ones(len(columns), np.int64), (subscribers, columns)), (len(sizes), len(index)))
    shared = (has.T @ has).tocoo()
    kept = (shared.data >= k) & (shared.row != shared.col)
    pairs = sparse.csr_array((shared.data[kept], (shared.row[kept], shared.col[kept])), shared.shape)
    pairs.sort_indices()
    return pairs
