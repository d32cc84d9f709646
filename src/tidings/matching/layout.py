"""Where a table's rows are: for each attribute four single values, then cells of numbers, then cells of strings.

Cells end where many filters' intervals end (quantiles), so that they hold about as many ends each; where few filters
differ, every end is between two cells, and nothing has to be checked later.
"""

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from tidings.matching.limits import SAMPLE_MAX

SINGLE_ROWS: Final = 4
"""Absent, of no family, false, true."""
_LARGEST: Final = np.finfo(np.float64).max
"""No cell begins here: the integers beyond it share a cell with ordinary numbers, which no bound can fill by mistake."""


class Layout(msgspec.Struct, frozen=True):
    """The cells of all attributes, end to end."""

    places: NDArray[np.float64]
    """First doubles of cells, ascending for each attribute and family; the first cell begins at minus infinity."""
    place_starts: NDArray[np.int64]
    """Where the places of attribute a's numbers (2a) and strings (2a + 1) begin; one more at the end."""
    row_starts: NDArray[np.int64]
    """The first row of each attribute; one more at the end: the number of rows."""

    def places_of(self, attribute: int, *, strings: bool) -> NDArray[np.float64]:
        """The places of one attribute and family."""
        line = 2 * attribute + strings
        return self.places[self.place_starts[line] : self.place_starts[line + 1]]


def lay_out(ends: list[NDArray[np.float64]], rows_max: int) -> Layout:
    """Cells for the ends of intervals: those of attribute a's numbers at 2a, of its strings at 2a + 1.

    Lines with few different ends get them all; the others share what is left of `rows_max`, at least one each.
    """
    samples = [_sample(np.sort(line[np.abs(line) < _LARGEST])) for line in ends]
    needs = np.array([np.unique(sample).size for sample in samples], dtype=np.int64)
    shares = _shares(needs, rows_max - (SINGLE_ROWS + 2) * (len(ends) // 2))
    places = [_quantiles(sample, int(share)) for sample, share in zip(samples, shares, strict=True)]
    sizes = np.array([line.size for line in places], dtype=np.int64)
    rows = sizes.reshape(-1, 2).sum(axis=1) + SINGLE_ROWS + 2
    return Layout(np.concatenate([*places, np.empty(0)]), _starts(sizes), _starts(rows))


def _starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def _sample(ascending: NDArray[np.float64]) -> NDArray[np.float64]:
    if ascending.size <= SAMPLE_MAX:
        return ascending
    return ascending[np.linspace(0, ascending.size - 1, SAMPLE_MAX).astype(np.int64)]


def _shares(needs: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """As much as each needs, or an even part of what those that need less leave."""
    shares = np.zeros_like(needs)
    left, waiting = total, needs.size
    for line in np.argsort(needs, kind="stable"):
        shares[line] = min(int(needs[line]), max(1, left // waiting))
        left -= int(shares[line])
        waiting -= 1
    return shares


def _quantiles(ascending: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    distinct = np.unique(ascending)
    if distinct.size <= count:
        return distinct
    return np.unique(ascending[np.linspace(0, ascending.size - 1, count).astype(np.int64)])
