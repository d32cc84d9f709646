"""Positions of a walker recorded elsewhere: the table that `model = "recorded"` names."""

from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tidings.errors import InputError

Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]

COLUMNS: Final = ("time_ns", "x", "y")
GAP_INTERVALS: Final = 10
"""Positions further apart in time than so many median intervals leave a gap: the walker is nowhere in between."""


def read_positions(path: Path) -> tuple[Longs, Floats, Floats]:
    """Ascending times in nanoseconds, and x and y in metres.

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
    return times, x, y


def gaps(times: Longs) -> Bools:
    """For each step between two positions, whether it is a gap."""
    steps = np.diff(times)
    longest = GAP_INTERVALS * float(np.median(steps)) if len(steps) else 0.0
    found: Bools = steps > longest
    return found


def _columns(path: Path) -> tuple[Longs, Floats, Floats]:
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
