"""The folder of one run: the log tables and the files beside them."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tidings.logs.staging import StagedFolder, saying
from tidings.logs.table_writer import Columns, TableWriter, chunk_of
from tidings.vocabulary.records import NULL_NAME, TABLES


class LogFolder:
    """Writes one run; a context manager that leaves nothing behind unless `finish` was called.

    Rows of a table go in by columns, in batches of any size, in the order of time. Names are codes: positions in
    `names`, or whatever `code` gave.
    """

    def __init__(self, staged: StagedFolder, names: Sequence[str], tables: Collection[str]) -> None:
        self._staged = staged
        self._codes: dict[str, int] = {}
        self._names: list[str] = []
        self._dictionary = pa.array([], pa.string())
        for name in names:
            self.code(name)
        assert len(self._names) == len(names), "names are unique"
        self._writers = {
            table: TableWriter(staged.stage / f"{table}.parquet", schema, self._arrow_names)
            for table, schema in TABLES.items()
            if table in tables
        }
        self._rows: dict[str, int] = {}

    @classmethod
    def create(cls, path: Path | str, *, names: Sequence[str], tables: Collection[str] | None = None) -> "LogFolder":
        """Begin the folder `path`, which must not exist or be empty; `tables` None means all of them.

        Raises InputError for a target that is taken and WorldError for a place that cannot be written.
        """
        chosen = list(TABLES) if tables is None else tables
        assert set(chosen) <= set(TABLES), f"no such tables: {sorted(set(chosen) - set(TABLES))}"
        return cls(StagedFolder(Path(path)), names, chosen)

    @property
    def path(self) -> Path:
        """Where the folder will be."""
        return self._staged.path

    @property
    def stage(self) -> Path:
        """Where its files are until `finish`."""
        return self._staged.stage

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.abandon()

    def keeps(self, table: str) -> bool:
        """False when rows of `table` are not wanted; writing them is harmless and does nothing."""
        return table in self._writers

    def code(self, name: str) -> int:
        """The code of `name`, a new one when it was not known."""
        if name not in self._codes:
            self._codes[name] = len(self._names)
            self._names.append(name)
        return self._codes[name]

    def name(self, code: int) -> str:
        """The name behind a code."""
        return self._names[code]

    def write(self, table: str, columns: Columns) -> None:
        """Add rows: one entry for each column of the table, all of one length.

        Names are arrays of codes (-1: null) or lists of text; integers that may be null use `NULL_NS` or None;
        `attributes` is a list of mappings or a map array. The arrays are copied.
        """
        assert table in TABLES, f"no such table: {table}"
        if table in self._writers:
            chunk = chunk_of(TABLES[table], columns, self._encode)
            with saying(self.path):
                self._writers[table].append(chunk)

    def write_text(self, name: str, text: str) -> None:
        """Put a text file such as `scenario.toml` beside the tables."""
        self._staged.write_text(name, text)

    def write_arrow(self, name: str, table: pa.Table) -> None:
        """Put a Parquet file of any columns beside the tables, whole."""
        assert name.endswith(".parquet"), f"{name} does not end in .parquet"
        assert name.removesuffix(".parquet") not in TABLES, f"{name} is a log table"
        with saying(self.path):
            pq.write_table(table, self.stage / name, compression="zstd", version="2.6", write_page_checksum=True)
        self._rows[name] = table.num_rows

    def finish(self, run: Mapping[str, object]) -> Path:
        """Close every table, write `run.json` with `run` and the list of files, and let the folder appear."""
        with saying(self.path):
            for table, writer in self._writers.items():
                writer.close()
                self._rows[f"{table}.parquet"] = writer.rows
        self._staged.finish(run, self._rows)
        return self.path

    def abandon(self) -> None:
        """Remove what was written; nothing happens after `finish`."""
        for writer in self._writers.values():
            writer.abandon()
        self._staged.abandon()

    def _encode(self, values: Sequence[Any]) -> NDArray[np.int32]:
        return np.array([NULL_NAME if one is None else self.code(one) for one in values], np.int32)

    def _arrow_names(self) -> pa.Array:
        if len(self._dictionary) != len(self._names):
            self._dictionary = pa.array(self._names, pa.string())
        return self._dictionary
