"""Which access point is the nearest in range along straight legs: exactly, for many legs at once.

On a leg the square of the distance to each point is one parabola, the same for all points but for a linear part. So
where ranges end are roots of quadratic equations, where another point becomes the nearer one is a root of a linear
one, and between two of these nothing changes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

NOWHERE: Final = -1
"""Stands for the point where none is in range."""
_AT_ONCE: Final = 2_000_000
"""Distances that are worked out in one go."""


@dataclass(frozen=True, eq=False, slots=True)
class Pieces:
    """Legs cut where the nearest point in range changes, leg by leg; the pieces of each cover it from 0 to 1."""

    leg: Ints
    start: Floats
    end: Floats
    """Shares of the leg."""
    point: Ints
    """`NOWHERE` or the number of a point."""


def cut(starts: Floats, ends: Floats, points: Floats, reach: float) -> Pieces:
    """The pieces of straight legs. Of points that are equally near the first counts, and at its range a point still does."""
    pairs = _close_pairs(points, reach)
    size = max(1, _AT_ONCE // max(1, len(points) * (2 * len(points) + len(pairs) + 1)))
    parts = [
        _cut(starts[at : at + size], ends[at : at + size], points, (reach, pairs)) for at in range(0, len(starts), size)
    ]
    return _joined(list(_numbered(parts, size)))


def nearest(places: Floats, points: Floats, reach: float) -> Ints:
    """Of single places."""
    if not len(points):
        return np.full(len(places), NOWHERE)
    squares = ((places[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
    found = squares.argmin(axis=1)
    return np.where(squares[np.arange(len(places)), found] <= reach * reach, found, NOWHERE)


def totals(places: Ints, weights: Floats, count: int) -> Floats:
    """Sums of weights by place, from 0 to `count`."""
    return np.bincount(places, weights, count).astype(np.float64, copy=False)


def _close_pairs(points: Floats, reach: float) -> Ints:
    """Points whose ranges overlap: only between these the nearer one matters."""
    gaps = points[:, None, :] - points[None, :, :]
    one, other = np.nonzero(np.triu((gaps**2).sum(axis=2) < (2 * reach) ** 2, 1))
    return np.stack([one, other], axis=1)


def _cut(starts: Floats, ends: Floats, points: Floats, near: tuple[float, Ints]) -> Pieces:
    reach, pairs = near
    steps = ends - starts
    from_points = starts[:, None, :] - points[None, :, :]
    square = (steps**2).sum(axis=1)[:, None]
    half = (from_points * steps[:, None, :]).sum(axis=2)
    rest = (from_points**2).sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(np.maximum(half**2 - square * (rest - reach**2), 0.0))
        borders = [(-half - root) / square, (-half + root) / square]
        one, other = pairs[:, 0], pairs[:, 1]
        borders.append((rest[:, other] - rest[:, one]) / (2 * (half[:, one] - half[:, other])))
    inner = np.clip(np.nan_to_num(np.concatenate(borders, axis=1), posinf=0.0, neginf=0.0), 0.0, 1.0)
    shares = np.sort(np.concatenate([np.zeros_like(square), inner, np.ones_like(square)], axis=1), axis=1)
    middles = (shares[:, 1:] + shares[:, :-1]) / 2
    here = starts[:, None, :] + middles[:, :, None] * steps[:, None, :]
    point = nearest(here.reshape(-1, 2), points, reach).reshape(middles.shape)
    legs, columns = np.nonzero(shares[:, 1:] > shares[:, :-1])
    return Pieces(legs, shares[legs, columns], shares[legs, columns + 1], point[legs, columns])


def _numbered(parts: list[Pieces], size: int) -> Iterator[Pieces]:
    for number, part in enumerate(parts):
        yield Pieces(part.leg + number * size, part.start, part.end, part.point)


def _joined(parts: list[Pieces]) -> Pieces:
    """All of them, neighbours with the same point made one."""
    if not parts:
        return Pieces(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0, np.int64))
    leg, point = (np.concatenate([getattr(part, name) for part in parts]) for name in ("leg", "point"))
    start, end = (np.concatenate([getattr(part, name) for part in parts]) for name in ("start", "end"))
    first = np.ones(len(leg), np.bool_)
    first[1:] = (leg[1:] != leg[:-1]) | (point[1:] != point[:-1])
    last = np.roll(first, -1)
    return Pieces(leg[first], start[first], end[last], point[first])
