"""Arrow functions that see whole sequences: sorted rows come in batches, whole sequences go to NumPy in large pieces."""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa

from tidings.checking.history import Integers

ROWS_AT_ONCE: Final = 1 << 20
Batches: TypeAlias = Iterator[pa.RecordBatch]
Whole: TypeAlias = Callable[[pa.Table], pa.Table]


def whole_groups(work: Whole, *, rows_at_once: int = ROWS_AT_ONCE) -> Callable[[Batches], Batches]:
    """A function for `mapInArrow` that hands `work` many whole groups at a time.

    The rows must be partitioned by their first column and sorted by it; a group is never cut, however long it is.
    """

    def run(batches: Batches) -> Batches:
        waiting: list[pa.RecordBatch] = []
        rows = 0
        for batch in batches:
            if not batch.num_rows:
                continue
            waiting.append(batch)
            rows += batch.num_rows
            if rows >= rows_at_once and waiting[0].column(0)[0] != batch.column(0)[-1]:
                table = pa.Table.from_batches(waiting)
                cut = _last_group(table)
                yield from work(table.slice(0, cut).combine_chunks()).to_batches()
                waiting, rows = table.slice(cut).to_batches(), table.num_rows - cut
        if rows:
            yield from work(pa.Table.from_batches(waiting).combine_chunks()).to_batches()

    return run


def integers(table: pa.Table, name: str) -> Integers:
    """A column without nulls as an array."""
    numbers: Integers = table.column(name).combine_chunks().to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return numbers


def _last_group(table: pa.Table) -> int:
    """Where the last group begins, which may not be complete yet."""
    keys = integers(table, table.column_names[0])
    return int(np.searchsorted(keys, keys[-1]))
