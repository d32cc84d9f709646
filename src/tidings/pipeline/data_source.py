"""`spark.read.format("tidings")` and `spark.readStream.format("tidings")`: log tables of runs, finished or growing.

`load(folder)` with the option `table`, which is `deliveries` without it. A stream gives each row group once, in the order of
files and groups; `rowsPerBatch` bounds a batch, to whole row groups.
"""

from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StringType, StructField, StructType

from tidings.errors import InputError
from tidings.pipeline.table_files import RUN, Piece, pieces_of, read_piece
from tidings.pipeline.tables import spark_schema
from tidings.vocabulary.records import TABLES

ROWS_OPTION: Final = "rowsPerBatch"


@dataclass(frozen=True)
class Wanted:
    """Which table, where."""

    folder: Path
    table: str
    rows_per_batch: int | None = None


class PiecePartition(InputPartition):
    """One piece, on its way to a worker."""

    def __init__(self, piece: Piece) -> None:
        super().__init__(piece)
        self.piece = piece


class TidingsSource(DataSource):
    """The format `tidings`."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        super().__init__(options)
        self.wanted = _wanted(options)

    @classmethod
    def name(cls) -> str:
        """What stands in `format(…)`."""
        return "tidings"

    def schema(self) -> StructType:
        """The table's columns as the reference has them, and `run`."""
        return spark_schema(TABLES[self.wanted.table]).add(StructField(RUN, StringType(), False))

    def reader(self, schema: StructType) -> "TableReader":
        """For a batch: everything that is there now."""
        return TableReader(self.wanted)

    def streamReader(self, schema: StructType) -> "TableStream":
        """For a stream: everything that is there, and that comes."""
        return TableStream(self.wanted)


class TableReader(DataSourceReader):
    """All pieces, each a partition."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted

    def partitions(self) -> Sequence[InputPartition]:
        """In the order of files."""
        return [PiecePartition(piece) for piece in pieces_of(self._wanted.folder, self._wanted.table)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """One Arrow batch."""
        return _rows(self._wanted, partition)


class TableStream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Pieces that were not given yet; an offset counts the row groups given of each file."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._last: dict[str, int] | None = None

    def initialOffset(self) -> dict[str, Any]:
        """Nothing given."""
        return {}

    def getDefaultReadLimit(self) -> ReadLimit:
        """As the options say."""
        rows = self._wanted.rows_per_batch
        return ReadAllAvailable() if rows is None else ReadMaxRows(rows)

    def prepareForTriggerAvailableNow(self) -> None:
        """What comes from now on is for the next query."""
        self._last = _counted({}, pieces_of(self._wanted.folder, self._wanted.table))

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """As far as the limit lets us; one row group at least, or nothing would ever come."""
        rows_max = limit.max_rows if isinstance(limit, ReadMaxRows) else None
        taken: list[Piece] = []
        rows = 0
        for piece in self._new(start):
            if rows_max is not None and taken and rows + piece.rows > rows_max:
                break
            taken.append(piece)
            rows += piece.rows
        return _counted(start, taken)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """What lies between two offsets."""
        return [
            PiecePartition(piece)
            for piece in pieces_of(self._wanted.folder, self._wanted.table, start)
            if piece.group < end.get(piece.file, 0)
        ]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """One Arrow batch."""
        return _rows(self._wanted, partition)

    def _new(self, start: dict[str, Any]) -> Iterator[Piece]:
        for piece in pieces_of(self._wanted.folder, self._wanted.table, start):
            if self._last is None or piece.group < self._last.get(piece.file, 0):
                yield piece


def _wanted(options: MutableMapping[str, str]) -> Wanted:
    table = options.get("table", "deliveries")
    if table not in TABLES:
        raise InputError(f"tidings: there is no table {table}; there are {', '.join(TABLES)}")
    if "path" not in options:
        raise InputError(
            "tidings: say which folder: .load(FOLDER), one that simulate or run writes, or one that holds such"
        )
    rows = options.get(ROWS_OPTION)
    if rows is not None and not (rows.isdecimal() and int(rows) > 0):
        raise InputError(f"tidings: {ROWS_OPTION} = {rows}: a whole number above 0 would be right")
    return Wanted(Path(options["path"]), table, None if rows is None else int(rows))


def _rows(wanted: Wanted, partition: InputPartition) -> Iterator[pa.RecordBatch]:
    assert isinstance(partition, PiecePartition), "ours come back"
    yield read_piece(wanted.folder, wanted.table, partition.piece)


def _counted(start: dict[str, int], pieces: Iterator[Piece] | Sequence[Piece]) -> dict[str, int]:
    found = dict(start)
    for piece in pieces:
        found[piece.file] = piece.group + 1
    return found
