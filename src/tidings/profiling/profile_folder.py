"""The folder of profiles under construction: tables, lists for scenarios, and files made by Spark."""

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame

from tidings.errors import InputError
from tidings.logs.staging import StagedFolder, saying
from tidings.scenario.parquet_lists import ROWS_MAX, write_entries


class ProfileFolder:
    """What is written goes into `staged`, and how many rows it has is remembered."""

    def __init__(self, staged: StagedFolder) -> None:
        self._staged = staged
        self.rows: dict[str, int] = {}

    def table(self, name: str, frame: DataFrame, schema: pa.Schema | None = None) -> pa.Table:
        """A table with a row for each thing that was profiled; none when it would be empty. Gives it back."""
        found = frame.limit(ROWS_MAX + 1).toArrow()
        if found.num_rows > ROWS_MAX:
            raise InputError(f"{name}: has more than {ROWS_MAX:,} rows, which no scenario can read; name fewer files")
        found = found if schema is None else found.cast(schema)
        if found.num_rows:
            with saying(self._staged.path):
                pq.write_table(found, self._staged.stage / f"{name}.parquet", compression="zstd")
            self.rows[f"{name}.parquet"] = found.num_rows
        return found

    def entries(self, key: str, entries: Iterable[Mapping[str, object]]) -> None:
        """A list that a scenario names, `scenario-key.parquet`."""
        rows = list(entries)
        if rows:
            with saying(self._staged.path):
                write_entries(self._staged.stage / f"scenario-{key}.parquet", rows)
            self.rows[f"scenario-{key}.parquet"] = len(rows)

    def copy(self, source: Path, name: str) -> None:
        """A file that Spark has written."""
        with saying(self._staged.path):
            shutil.copyfile(source, self._staged.stage / name)
        self.rows[name] = pq.read_metadata(source).num_rows

    def finish(self, run: Mapping[str, object]) -> None:
        """Let the folder appear."""
        self._staged.finish(run, self.rows)
