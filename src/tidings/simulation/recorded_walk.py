"""A walk recorded elsewhere: a table of positions becomes legs, with gaps where nobody knows."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tidings.scenario.positions import gaps, read_positions
from tidings.simulation.steps import Leg


def recorded_legs(path: Path) -> Iterator[Leg]:
    """Straight between neighbouring positions; before the first, after the last and in gaps the walker is nowhere.

    Raises InputError like `read_positions`.
    """
    yield from legs_between(*read_positions(path))


def legs_between(times: np.ndarray, x: np.ndarray, y: np.ndarray) -> Iterator[Leg]:
    """Between positions at ascending times; the last leg, and every gap, is nowhere."""
    for place, unknown in enumerate(gaps(times).tolist()):
        start_ns, end_ns = int(times[place]), int(times[place + 1])
        if unknown:
            yield Leg(start_ns, end_ns, None, None)
        else:
            here, there = (float(x[place]), float(y[place])), (float(x[place + 1]), float(y[place + 1]))
            yield Leg(start_ns, end_ns, here, there)
    yield Leg(int(times[-1]), None, None, None)
