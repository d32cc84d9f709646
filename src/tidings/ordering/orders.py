"""Elimination orders that tend to give shallow trees. Each takes sets of neighbours as bits and gives all positions,
the highest rank first; `precedence.shallow` takes the best of them.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tidings.ordering.elimination import members

_Key: TypeAlias = Callable[[int, int], tuple[int, int]]


def by_least_height(neighbours: Sequence[int]) -> list[int]:
    """Eliminate next what gives the lowest tree so far; then what has fewest neighbours."""
    return _greedy(neighbours, lambda height, degree: (height, degree))


def by_least_degree(neighbours: Sequence[int]) -> list[int]:
    """Eliminate next what has fewest neighbours; then what gives the lowest tree so far."""
    return _greedy(neighbours, lambda height, degree: (degree, height))


def by_degree(neighbours: Sequence[int]) -> list[int]:
    """The stage with most neighbours on top, then the same in what falls apart below it."""
    return _dissected(neighbours, _most_joined)


def by_dissection(neighbours: Sequence[int]) -> list[int]:
    """Nested dissection: a small set that splits the rest on top, then the same in each part.

    The splitting sets tried are the layers around the outermost stage, and the stage with most neighbours.
    """
    return _dissected(neighbours, _separator)


def pieces(neighbours: Sequence[int], part: int) -> list[int]:
    """What hangs together inside `part`, a set; in the order of the first of each."""
    found = []
    while part:
        piece = sum(_layers(neighbours, part, part & -part))
        found.append(piece)
        part &= ~piece
    return found


def _greedy(neighbours: Sequence[int], key: _Key) -> list[int]:
    masks, heights = list(neighbours), [0] * len(neighbours)
    left = dict.fromkeys(range(len(neighbours)))
    order = []
    while left:
        chosen = min(left, key=lambda place: key(heights[place], masks[place].bit_count()))
        del left[chosen]
        order.append(chosen)
        for other in members(masks[chosen]):
            masks[other] = (masks[other] | masks[chosen]) & ~(1 << chosen | 1 << other)
            heights[other] = max(heights[other], heights[chosen] + 1)
    order.reverse()
    return order


def _dissected(neighbours: Sequence[int], choose: Callable[[Sequence[int], int], int]) -> list[int]:
    order: list[int] = []
    parts = [(1 << len(neighbours)) - 1]
    while parts:
        part = parts.pop()
        found = pieces(neighbours, part)
        if len(found) == 1:
            top = choose(neighbours, part)
            order += members(top)
            parts.append(part & ~top)
        else:
            parts += found
    return order


def _layers(neighbours: Sequence[int], part: int, start: int) -> list[int]:
    """`start`, what is one step from it inside `part`, what is two steps, …"""
    layers, seen = [start], start
    while True:
        reached = 0
        for place in members(layers[-1]):
            reached |= neighbours[place]
        reached &= part & ~seen
        if not reached:
            return layers
        seen |= reached
        layers.append(reached)


def _most_joined(neighbours: Sequence[int], part: int) -> int:
    return 1 << max(members(part), key=lambda place: (neighbours[place] & part).bit_count())


def _separator(neighbours: Sequence[int], part: int) -> int:
    """What splits best: the size of the set and of the largest piece that it leaves, together."""
    far = _layers(neighbours, part, part & -part)[-1]
    candidates = [_most_joined(neighbours, part), *_layers(neighbours, part, far & -far)[1:-1]]

    def cost(candidate: int) -> int:
        largest = max((piece.bit_count() for piece in pieces(neighbours, part & ~candidate)), default=0)
        return candidate.bit_count() + largest

    return min(candidates, key=cost)
