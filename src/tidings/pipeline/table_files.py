"""Where one log table lies in folders of runs, finished or growing, in pieces that can be read one by one.

A file with its final name is complete: whoever writes it writes under another name first. What is hidden is not there yet.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tidings.errors import InputError
from tidings.pipeline.tables import check_file
from tidings.vocabulary.records import NAME_TYPE, TABLES

RUN = "run"
"""Column that says in which folder a row stood, below the one that was named; its own name where it is that one."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One row group of one file."""

    file: str
    """Below the folder that was named."""
    group: int
    rows: int


def table_schema(table: str) -> pa.Schema:
    """The columns of a log table with plain strings, and `run`."""
    fields = [
        pa.field(one.name, pa.string() if one.type == NAME_TYPE else one.type, one.nullable) for one in TABLES[table]
    ]
    return pa.schema([*fields, pa.field(RUN, pa.string(), nullable=False)])


def pieces_of(folder: Path, table: str, behind: Mapping[str, int] | None = None) -> Iterator[Piece]:
    """The pieces of a table in `folder` or in the folders inside it, by name of the file; without the first ones of each
    that `behind` counts. InputError for a file that is no such table.
    """
    known = behind or {}
    for file in table_files(folder, table):
        name = file.relative_to(folder).as_posix()
        check_file(file, TABLES[table])
        with pq.ParquetFile(file) as parquet:
            for group in range(known.get(name, 0), parquet.num_row_groups):
                yield Piece(name, group, parquet.metadata.row_group(group).num_rows)


def table_files(folder: Path, table: str) -> list[Path]:
    """`table.parquet`, or parts `table-….parquet`, here and in the folders inside, by name."""
    if not folder.is_dir():
        raise InputError(f"{folder}: is no folder; name one that simulate or run writes, or one that holds such")
    places = [folder, *(one for one in folder.iterdir() if one.is_dir() and not one.name.startswith("."))]
    found = [one for place in places for pattern in ("", "-*") for one in place.glob(f"{table}{pattern}.parquet")]
    return sorted(found, key=lambda one: one.relative_to(folder).as_posix())


def read_piece(folder: Path, table: str, piece: Piece) -> pa.RecordBatch:
    """The rows of a piece, with `run`."""
    file = folder / piece.file
    schema = table_schema(table)
    try:
        with pq.ParquetFile(file, page_checksum_verification=True) as parquet:
            rows = parquet.read_row_group(piece.group, columns=TABLES[table].names)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{file}: is not a whole Parquet file ({reason}); run it again") from error
    run = Path(piece.file).parent.name or folder.name
    columns = [rows.column(name).cast(schema.field(name).type) for name in TABLES[table].names]
    whole = pa.Table.from_arrays([*columns, pa.array([run] * rows.num_rows, pa.string())], schema=schema)
    return whole.combine_chunks().to_batches()[0] if rows.num_rows else pa.RecordBatch.from_pylist([], schema=schema)
