"""The folder under construction."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tidings.errors import InputError, WorldError
from tidings.logs.staging import StagedFolder
from tidings.profiling import profile_folder
from tidings.profiling.profile_folder import ProfileFolder


class Frame:
    """As much of a DataFrame as a folder asks for."""

    def __init__(self, rows):
        self._rows = rows

    def limit(self, most):
        """So many rows."""
        return Frame(self._rows.slice(0, most))

    def toArrow(self):  # noqa: N802 - Spark's name
        """The rows."""
        return self._rows


def test_what_was_written_is_listed(tmp_path):
    """Tables, lists and copies, with their rows; empty ones are left out."""
    pq.write_table(pa.table({"x": [1, 2, 3]}), tmp_path / "made.parquet")
    with StagedFolder(tmp_path / "out") as staged:
        folder = ProfileFolder(staged)
        assert folder.table("things", Frame(pa.table({"x": [1]}))).num_rows == 1
        folder.table("none", Frame(pa.table({"x": pa.array([], pa.int64())})))
        folder.entries("broker", [{"id": "a"}, {"id": "b"}])
        folder.entries("link", [])
        folder.copy(tmp_path / "made.parquet", "copied.parquet")
        folder.finish({"verb": "profile"})
    rows = {"things.parquet": 1, "scenario-broker.parquet": 2, "copied.parquet": 3}
    assert folder.rows == rows
    said = json.loads((tmp_path / "out" / "run.json").read_bytes())
    assert {file["name"]: file["rows"] for file in said["files"]} == rows


def test_a_schema_is_kept(tmp_path):
    """Types as they are read."""
    with StagedFolder(tmp_path / "out") as staged:
        folder = ProfileFolder(staged)
        schema = pa.schema([pa.field("x", pa.float64(), nullable=False)])
        assert folder.table("things", Frame(pa.table({"x": [1]})), schema).schema == schema


def test_tables_that_nobody_could_read(tmp_path):
    """A scenario's lists have an end."""
    many = pa.table({"x": pa.array(range(profile_folder.ROWS_MAX + 2), pa.int32())})
    with StagedFolder(tmp_path / "out") as staged, pytest.raises(InputError, match="no scenario can read"):
        ProfileFolder(staged).table("things", Frame(many))


def test_a_disk_that_refuses(tmp_path):
    """One sentence."""
    with StagedFolder(tmp_path / "out") as staged, pytest.raises(WorldError, match="cannot write the folder"):
        ProfileFolder(staged).copy(tmp_path / "missing", "x")
