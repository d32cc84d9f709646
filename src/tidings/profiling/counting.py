"""Arrivals counted piece by piece: intervals by size, and how many fall into windows of every length.

A piece is what a worker holds of one publisher's events, in order. What lies within a piece is summed up there; where it
ends (its first and last event, its first and last window) a row says so, and whoever joins the pieces counts the rest.
"""

import math
from collections.abc import Iterator
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Longs: TypeAlias = NDArray[np.int64]

SCHEMA: Final = "publisher string, what string, level int, key bigint, n bigint, total bigint, square bigint"
BUCKETS_PER_E: Final = 64
"""Intervals whose logarithms differ by less than a 64th are counted together."""
BASE_BITS: Final = 10
"""The shortest windows are 2¹⁰ ns long."""
LEVELS: Final = 51
"""Each window is twice as long as the one before; the longest has some 13 days."""
_NUMBERS: Final = {"level": pa.int32(), "key": pa.int64(), "n": pa.int64(), "total": pa.int64(), "square": pa.int64()}


def window_ns(level: int) -> int:
    """The length of windows."""
    return 1 << (BASE_BITS + level)


def counted(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """From `publisher, segment, at_ns, rank` in order: sums (`interval`, `windows`) and ends (`end`, `window`)."""
    for batch in batches:
        if batch.num_rows:
            yield from _Pieces(batch).rows()


def bucket_of(interval_ns: Longs) -> Longs:
    """By size; -1 for none at all."""
    found = np.floor(np.log(np.maximum(interval_ns, 1)) * BUCKETS_PER_E).astype(np.int64)
    return np.where(interval_ns > 0, found, -1)


class _Pieces:
    """One batch, cut where another publisher begins or where ranks do not follow each other."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        names = batch.column("publisher").dictionary_encode()
        self._names = names.dictionary
        self._codes = names.indices.to_numpy()
        self._at = batch.column("at_ns").to_numpy()
        self._rank = batch.column("rank").to_numpy()
        self._segment = batch.column("segment").to_numpy()
        breaks = (np.diff(self._codes) != 0) | (np.diff(self._rank) != 1)
        self._first = np.concatenate([[0], np.flatnonzero(breaks) + 1])
        self._last = np.concatenate([self._first[1:], [len(self._at)]]) - 1
        self._piece = np.repeat(np.arange(len(self._first)), self._last - self._first + 1)

    def rows(self) -> Iterator[pa.RecordBatch]:
        yield self._intervals()
        yield self._ends()
        for level in range(LEVELS):
            yield from self._windows(level)

    def _intervals(self) -> pa.RecordBatch:
        """By bucket (key): how many (n), and their sum (total)."""
        follows = (np.diff(self._piece) == 0) & (np.diff(self._segment) == 0)
        lengths = np.diff(self._at)[follows]
        codes, buckets = self._codes[1:][follows], bucket_of(lengths)
        order = np.lexsort((buckets, codes))
        codes, buckets, lengths = codes[order], buckets[order], lengths[order]
        first = np.flatnonzero(np.diff(codes, prepend=-1) | np.diff(buckets, prepend=-2))
        return self._batch(
            "interval",
            codes[first],
            key=buckets[first],
            n=np.diff(first, append=len(codes)),
            total=np.add.reduceat(lengths, first) if len(first) else lengths,
        )

    def _ends(self) -> pa.RecordBatch:
        """Of the first and the last event of every piece: rank (key), instant (n), segment (level); total: 1 for a first."""
        at = np.unique(np.concatenate([self._first, self._last]))
        first = np.isin(at, self._first).astype(np.int64)
        return self._batch(
            "end", self._codes[at], level=self._segment[at], key=self._rank[at], n=self._at[at], total=first
        )

    def _windows(self, level: int) -> Iterator[pa.RecordBatch]:
        """Events in each window; the first and last windows of a piece go on in others."""
        window = self._at >> (BASE_BITS + level)
        starts = np.concatenate([[0], np.flatnonzero((np.diff(window) != 0) | (np.diff(self._piece) != 0)) + 1])
        counts = np.diff(np.concatenate([starts, [len(window)]]))
        piece = self._piece[starts]
        outer = np.concatenate([[True], np.diff(piece) != 0]) | np.concatenate([np.diff(piece) != 0, [True]])
        yield self._batch("window", self._codes[starts[outer]], level=level, key=window[starts[outer]], n=counts[outer])
        inner = ~outer
        codes = self._codes[starts[inner]]
        size, inside = len(self._names), counts[inner].astype(np.float64)
        held = np.bincount(codes, minlength=size)
        present = np.flatnonzero(held)
        yield self._batch(
            "windows",
            present,
            level=level,
            n=held[present],
            total=np.bincount(codes, inside, size)[present],
            square=np.bincount(codes, inside**2, size)[present],
        )

    def _batch(self, what: str, codes: Longs, **given: Longs | NDArray[np.float64] | int) -> pa.RecordBatch:
        names = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), self._names).cast(pa.string())
        columns = [
            pa.array(np.broadcast_to(given.get(name, 0), len(codes)).astype(np.int64), kind)
            for name, kind in _NUMBERS.items()
        ]
        whats = pa.array([what] * len(codes), pa.string())
        return pa.RecordBatch.from_arrays([names, whats, *columns], ["publisher", "what", *_NUMBERS])


def spread_evenly(counts: NDArray[np.float64], means: NDArray[np.float64], parts: int) -> NDArray[np.float64]:
    """Means of `parts` equal shares of values that are known as groups, ascending: each share of its groups' means."""
    share = counts.sum() / parts
    upto = np.concatenate([[0.0], np.cumsum(counts)])
    sums = np.concatenate([[0.0], np.cumsum(counts * means)])
    cuts = np.minimum(np.arange(parts + 1) * share, upto[-1])
    places = np.clip(np.searchsorted(upto, cuts, side="right") - 1, 0, len(counts) - 1)
    below = sums[places] + (cuts - upto[places]) * means[places]
    found: NDArray[np.float64] = np.diff(below) / share
    return found


def index_of_dispersion(span_ns: float, level: int, sums: tuple[float, float]) -> float | None:
    """Variance over mean of the counts in windows of a level, from Σ count and Σ count²; None where too few fit."""
    windows = math.floor(span_ns / window_ns(level))
    total, square = sums
    if windows < 20 or total == 0:
        return None
    mean = total / windows
    return max(square / windows - mean**2, 0.0) / mean
