"""The attributes of many events as columns: numbers that differ wherever a filter could tell, and the values behind them."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tidings.vocabulary.value import Value, format_literal

Ints: TypeAlias = NDArray[np.int64]

WHOLE: Final = "whole"
"""Kind of a column whose numbers are its values."""
FLOAT: Final = "float"
"""Kind of a column whose numbers are the bits of its values."""
NO_ATTRIBUTES: Final[Mapping[str, Value]] = {}


@dataclass(frozen=True, slots=True)
class Column:
    """One attribute of many events. Two columns of one kind have equal numbers only where their values are equal."""

    name: str
    kind: Hashable
    numbers: Ints
    values: Sequence[Value] = ()
    """What the numbers count, for every other kind."""

    def at(self, rows: Ints) -> list[Value]:
        """The values in these rows."""
        return self.behind(self.numbers[rows])

    def behind(self, numbers: Ints) -> list[Value]:
        """The values that these numbers stand for."""
        if self.kind == WHOLE:
            whole: list[Value] = numbers.tolist()
            return whole
        if self.kind == FLOAT:
            floats: list[Value] = numbers.view(np.float64).tolist()
            return floats
        return [self.values[number] for number in numbers.tolist()]


@dataclass(frozen=True, slots=True)
class Block:
    """Events that have the same attributes: where they stand among the events around them, and their columns."""

    places: Ints
    columns: tuple[Column, ...]

    @property
    def layout(self) -> tuple[Hashable, ...]:
        """Equal for blocks whose numbers can be compared."""
        return tuple((column.name, column.kind) for column in self.columns)

    def records(self, rows: Ints) -> list[Mapping[str, Value]]:
        """The attributes in these rows of the block."""
        if not self.columns:
            return [NO_ATTRIBUTES] * len(rows)
        names = [column.name for column in self.columns]
        values = [column.at(rows) for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def choice_kind(values: Sequence[Value]) -> Hashable:
    """The kind of columns that count these values; 1, 1.0 and True are three, 0.0 and -0.0 two."""
    return tuple((type(value), repr(value)) for value in values)


def joined(blocks: Sequence[Block]) -> list[Block]:
    """The same events in as few blocks as their layouts allow, in the order of first appearance."""
    alike: dict[tuple[Hashable, ...], list[Block]] = {}
    for block in blocks:
        alike.setdefault(block.layout, []).append(block)
    return [_one(group) for group in alike.values()]


def _one(group: Sequence[Block]) -> Block:
    if len(group) == 1:
        return group[0]
    columns = zip(*(block.columns for block in group), strict=True)
    return Block(
        np.concatenate([block.places for block in group]),
        tuple(
            Column(one[0].name, one[0].kind, np.concatenate([part.numbers for part in one]), one[0].values)
            for one in columns
        ),
    )


def literals(blocks: Sequence[Block], events: int) -> pa.MapArray:
    """Attributes of so many events, as the log table has them; the places of `blocks` cover all of these."""
    widths = np.zeros(events + 1, np.int64)
    for block in blocks:
        widths[block.places + 1] = len(block.columns)
    offsets = np.cumsum(widths)
    names, texts = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.int64)
    known: dict[str, int] = {}
    pool: list[str] = []
    for block in blocks:
        for number, column in enumerate(block.columns):
            positions = offsets[block.places] + number
            different, which = np.unique(column.numbers, return_inverse=True)
            names[positions] = known.setdefault(column.name, len(known))
            texts[positions] = which + len(pool)
            pool += map(format_literal, column.behind(different))
    keys = pa.array(list(known), pa.string()).take(pa.array(names))
    items = pa.array(pool, pa.string()).take(pa.array(texts))
    return pa.MapArray.from_arrays(pa.array(offsets.astype(np.int32)), keys, items)
