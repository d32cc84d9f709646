"""A walk recorded elsewhere: a table of positions becomes legs, with gaps where nobody knows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from tidings.errors import InputError
from tidings.simulation.steps import Leg

COLUMNS: Final = ("time_ns", "x", "y")
GAP_INTERVALS: Final = 10
"""Positions further apart in time than so many median intervals leave a gap: the walker is nowhere in between."""


def recorded_legs(path: Path) -> Iterator[Leg]:
    """Straight between neighbouring positions; before the first, after the last and in gaps the walker is nowhere.

    Raises:
        InputError: the file cannot be read, lacks a column or a value, or its times do not ascend.
    """
    times, x, y = _columns(path)
    backwards = np.flatnonzero(np.diff(times) <= 0)
    if len(backwards):
        row = int(backwards[0]) + 1
        raise InputError(
            f"{path.name}: row {row + 1}: time_ns = {times[row]} does not come after {times[row - 1]}; sort it"
        )
    return legs_between(times, x, y)


def legs_between(times: np.ndarray, x: np.ndarray, y: np.ndarray) -> Iterator[Leg]:
    """Between positions at ascending times; the last leg, and every gap, is nowhere."""
    steps = np.diff(times)
    longest = GAP_INTERVALS * float(np.median(steps)) if len(steps) else 0.0
    for place in range(len(steps)):
        start_ns, end_ns = int(times[place]), int(times[place + 1])
        if steps[place] > longest:
            yield Leg(start_ns, end_ns, None, None)
        else:
            here, there = (float(x[place]), float(y[place])), (float(x[place + 1]), float(y[place + 1]))
            yield Leg(start_ns, end_ns, here, there)
    yield Leg(int(times[-1]), None, None, None)


def _columns(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    try:
        table = pa_csv.read_csv(path) if path.suffix == ".csv" else pq.read_table(path)
    except (OSError, pa.ArrowException) as problem:
        raise InputError(f"{path.name}: cannot be read as a table of positions: {problem}") from None
    missing = [name for name in COLUMNS if name not in table.column_names]
    if missing:
        raise InputError(f"{path.name}: no column {missing[0]}; positions need {', '.join(COLUMNS)}")
    if not table.num_rows:
        raise InputError(f"{path.name}: no positions; give at least one row")
    try:
        times = table["time_ns"].cast(pa.int64()).combine_chunks().to_numpy(zero_copy_only=False)
        x, y = (table[name].cast(pa.float64()).combine_chunks().to_numpy(zero_copy_only=False) for name in ("x", "y"))
    except (pa.ArrowException, ValueError) as problem:
        raise InputError(f"{path.name}: time_ns must be whole nanoseconds, x and y metres: {problem}") from None
    if times.dtype != np.int64 or not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InputError(f"{path.name}: every row needs time_ns, x and y")
    return times, x, y
