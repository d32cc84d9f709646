"""Numbers for what events say: equal where every filter treats two events alike, so that a table is asked once for all."""

from collections.abc import Hashable
from typing import Final

import numpy as np

from tidings.simulation.columns import Block, Ints
from tidings.simulation.stretch import Stretch

CONTENTS_MIN: Final = 4_096
"""So many contents are remembered, whatever the bound."""


class Contents:
    """Counts different topics-with-attributes as they come. What is remembered is bounded: see `keep`."""

    def __init__(self) -> None:
        self._layouts: dict[tuple[Hashable, ...], int] = {}
        self._next_layout = 0
        self._numbers: dict[tuple[int, bytes], int] = {}

    def __len__(self) -> int:
        """How many are remembered; numbers are below."""
        return len(self._numbers)

    def numbers(self, stretch: Stretch) -> Ints:
        """By place."""
        numbers = np.empty(len(stretch), np.int64)
        for block in stretch.blocks:
            numbers[block.places] = self._of_block(block, stretch.topics[block.places])
        return numbers

    def keep(self, used: Ints) -> None:
        """Forget all but these, which are ascending and are counted anew in this order."""
        keys = list(self._numbers)
        self._numbers = {keys[number]: place for place, number in enumerate(used.tolist())}
        layouts = {layout for layout, _ in self._numbers}
        self._layouts = {layout: number for layout, number in self._layouts.items() if number in layouts}

    def _of_block(self, block: Block, topics: Ints) -> Ints:
        columns = [topics, *(column.numbers for column in block.columns)]
        first, which = distinct_rows(columns)
        rows = np.stack([column[first] for column in columns], axis=1)
        layout = self._layout(block)
        known = self._numbers
        numbers = [known.setdefault((layout, row.tobytes()), len(known)) for row in rows]
        return np.array(numbers, np.int64)[which]

    def _layout(self, block: Block) -> int:
        layout = block.layout
        if layout not in self._layouts:
            self._layouts[layout] = self._next_layout
            self._next_layout += 1
        return self._layouts[layout]


def distinct_rows(columns: list[Ints]) -> tuple[Ints, Ints]:
    """Of rows that stand in columns: one row of each kind, and for every row the place of its kind among these."""
    combined = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        _, which = np.unique(column, return_inverse=True)
        combined = combined * (which.max() + 1) + which
        if len(columns) > 1:
            _, combined = np.unique(combined, return_inverse=True)
    _, first, which = np.unique(combined, return_index=True, return_inverse=True)
    return first, which
