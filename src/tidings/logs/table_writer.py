"""One table on its way to one Parquet file, in row groups of a fixed number of rows.

Rows are buffered as columns and cut at fixed counts, so memory does not grow with the run, and the bytes do not depend
on the sizes of the batches that were written.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tidings.vocabulary.records import ATTRIBUTES_TYPE, NULL_NAME, NULL_NS

ROWS_PER_GROUP: Final = 1 << 16
PARTIAL: Final = ".partial"

Columns: TypeAlias = Mapping[str, Sequence[Any] | NDArray[Any] | pa.MapArray]
Names: TypeAlias = Callable[[], pa.Array]
_Chunk: TypeAlias = NDArray[Any] | pa.Array


class TableWriter:
    """Writes rows of `schema` to `path`, which appears when `close` is done."""

    def __init__(self, path: Path, schema: pa.Schema, names: Names) -> None:
        self.rows = 0
        """Rows taken so far."""
        self._path, self._schema, self._names = path, schema, names
        self._partial = path.with_name(path.name + PARTIAL)
        self._parquet: pq.ParquetWriter | None = None
        self._chunks: list[dict[str, _Chunk]] = []
        self._buffered = 0

    def append(self, chunk: dict[str, _Chunk]) -> None:
        """Take rows, as made by `chunk_of`; whole row groups go to the disk."""
        rows = len(next(iter(chunk.values())))
        self.rows += rows
        self._buffered += rows
        self._chunks.append(chunk)
        if self._buffered >= ROWS_PER_GROUP:
            whole = self._buffered - self._buffered % ROWS_PER_GROUP
            columns = {name: _joined([one[name] for one in self._chunks]) for name in self._schema.names}
            for start in range(0, whole, ROWS_PER_GROUP):
                self._write_group({name: column[start : start + ROWS_PER_GROUP] for name, column in columns.items()})
            # Copied, so that the remainder does not keep the whole batch alive.
            self._chunks = [{name: _joined([column[whole:]]) for name, column in columns.items()}]
            self._buffered -= whole

    def close(self) -> None:
        """Write what is left and give the file its name; a table without rows leaves no file."""
        if self._buffered:
            self._write_group({name: _joined([one[name] for one in self._chunks]) for name in self._schema.names})
        if self._parquet is not None:
            self._parquet.close()
            self._partial.rename(self._path)

    def abandon(self) -> None:
        """Let go of the file without finishing it; a full disk refuses even the few bytes that closing writes."""
        if self._parquet is not None:
            with contextlib.suppress(OSError):
                self._parquet.close()

    def _write_group(self, columns: Mapping[str, _Chunk]) -> None:
        if self._parquet is None:
            self._parquet = pq.ParquetWriter(
                self._partial, self._schema, compression="zstd", version="2.6", write_page_checksum=True
            )
        arrays = [self._arrow(field, columns[field.name]) for field in self._schema]
        self._parquet.write_table(pa.Table.from_arrays(arrays, schema=self._schema), row_group_size=ROWS_PER_GROUP)

    def _arrow(self, field: pa.Field, column: _Chunk) -> pa.Array:
        if isinstance(column, pa.Array):
            return column
        if pa.types.is_dictionary(field.type):
            return _named(column, self._names())
        nulls = column == NULL_NS if field.nullable else None
        return pa.array(column, field.type, mask=nulls)


def chunk_of(
    schema: pa.Schema, columns: Columns, encode: Callable[[Sequence[Any]], NDArray[np.int32]]
) -> dict[str, _Chunk]:
    """`columns` as arrays of equal length, one for each field of `schema`, checked and copied.

    Names come as codes, or as text that `encode` turns into codes.
    """
    assert set(columns) == set(schema.names), f"columns {sorted(columns)} are not {sorted(schema.names)}"
    chunk = {field.name: _column(field, columns[field.name], encode) for field in schema}
    lengths = {name: len(column) for name, column in chunk.items()}
    assert len(set(lengths.values())) == 1, f"columns differ in length: {lengths}"
    return chunk


def _column(
    field: pa.Field,
    values: Sequence[Any] | NDArray[Any] | pa.MapArray,
    encode: Callable[[Sequence[Any]], NDArray[np.int32]],
) -> _Chunk:
    if isinstance(values, pa.MapArray):
        return values
    if pa.types.is_map(field.type):
        return map_array(cast("Sequence[Mapping[str, str]]", values))
    if pa.types.is_dictionary(field.type):
        codes = encode(cast("Sequence[Any]", values)) if _is_text(values) else np.array(values, np.int32)
        assert field.nullable or not (codes < 0).any(), f"{field.name} is never null"
        return codes
    if pa.types.is_boolean(field.type):
        return np.array(values, np.bool_)
    if not isinstance(values, np.ndarray):
        values = [NULL_NS if one is None else one for one in values]
    numbers = np.array(values, np.int64)
    assert field.nullable or not (numbers == NULL_NS).any(), f"{field.name} is never null"
    return numbers


def map_array(rows: Sequence[Mapping[str, str]]) -> pa.MapArray:
    """The attributes of many events, each name to filter literal, as Arrow has them; orders are kept."""
    offsets = np.zeros(len(rows) + 1, np.int32)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    keys = pa.array([key for row in rows for key in row], pa.string())
    items = pa.array([item for row in rows for item in row.values()], pa.string())
    return pa.MapArray.from_arrays(pa.array(offsets), keys, items)


def _is_text(values: Sequence[Any] | NDArray[Any]) -> bool:
    return not isinstance(values, np.ndarray) and any(isinstance(one, str) or one is None for one in values)


def _joined(chunks: Sequence[_Chunk]) -> _Chunk:
    if isinstance(chunks[0], pa.Array):
        joined: pa.Array = pa.concat_arrays(chunks).cast(ATTRIBUTES_TYPE)
        return joined
    return np.concatenate(chunks)


def _named(codes: NDArray[np.int32], names: pa.Array) -> pa.DictionaryArray:
    """The dictionary holds only the names that occur, sorted: small, and the same whatever codes they were given."""
    occurs = np.zeros(len(names), np.bool_)
    present = codes != NULL_NAME
    occurs[codes[present]] = True
    used = np.flatnonzero(occurs)
    order = used[pc.array_sort_indices(names.take(pa.array(used))).to_numpy()]
    places = np.zeros(len(names), np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    indices = pa.array(places[codes], pa.int32(), mask=~present)
    return pa.DictionaryArray.from_arrays(indices, names.take(pa.array(order)))
