"""Long lists of a scenario in Parquet files: a row for each entry, a column for each key.

Texts, numbers, switches and lists of texts are plain columns. What is more (a distribution, a table of attributes) is
JSON text; the column's metadata says so. An absent key is null.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tidings.scenario.source import Place

LENGTH_MAX: Final = 1_000
"""Longer lists go to a file of their own."""
ROWS_MAX: Final = 1_000_000
_JSON: Final = {b"tidings": b"json"}


def write_entries(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write entries, each the TOML value of a table; the order of rows and keys is kept."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [_column(name, [row.get(name) for row in rows]) for name in names]
    table = pa.Table.from_arrays([array for _, array in columns], schema=pa.schema([field for field, _ in columns]))
    pq.write_table(table, path, compression="zstd")


def read_entries(place: Place, name: str) -> list[dict[str, Any]]:
    """The entries of a file that `write_entries` wrote, or that has plain columns of the same names."""
    path = place.companion(name)
    try:
        with pq.ParquetFile(path) as file:
            rows = file.metadata.num_rows
            table = file.read() if rows <= ROWS_MAX else None
    except (pa.ArrowException, OSError) as problem:
        raise place.wrong(name, f"must be a Parquet table, a row for each entry: {problem}") from None
    if table is None:
        raise place.wrong(name, f"holds {rows} rows; at most {ROWS_MAX} are possible")
    columns = [_values(place, table.schema.field(index), table.column(index)) for index in range(table.num_columns)]
    names = table.schema.names
    return [
        {one: value for one, value in zip(names, row, strict=True) if value is not None}
        for row in (zip(*columns, strict=True) if columns else [()] * rows)
    ]


def _column(name: str, values: list[object]) -> tuple[pa.Field, pa.Array]:
    kind = _arrow_type(values)
    if kind is not None:
        return pa.field(name, kind), pa.array(values, kind)
    texts = [None if value is None else json.dumps(value, ensure_ascii=False) for value in values]
    return pa.field(name, pa.string(), metadata=_JSON), pa.array(texts, pa.string())


def _arrow_type(values: list[object]) -> pa.DataType | None:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {list}:
        inner = {type(one) for value in values if isinstance(value, list) for one in value}
        return pa.list_(pa.string()) if inner <= {str} else None
    if kinds == {int} and any(isinstance(value, int) and abs(value) >= 1 << 63 for value in values):
        return None
    plain = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
    return plain.get(kinds.pop()) if len(kinds) == 1 else None


def _values(place: Place, field: pa.Field, column: pa.ChunkedArray) -> list[Any]:
    values: list[Any] = column.to_pylist()
    if (field.metadata or {}).get(b"tidings") != b"json":
        return values
    try:
        return [None if value is None else json.loads(value) for value in values]
    except (ValueError, TypeError):
        raise place.child(field.name).wrong(field.name, "this column must hold JSON text") from None
