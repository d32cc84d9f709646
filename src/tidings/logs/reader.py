"""Reading finished folders back, with every complaint naming the file and what to do."""

import contextlib
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from tidings.errors import InputError
from tidings.logs.staging import RUN_FILE
from tidings.vocabulary.records import TABLES

BATCH_ROWS: Final = 1 << 16
SCENARIO_FILE: Final = "scenario.toml"
_AGAIN: Final = "run it again"


class Folder(msgspec.Struct, frozen=True):
    """One finished run on disk; made by `open_folder`."""

    path: Path
    run: Mapping[str, Any]
    """What `run.json` says."""

    @property
    def name(self) -> str:
        """The folder's own name, such as `seed-1`."""
        return self.path.name

    def table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """The whole of a log table, or of some of its columns; a table that was not written has no rows."""
        schema = _chosen(name, columns)
        return pa.Table.from_batches(self.batches(name, columns), schema).unify_dictionaries()

    def batches(self, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """A log table piece by piece, in the order written, in bounded memory."""
        schema = _chosen(name, columns)
        file = self.file_of(name)
        if file is None:
            return
        with _blaming(file):
            parquet = pq.ParquetFile(file, page_checksum_verification=True)
            with contextlib.closing(parquet):
                missing = [one for one in schema.names if one not in parquet.schema_arrow.names]
                if missing:
                    raise InputError(f"{file}: has no column {', '.join(missing)}; {_AGAIN} with this version")
                for batch in parquet.iter_batches(BATCH_ROWS, columns=schema.names):
                    yield _conforming(file, batch, schema)

    def scenario(self) -> Mapping[str, Any]:
        """The expanded scenario as plain TOML values, not validated."""
        file = self.path / SCENARIO_FILE
        try:
            return tomllib.loads(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{file}: cannot be read ({error.strerror}); {_AGAIN}") from error
        except ValueError as error:
            raise InputError(f"{file}: is not TOML ({error}); {_AGAIN}") from error

    def file_of(self, table: str) -> Path | None:
        """Where a log table is; None for one that was not written."""
        file = self.path / f"{table}.parquet"
        return file if file.is_file() else None

    def rows(self, table: str) -> int:
        """How many rows a log table has, as its file says."""
        file = self.file_of(table)
        if file is None:
            return 0
        with _blaming(file):
            return int(pq.read_metadata(file).num_rows)

    def files(self) -> Mapping[str, Mapping[str, Any]]:
        """The complete files by name, as `run.json` describes them: bytes, sha256, and rows where they are tables."""
        return {one["name"]: one for one in self.run["files"]}

    @property
    def altered(self) -> tuple[str, ...]:
        """Files that are not as `run.json` says, and log tables that it does not know: somebody has changed the logs."""
        listed = self.files()
        changed = [name for name, one in listed.items() if (self.path / name).stat().st_size != one["bytes"]]
        strange = [file.name for table in TABLES if (file := self.file_of(table)) and file.name not in listed]
        return (*changed, *strange)


def open_folder(path: Path | str) -> Folder:
    """The finished run in `path`. Raises InputError when there is none, or when a listed file is missing."""
    place = Path(path)
    folder = Folder(place, _run_file(place))
    for name in folder.files():
        if not (place / name).is_file():
            raise InputError(f"{place / name}: is missing, and {RUN_FILE} lists it; {_AGAIN}")
    return folder


def runs_of(path: Path | str) -> list[Folder]:
    """Every run of a folder of runs, in its order, or the one run that `path` is."""
    place = Path(path)
    names = _run_file(place).get("runs")
    return [open_folder(place)] if names is None else [open_folder(place / name) for name in names]


def _run_file(place: Path) -> dict[str, Any]:
    file = place / RUN_FILE
    try:
        document = json.loads(file.read_bytes())
    except OSError:
        raise InputError(
            f"{place}: no finished run is here (no {RUN_FILE}); name a folder that simulate or run wrote"
        ) from None
    except ValueError as error:
        raise InputError(f"{file}: is not JSON ({error}); {_AGAIN}") from error
    if not _well_formed(document):
        raise InputError(f"{file}: does not list its files by name and bytes, or its runs by name; {_AGAIN}")
    return dict(document)


def _well_formed(document: object) -> bool:
    if not isinstance(document, dict) or not isinstance(document.get("files"), list):
        return False
    runs = document.get("runs", [])
    described = all(
        isinstance(one, dict) and _plain(one.get("name")) and isinstance(one.get("bytes"), int)
        for one in document["files"]
    )
    return described and isinstance(runs, list) and all(_plain(name) for name in runs)


def _plain(name: object) -> bool:
    """A name within the folder: no path that leads out of it."""
    return isinstance(name, str) and name not in ("", ".", "..") and not set(name) & set("/\\\0")


def _chosen(table: str, columns: Sequence[str] | None) -> pa.Schema:
    schema = TABLES[table]
    return schema if columns is None else pa.schema([schema.field(name) for name in columns])


def _conforming(file: Path, batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    arrays = []
    for field in schema:
        array = batch.column(field.name)
        if pa.types.is_dictionary(field.type) and array.type in (pa.string(), pa.large_string()):
            array = array.cast(pa.string()).dictionary_encode()
        if array.type != field.type:
            raise InputError(
                f"{file}: column {field.name} is {array.type}, not {field.type}; {_AGAIN} with this version"
            )
        if array.null_count and not field.nullable:
            raise InputError(f"{file}: column {field.name} has nulls and must not; {_AGAIN} with this version")
        arrays.append(array)
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


@contextlib.contextmanager
def _blaming(file: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{file}: is not a whole Parquet file ({reason}); {_AGAIN}") from error
