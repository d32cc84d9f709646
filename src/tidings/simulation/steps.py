"""Straight legs: what every walk is made of."""

import math
from dataclasses import dataclass
from typing import TypeAlias

from tidings.vocabulary.instant import SECOND

Point: TypeAlias = tuple[float, float]
"""Metres on the map."""


@dataclass(frozen=True, slots=True)
class Leg:
    """From one place to another at constant speed; nowhere when the places are None."""

    start_ns: int
    end_ns: int | None
    """None: for ever, in one place."""
    start: Point | None
    end: Point | None


def straight(now: int, here: Point, there: Point, speed: float) -> Leg:
    """A leg at `speed` metres per second; at speed 0 the walker stays where it is for ever."""
    distance = math.dist(here, there)
    if distance > 0 and speed <= 0:
        return Leg(now, None, here, here)
    return Leg(now, now + round(distance / speed * SECOND) if distance else now, here, there)
