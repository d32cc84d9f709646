"""Reading back what was written, and saying what is wrong with what was not."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tidings.errors import InputError
from tidings.logs import LogFolder, RunsFolder, open_folder, runs_of
from tidings.logs.reader import BATCH_ROWS
from tidings.vocabulary.records import TABLES


@pytest.fixture
def run(tmp_path):
    """A finished run with more outages than one batch holds."""
    count = BATCH_ROWS + 100
    with LogFolder.create(tmp_path / "run", names=["b0", "b1", "broker"]) as folder:
        folder.write(
            "outages",
            {
                "component": np.arange(count) // BATCH_ROWS,
                "kind": np.full(count, 2),
                "down_ns": np.arange(count),
                "up_ns": np.arange(count) + 1,
            },
        )
        folder.write_text("scenario.toml", 'name = "x"\n')
        folder.finish({"seed": 4})
    return tmp_path / "run"


def replace(run, table):
    """Put another file in the place of `outages.parquet`, with its size in `run.json`."""
    file = run / "outages.parquet"
    pq.write_table(table, file) if isinstance(table, pa.Table) else file.write_bytes(table)
    document = json.loads((run / "run.json").read_bytes())
    document["files"][0]["bytes"] = file.stat().st_size
    (run / "run.json").write_text(json.dumps(document))


def test_what_was_written(run):
    """Whole, or some of its columns."""
    folder = open_folder(run)
    assert (folder.name, folder.run["seed"]) == ("run", 4)
    table = folder.table("outages")
    assert table.schema == TABLES["outages"]
    assert table.num_rows == BATCH_ROWS + 100
    assert table.column("component").slice(BATCH_ROWS - 1, 2).to_pylist() == ["b0", "b1"]
    assert folder.table("outages", ["down_ns"]).column_names == ["down_ns"]
    assert folder.scenario() == {"name": "x"}
    assert list(folder.files()) == ["outages.parquet", "scenario.toml"]


def test_batches_are_bounded(run):
    """And in the order written."""
    batches = list(open_folder(run).batches("outages", ["down_ns", "component"]))
    assert [len(batch) for batch in batches] == [BATCH_ROWS, 100]
    assert batches[0].schema.names == ["down_ns", "component"]
    assert batches[1].column(0).to_pylist() == list(range(BATCH_ROWS, BATCH_ROWS + 100))


@pytest.mark.parametrize("table", TABLES)
def test_an_absent_table_is_empty(tmp_path, table):
    """With its schema."""
    with LogFolder.create(tmp_path / "run", names=[]) as folder:
        folder.finish({})
    read = open_folder(tmp_path / "run").table(table)
    assert read.num_rows == 0
    assert read.schema == TABLES[table]


def test_no_run_json_is_no_finished_run(tmp_path):
    """Named, with the remedy."""
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError, match=r"no finished run is here.*name a folder"):
            open_folder(place)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "{}",
        '{"files": 3}',
        '{"files": [3]}',
        '{"files": [{"name": "a"}]}',
        '{"files": [{"name": "../a", "bytes": 1}]}',
        '{"files": [], "runs": 3}',
        '{"files": [], "runs": [""]}',
        '{"files": [], "runs": [".."]}',
        '{"files": [], "runs": ["a/b"]}',
    ],
)
def test_a_run_json_that_cannot_be_used(tmp_path, text):
    """Broken, or leading out of the folder."""
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(InputError, match=r"run\.json"):
        runs_of(tmp_path)


def test_a_file_that_is_missing_or_cut(run):
    """The one is found when the folder is opened, the other when it is read."""
    file = run / "outages.parquet"
    content = file.read_bytes()
    file.write_bytes(content[:-1])
    with pytest.raises(InputError, match=r"outages\.parquet: is not a whole Parquet file"):
        open_folder(run).table("outages")
    with pytest.raises(InputError, match=r"outages\.parquet: is not a whole Parquet file"):
        open_folder(run).rows("outages")
    file.unlink()
    with pytest.raises(InputError, match=r"outages\.parquet: is missing"):
        open_folder(run)


def test_tables_that_somebody_has_changed(run):
    """They are read as they are, and named."""
    assert open_folder(run).altered == ()
    assert open_folder(run).rows("outages") == BATCH_ROWS + 100
    table = open_folder(run).table("outages")
    pq.write_table(table.slice(0, 3), run / "outages.parquet")
    pq.write_table(open_folder(run).table("drops"), run / "drops.parquet")
    changed = open_folder(run)
    assert changed.altered == ("outages.parquet", "drops.parquet")
    assert (changed.rows("outages"), changed.table("outages").num_rows, changed.rows("deliveries")) == (3, 3, 0)


def test_a_file_that_is_damaged(run):
    """Checksums of pages: a flipped bit in the data is seen as well as a broken footer."""
    file = run / "outages.parquet"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"outages\.parquet: is not a whole Parquet file"):
        open_folder(run).table("outages")
    replace(run, b"PAR1 nothing PAR1")
    with pytest.raises(InputError, match=r"outages\.parquet: is not a whole Parquet file"):
        open_folder(run).table("outages")


def test_names_may_be_plain_text(run):
    """As other writers leave them."""
    plain = pa.table({"component": ["b0"], "kind": pa.array(["k"], pa.large_string()), "down_ns": [1], "up_ns": [2]})
    replace(run, plain)
    assert open_folder(run).table("outages").to_pylist() == [{"component": "b0", "kind": "k", "down_ns": 1, "up_ns": 2}]


@pytest.mark.parametrize(
    ("column", "values", "words"),
    [
        ("down_ns", pa.array([1.5]), "column down_ns is double, not int64"),
        ("kind", pa.array([1]), "column kind is int64"),
        ("down_ns", pa.array([None], pa.int64()), "down_ns has nulls"),
        ("kind", pa.array([None], pa.string()), "kind has nulls"),
        ("kind", None, "has no column kind"),
    ],
)
def test_a_table_of_another_shape(run, column, values, words):
    """Named by column."""
    good = {"component": pa.array(["b0"]), "kind": pa.array(["k"]), "down_ns": pa.array([1]), "up_ns": pa.array([2])}
    changed = {name: one for name, one in {**good, column: values}.items() if one is not None}
    replace(run, pa.table(changed))
    with pytest.raises(InputError, match=f"outages.parquet: .*{words}"):
        open_folder(run).table("outages")


def test_scenarios_that_cannot_be_read(run):
    """Missing, not TOML, not text."""
    for content in (b"= 3", b"\xff"):
        (run / "scenario.toml").write_bytes(content)
        with pytest.raises(InputError, match=r"scenario.toml: is not TOML"):
            open_folder_without_check(run).scenario()
    (run / "scenario.toml").unlink()
    with pytest.raises(InputError, match=r"scenario.toml: cannot be read"):
        open_folder_without_check(run).scenario()


def open_folder_without_check(run):
    """The folder as if `run.json` did not list its files."""
    (run / "run.json").write_text('{"files": []}')
    return open_folder(run)


def test_runs_of_a_folder_of_runs(tmp_path, run):
    """In the order listed; a single run is its own list."""
    with RunsFolder(tmp_path / "runs") as folder:
        for name in ("seed-10", "seed-9"):
            with LogFolder.create(folder.stage / name, names=[]) as one:
                one.finish({"of": name})
        folder.finish_runs({}, ["seed-10", "seed-9"])
    assert [one.run["of"] for one in runs_of(tmp_path / "runs")] == ["seed-10", "seed-9"]
    assert [one.name for one in runs_of(run)] == ["run"]
