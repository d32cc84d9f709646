"""Random graphs over the numbers 0 … count - 1, as lists of pairs (smaller number first).

Every graph is drawn from the generator alone: names, hashing and platforms do not enter.
"""

import heapq
from itertools import combinations, pairwise
from typing import Final, TypeAlias

import numpy as np

Pairs: TypeAlias = list[tuple[int, int]]

_ATTEMPTS: Final = 1_000
_SWITCHES: Final = 200
_MIXING_MAX: Final = 2_000
"""Above that the few repaired pairs of a graph do not show."""


def random_tree(count: int, generator: np.random.Generator) -> Pairs:
    """A tree drawn evenly from all labelled trees of `count` nodes, by its Prüfer sequence."""
    if count < 2:
        return []
    sequence: list[int] = generator.integers(count, size=count - 2).tolist()
    degrees = [1] * count
    for node in sequence:
        degrees[node] += 1
    leaves = [node for node in range(count) if degrees[node] == 1]  # ascending, thus a heap
    pairs = []
    for node in sequence:
        pairs.append(_ordered(heapq.heappop(leaves), node))
        degrees[node] -= 1
        if degrees[node] == 1:
            heapq.heappush(leaves, node)
    pairs.append(_ordered(*leaves))
    return pairs


def random_regular(count: int, degree: int, generator: np.random.Generator) -> Pairs:
    """A connected graph in which every node has exactly `degree` neighbours.

    Half-links are paired at random; pairs that cannot stand (a node with itself, a pair twice) are switched with
    random good ones, and mixed; a graph that falls apart is drawn again. Degree 2 is a ring in random order. Above half of the
    possible degree the missing links are drawn instead, which is the same thing seen from the other side.

    `count` times `degree` must be even, and 0 < `degree` < `count`, with degree 1 only between two nodes.
    """
    assert 0 < degree < count
    assert count * degree % 2 == 0
    assert degree > 1 or count == 2
    if 2 * degree > count - 1:
        absent = set(_paired(count, count - 1 - degree, generator))
        return [pair for pair in combinations(range(count), 2) if pair not in absent]
    if degree == 2:
        ring = generator.permutation(count).tolist()
        return [_ordered(one, other) for one, other in pairwise([*ring, ring[0]])]
    pairs = _paired(count, degree, generator)
    while not is_connected(count, pairs):  # rare from degree 3 on
        pairs = _paired(count, degree, generator)
    return pairs


def tree_and_more(count: int, extra: int, generator: np.random.Generator) -> Pairs:
    """A random tree and up to `extra` further random links (fewer where the dice repeat themselves)."""
    pairs = dict.fromkeys(random_tree(count, generator))
    for one, other in generator.integers(count, size=(extra, 2)).tolist():
        if one != other:
            pairs[_ordered(one, other)] = None
    return list(pairs)


def is_connected(count: int, pairs: Pairs) -> bool:
    """Whether every node can be reached from node 0."""
    neighbours: list[list[int]] = [[] for _ in range(count)]
    for one, other in pairs:
        neighbours[one].append(other)
        neighbours[other].append(one)
    seen = [True, *[False] * (count - 1)]
    reached = [0]
    for node in reached:
        for neighbour in neighbours[node]:
            if not seen[neighbour]:
                seen[neighbour] = True
                reached.append(neighbour)
    return len(reached) == count


def _paired(count: int, degree: int, generator: np.random.Generator) -> Pairs:
    """A graph with this degree everywhere, connected or not."""
    for _ in range(_ATTEMPTS):
        halves = generator.permutation(np.repeat(np.arange(count), degree)).reshape(-1, 2).tolist()
        good: dict[tuple[int, int], None] = {}
        bad: Pairs = []
        for one, other in halves:
            pair = _ordered(one, other)
            if one == other or pair in good:
                bad.append(pair)
            else:
                good[pair] = None
        pairs = list(good)
        if not bad:
            return pairs
        if pairs and _repair(pairs, bad, generator):
            _mix(pairs, generator)
            return pairs
    raise AssertionError(f"no graph of {count} nodes with degree {degree} in {_ATTEMPTS} attempts")


def _repair(pairs: Pairs, bad: Pairs, generator: np.random.Generator) -> bool:
    """Switches every bad pair with a random good one, in place; False: stuck."""
    present = set(pairs)
    for pair in bad:
        for draw in generator.integers(2 * len(pairs), size=_SWITCHES).tolist():
            place = draw // 2
            crossed = _crossed(pair, pairs[place], present, turned=bool(draw % 2))
            if crossed is not None:
                present.remove(pairs[place])
                present.update(crossed)
                pairs[place] = crossed[0]
                pairs.append(crossed[1])
                break
        else:
            return False
    return True


def _mix(pairs: Pairs, generator: np.random.Generator) -> None:
    """Random switches among all pairs, which even out what the repair prefers in small graphs."""
    present = set(pairs)
    draws = generator.integers(len(pairs), size=(min(10 * len(pairs), _MIXING_MAX), 2))
    turns = generator.integers(2, size=len(draws))
    for (place, partner), turned in zip(draws.tolist(), turns.tolist(), strict=True):
        crossed = _crossed(pairs[place], pairs[partner], present, turned=bool(turned))
        if crossed is not None:
            present.difference_update((pairs[place], pairs[partner]))
            present.update(crossed)
            pairs[place], pairs[partner] = crossed


def _crossed(
    pair: tuple[int, int], partner: tuple[int, int], present: set[tuple[int, int]], *, turned: bool
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The two pairs after an exchange of ends, or None where one of them cannot stand."""
    third, fourth = partner[::-1] if turned else partner
    if pair[0] == third or pair[1] == fourth:
        return None
    first, second = _ordered(pair[0], third), _ordered(pair[1], fourth)
    return None if first == second or first in present or second in present else (first, second)


def _ordered(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)
