"""Roads of a Manhattan map: where a walker can stop, and which way is on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from tidings.scenario.world import Map

Point: TypeAlias = tuple[float, float]
Direction: TypeAlias = tuple[int, int]

DIRECTIONS: Final[tuple[Direction, ...]] = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""North, east, south, west: a turn to the right is the next one."""

QUARTERS: Final = {"straight": 0, "right": 1, "back": 2, "left": 3}
"""Turns to the right that each turn is."""


@dataclass(frozen=True, slots=True)
class Roads:
    """Stops in both directions: junctions of roads, and the map's borders."""

    vertical: tuple[float, ...]
    horizontal: tuple[float, ...]
    across: tuple[float, ...]
    """The x of all vertical roads, with both borders."""
    along: tuple[float, ...]
    """The y of all horizontal roads, with both borders."""

    def next_stop(self, here: Point, heading: int) -> Point:
        """The next junction or border that way; `here` itself at a border that is in the way."""
        direction = DIRECTIONS[heading]
        axis = 0 if direction[0] else 1
        stops, at, sign = (self.across, self.along)[axis], here[axis], direction[axis]
        ahead = [stop for stop in stops if (stop - at) * sign > 0]
        if not ahead:
            return here
        stop = min(ahead) if sign > 0 else max(ahead)
        return (stop, here[1]) if axis == 0 else (here[0], stop)

    def turns_back(self, here: Point, heading: int) -> bool:
        """True where nothing is drawn: at the end of a road, and at a border."""
        is_junction = here[0] in self.vertical and here[1] in self.horizontal
        return not is_junction or self.next_stop(here, heading) == here


def roads_of(vertical: Sequence[float], horizontal: Sequence[float], where: Map) -> Roads:
    """Of a map with these roads."""
    width, height = where.size
    return Roads(tuple(vertical), tuple(horizontal), _with_borders(vertical, width), _with_borders(horizontal, height))


def _with_borders(roads: Sequence[float], size: float) -> tuple[float, ...]:
    return tuple(sorted({0.0, *map(float, roads), float(size)}))
