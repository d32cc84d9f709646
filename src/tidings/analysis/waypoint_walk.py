"""Random waypoint as a graph (thesis, 4.4.3.2): a place for each cell of the map, and straight legs between all of them."""

import math
from typing import Final

import numpy as np

from tidings.analysis.coverage import Floats, cut, nearest
from tidings.analysis.law_shapes import quantile
from tidings.analysis.walk_graph import WalkGraph, graph_of
from tidings.scenario.world import Map
from tidings.vocabulary.distribution import Distribution
from tidings.vocabulary.instant import SECOND

PLACES: Final = 280
"""Some 80,000 legs between them."""
_SPREAD: Final = (0.7548776662466927, 0.5698402909980532)
"""Steps of a Kronecker sequence: places lie in their cells as evenly as may be, so that no range fits the cells."""


def places_of(where: Map, count: int) -> Floats:
    """About so many places, one in each of equal cells."""
    width, height = where.size
    columns = max(1, round(math.sqrt(count * width / height)))
    rows = max(1, round(count / columns))
    cells = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1).reshape(-1, 2)
    within = (0.5 + np.arange(len(cells))[:, None] * np.array(_SPREAD)) % 1.0
    found: Floats = (cells + within) / (columns, rows) * where.size
    return found


def waypoint_graph(where: Map, speed: Distribution, pause: Distribution | None) -> WalkGraph:
    """Of a walker whose speeds are never 0. Each leg has one speed and one pause before it, evenly spread over their laws."""
    places = places_of(where, PLACES)
    points = np.array(where.points)
    origin, target = np.nonzero(~np.eye(len(places), dtype=np.bool_))
    legs = cut(places[origin], places[target], points, where.range)
    lengths = np.hypot(*(places[target] - places[origin]).T)
    lengths *= mean_leg(where.size) / lengths.mean()
    slowness = SECOND / _even(speed, len(origin), _SPREAD[0])
    pauses = np.zeros(len(origin)) if pause is None else _even(pause, len(origin), _SPREAD[1])
    at = nearest(places, points, where.range)
    pieces = (
        np.concatenate([np.arange(len(origin)), legs.leg]),
        np.concatenate([at[origin], legs.point]),
        np.concatenate([pauses, (legs.end - legs.start) * (lengths * slowness)[legs.leg]]),
    )
    return graph_of((origin, target, np.full(len(origin), 1 / (len(places) - 1))), pieces, at)


def _even(law: Distribution, count: int, step: float) -> Floats:
    """Values of a law, neighbours far from each other, all together spread as it is."""
    if law.variance == 0:
        return np.full(count, law.mean)
    shares: Floats = (0.5 + np.arange(count, dtype=np.float64) * step) % 1.0
    return quantile(law, shares)


def mean_leg(size: tuple[float, float]) -> float:
    """Mean distance between two places drawn on a rectangle."""
    a, b = size
    d = math.hypot(a, b)
    corners = a**3 / b**2 + b**3 / a**2 + d * (3 - a**2 / b**2 - b**2 / a**2)
    sides = b**2 / a * math.acosh(d / b) + a**2 / b * math.acosh(d / a)
    return (corners + 2.5 * sides) / 15
