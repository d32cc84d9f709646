"""When a walker is in reach of which access point: the exact instants, by geometry, without time steps.

On a leg the distance to a point is a parabola of time, and the border between two points' neighbourhoods is crossed at
most once. So the instants at which the nearest point in range can change are the roots of these, and between two of
them nothing changes.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from tidings.simulation.steps import Leg, Point


def contacts(legs: Iterator[Leg], points: Sequence[Point], reach: float) -> Iterator[tuple[int, int | None]]:
    """Whenever it changes: the instant, and the number of the nearest point in range, None without one.

    The first is that at which the walk begins.
    """
    before: int | None = -1
    for leg in legs:
        for instant, nearest in _on_leg(leg, points, reach):
            if nearest != before:
                before = nearest
                yield instant, nearest


def _on_leg(leg: Leg, points: Sequence[Point], reach: float) -> Iterator[tuple[int, int | None]]:
    """The nearest point in range from each instant on that matters."""
    if leg.start is None or leg.end is None:
        yield leg.start_ns, None
        return
    if leg.end_ns is None or leg.start == leg.end:
        yield leg.start_ns, _nearest(leg.start, points, range(len(points)), reach)
        return
    near = [(place, inside) for place, point in enumerate(points) if (inside := _inside(leg, point, reach))]
    shares = {0.0, 1.0, *(share for _, inside in near for share in inside)}
    for (one, _), (other, _) in combinations(near, 2):
        share = _equally_far(leg, points[one], points[other])
        if share is not None and 0 < share < 1:
            shares.add(share)
    length_ns = leg.end_ns - leg.start_ns
    for share, following in pairwise(sorted(shares)):
        middle = _at(leg, (share + following) / 2)
        yield leg.start_ns + round(share * length_ns), _nearest(middle, points, [place for place, _ in near], reach)


def _inside(leg: Leg, point: Point, reach: float) -> tuple[float, float] | None:
    """The share of the leg from which and to which it lies within `reach` of `point`; None: nowhere."""
    assert leg.start is not None
    assert leg.end is not None
    dx, dy = leg.end[0] - leg.start[0], leg.end[1] - leg.start[1]
    cx, cy = leg.start[0] - point[0], leg.start[1] - point[1]
    square, half, rest = dx * dx + dy * dy, cx * dx + cy * dy, cx * cx + cy * cy - reach * reach
    under = half * half - square * rest
    if square == 0 or under <= 0:
        return None
    root = math.sqrt(under)
    first, last = max(0.0, (-half - root) / square), min(1.0, (-half + root) / square)
    return (first, last) if first < last else None


def _equally_far(leg: Leg, one: Point, other: Point) -> float | None:
    """The share of the leg at which it is as far from one point as from the other."""
    assert leg.start is not None
    assert leg.end is not None
    dx, dy = leg.end[0] - leg.start[0], leg.end[1] - leg.start[1]
    slope = 2 * ((other[0] - one[0]) * dx + (other[1] - one[1]) * dy)
    if slope == 0:
        return None
    return (math.dist(leg.start, other) ** 2 - math.dist(leg.start, one) ** 2) / slope


def _at(leg: Leg, share: float) -> Point:
    assert leg.start is not None
    assert leg.end is not None
    return (
        leg.start[0] + share * (leg.end[0] - leg.start[0]),
        leg.start[1] + share * (leg.end[1] - leg.start[1]),
    )


def _nearest(here: Point, points: Sequence[Point], among: Sequence[int], reach: float) -> int | None:
    """Of points that are equally near, the first."""
    best = min(among, key=lambda place: (math.dist(here, points[place]), place), default=None)
    return best if best is not None and math.dist(here, points[best]) <= reach else None
