"""Whether what a model of movement names lies on the map."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from tidings.scenario.world import Mobility

Point: TypeAlias = tuple[float, float]


def off_the_map(mobility: Mobility, size: Point) -> tuple[str, object] | None:
    """The key of a model that names something off the map, and what; None when there is none.

    Recorded positions may lie anywhere: who is not on the map is out of range.
    """
    for key, value, (x, y) in _places(mobility.model, mobility.options):
        if not (0 <= x <= size[0] and 0 <= y <= size[1]):
            return key, value
    return None


def _places(model: str, options: Mapping[str, Any]) -> Iterator[tuple[str, object, Point]]:
    """Key, value, and a point that it stands for."""
    if model == "manhattan":
        yield from (("vertical", x, (x, 0.0)) for x in options["vertical"])
        yield from (("horizontal", y, (0.0, y)) for y in options["horizontal"])
    elif model == "semi-markov":
        yield from (("states", list(point), point) for point in options["states"].values())
    elif model == "trajectory":
        if options["start"] is not None:
            yield from (("legs", list(point), point) for point in _corners(options["start"], options["legs"]))
        for way in options["ways"]:
            yield from (("ways", list(point), point) for point in _corners(way.start, way.legs))


def _corners(start: Point, legs: Any) -> Iterator[Point]:
    """Where a way begins, turns and ends."""
    x, y = start
    yield x, y
    for leg in legs:
        x, y = x + leg.move[0], y + leg.move[1]
        yield x, y
