"""A run's folder: rows in, Parquet out, whole or not at all, the same bytes every time."""

import contextlib
import itertools
import json
import resource

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidings.errors import InputError, WorldError
from tidings.logs import NULL_NS, LogFolder, open_folder
from tidings.logs.table_writer import ROWS_PER_GROUP
from tidings.vocabulary.records import TABLES

NAMES = ("p0", "s0", "s1", "t0", "never used")
ROWS = ROWS_PER_GROUP + 1_000


def drops(begin, end):
    """Rows of `drops`, by codes."""
    numbers = np.arange(begin, end)
    return {
        "event": numbers,
        "component": np.zeros(end - begin, np.int8),
        "subscriber": numbers % 3 - 1 + (numbers % 3 > 0),
        "dropped_ns": numbers * 7,
        "reason": np.full(end - begin, 3),
    }


def outage(up_ns):
    """A row of `outages`, by text."""
    return {"component": ["b0"], "kind": ["broker"], "down_ns": [4], "up_ns": up_ns}


def test_rows_come_back(tmp_path):
    """Names, nulls and attributes."""
    with LogFolder.create(tmp_path / "run", names=NAMES) as folder:
        folder.write(
            "publications",
            {
                "event": [0, 1],
                "publisher": np.array([0, 0]),
                "incarnation": [0, 0],
                "topic": ["t0", "t1"],
                "number": [0, 1],
                "published_ns": [5, 6],
                "acknowledged_ns": np.array([NULL_NS, 7]),
                "expires_ns": [None, 9],
                "attributes": [{"x": "1", "a": '"b"'}, {}],
                "payload_bytes": [0, 3],
            },
        )
        assert folder.finish({"seed": 3}) == tmp_path / "run"
    table = open_folder(tmp_path / "run").table("publications")
    assert table.schema == TABLES["publications"]
    assert table.to_pylist()[0] == {
        "event": 0,
        "publisher": "p0",
        "incarnation": 0,
        "topic": "t0",
        "number": 0,
        "published_ns": 5,
        "acknowledged_ns": None,
        "expires_ns": None,
        "attributes": [("x", "1"), ("a", '"b"')],
        "payload_bytes": 0,
    }
    assert table.to_pylist()[1]["topic"] == "t1"
    assert table.to_pylist()[1]["attributes"] == []


def test_run_json_lists_the_complete_files(tmp_path):
    """With rows and sizes; the caller's facts stand first."""
    with LogFolder.create(tmp_path / "run", names=NAMES) as folder:
        folder.write("drops", drops(0, 5))
        folder.write_text("scenario.toml", "tidings = 1\n")
        folder.write_arrow("filters.parquet", pa.table({"text": ["true", "false"]}))
        folder.finish({"seed": 3, "version": "0"})
    run = json.loads((tmp_path / "run" / "run.json").read_bytes())
    assert list(run) == ["seed", "version", "files"]
    files = {one["name"]: one for one in run["files"]}
    assert sorted(files) == ["drops.parquet", "filters.parquet", "scenario.toml"]
    assert [files[name].get("rows") for name in sorted(files)] == [5, 2, None]
    for name, one in files.items():
        assert one["bytes"] == (tmp_path / "run" / name).stat().st_size
    assert sorted(one.name for one in (tmp_path / "run").iterdir()) == [*sorted(files)[:2], "run.json", "scenario.toml"]


@settings(max_examples=10)
@given(st.lists(st.integers(0, ROWS), max_size=6), st.booleans())
def test_the_sizes_of_the_batches_do_not_show(tmp_path_factory, cuts, turned):
    """Same rows, same bytes: however they are cut, whatever codes the names have."""
    names = NAMES[::-1] if turned else NAMES
    place = tmp_path_factory.mktemp("run") / "run"
    lookup = np.array([*(names.index(name) for name in NAMES), -1])
    with LogFolder.create(place, names=names) as folder:
        edges = sorted([0, ROWS, *cuts])
        for begin, end in itertools.pairwise(edges):
            rows = drops(begin, end)
            folder.write(
                "drops", {**rows, **{name: lookup[rows[name]] for name in ("component", "subscriber", "reason")}}
            )
        folder.finish({})
    assert _digest(place) == _reference_digest(tmp_path_factory)


_KNOWN = {}


def _reference_digest(tmp_path_factory):
    if not _KNOWN:
        place = tmp_path_factory.mktemp("reference") / "run"
        with LogFolder.create(place, names=NAMES) as folder:
            folder.write("drops", drops(0, ROWS))
            folder.finish({})
        _KNOWN["digest"] = _digest(place)
    return _KNOWN["digest"]


def _digest(place):
    (file,) = json.loads((place / "run.json").read_bytes())["files"]
    return file["sha256"]


def test_row_groups_have_a_fixed_number_of_rows(tmp_path):
    """All but the last."""
    with LogFolder.create(tmp_path / "run", names=NAMES) as folder:
        for begin in range(0, 3 * ROWS_PER_GROUP, 50_000):
            folder.write("drops", drops(begin, begin + 50_000))
        folder.finish({})
    parquet = pq.ParquetFile(tmp_path / "run" / "drops.parquet")
    groups = [parquet.metadata.row_group(one).num_rows for one in range(parquet.num_row_groups)]
    assert groups == [ROWS_PER_GROUP] * 3 + [200_000 - 3 * ROWS_PER_GROUP]


def test_tables_that_are_not_wanted_are_dropped(tmp_path):
    """Writing to them is harmless."""
    with LogFolder.create(tmp_path / "run", names=NAMES, tables=["outages"]) as folder:
        assert folder.keeps("outages")
        assert not folder.keeps("drops")
        folder.write("drops", drops(0, 3))
        folder.finish({})
    assert [one.name for one in (tmp_path / "run").iterdir()] == ["run.json"]


def test_new_names_get_codes(tmp_path):
    """Behind the given ones."""
    with LogFolder.create(tmp_path / "run", names=NAMES) as folder:
        assert [folder.code("s1"), folder.code("new"), folder.code("new"), folder.code("newer")] == [2, 5, 5, 6]
        assert [folder.name(code) for code in (0, 5, 6)] == ["p0", "new", "newer"]


def fail_in_the_middle(folder):
    """Some of it is on the disk already."""
    folder.write("drops", drops(0, ROWS))
    assert list(folder.stage.iterdir()) != []
    folder.write("nothing", {})


def test_left_without_finish_nothing_remains(tmp_path):
    """By an exception, on purpose, or by forgetting."""
    with pytest.raises(AssertionError, match="no such table"), LogFolder.create(tmp_path / "a", names=NAMES) as folder:
        fail_in_the_middle(folder)
    with LogFolder.create(tmp_path / "b", names=NAMES) as folder:
        folder.write_text("scenario.toml", "")
    folder = LogFolder.create(tmp_path / "c", names=NAMES)
    folder.abandon()
    folder.abandon()
    assert list(tmp_path.iterdir()) == []


@contextlib.contextmanager
def files_of_at_most(bytes_max):
    """No file grows beyond it, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_max, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def fill(folder):
    """Two tables of several row groups: while the larger one fails, the other has its footer to write."""
    with folder:
        folder.write("outages", {name: column * ROWS for name, column in outage([9]).items()})
        folder.write("drops", drops(0, ROWS))
        folder.finish({})


def test_wherever_the_disk_is_full(tmp_path):
    """In a row group, in a table's footer, in `run.json`: one sentence, and nothing remains."""
    fill(LogFolder.create(tmp_path / "whole", names=NAMES))
    small, large = ((tmp_path / "whole" / f"{table}.parquet").stat().st_size for table in ("outages", "drops"))
    for bytes_max in [*range(1, small, 199), *range(small, large, large // 10), large - 1]:
        with (
            files_of_at_most(bytes_max),
            pytest.raises(WorldError, match=r"run: cannot write the folder: .*free space"),
        ):
            fill(LogFolder.create(tmp_path / "run", names=NAMES))
        assert [one.name for one in tmp_path.iterdir()] == ["whole"]


def test_nothing_is_there_before_it_is_finished(tmp_path):
    """Only the hidden folder beside it."""
    with LogFolder.create(tmp_path / "run", names=NAMES) as folder:
        folder.write("drops", drops(0, 3))
        assert folder.path == tmp_path / "run"
        assert not folder.path.exists()
        folder.finish({})
        assert folder.path.exists()
    assert (tmp_path / "run" / "run.json").exists()


def test_a_target_that_is_taken(tmp_path):
    """Refused before anything is written."""
    (tmp_path / "file").write_text("mine")
    for place in (tmp_path, tmp_path / "file"):
        with pytest.raises(InputError, match="choose another name"):
            LogFolder.create(place, names=NAMES)
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_an_unwritable_place(tmp_path):
    """A file where a folder should be."""
    (tmp_path / "file").write_text("mine")
    with pytest.raises(WorldError, match="cannot write the folder"):
        LogFolder.create(tmp_path / "file" / "run", names=NAMES)


def test_the_disk_goes_away(tmp_path):
    """What fails in the middle is one sentence, and leaves nothing."""
    with LogFolder.create(tmp_path / "run", names=NAMES) as folder:
        folder.stage.rmdir()
        with pytest.raises(WorldError, match="run: cannot write"):
            folder.write("drops", drops(0, ROWS))
        with pytest.raises(WorldError, match="run: cannot write"):
            folder.write_text("scenario.toml", "")
        with pytest.raises(WorldError, match="run: cannot write"):
            folder.write_arrow("lists.parquet", pa.table({"a": [1]}))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("up_ns", [[5], [None], np.array([NULL_NS])])
def test_text_and_lists_are_taken_as_well(tmp_path, up_ns):
    """For tables of few rows."""
    with LogFolder.create(tmp_path / "run", names=[]) as folder:
        folder.write("outages", outage(up_ns))
        folder.finish({})
    expected = 5 if list(up_ns) == [5] else None
    assert open_folder(tmp_path / "run").table("outages").to_pylist() == [
        {"component": "b0", "kind": "broker", "down_ns": 4, "up_ns": expected}
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": [None]},
        {"kind": np.array([-1])},
        {"down_ns": [None]},
        {"down_ns": np.array([NULL_NS])},
        {"down_ns": [1, 2]},
        {"more": [1]},
    ],
)
def test_rows_that_do_not_fit_are_our_own_mistake(tmp_path, wrong):
    """Nulls where none may be, lengths that differ, columns of other tables."""
    with LogFolder.create(tmp_path / "run", names=["b0"]) as folder, pytest.raises(AssertionError):
        folder.write("outages", {**outage([5]), **wrong})


def test_tables_and_names_that_do_not_exist(tmp_path):
    """Caught where they are said."""
    for wrong in ({"names": ["a", "a"]}, {"names": [], "tables": ["nothing"]}):
        with pytest.raises(AssertionError):
            LogFolder.create(tmp_path / "run", **wrong)
    with LogFolder.create(tmp_path / "other", names=[]) as folder:
        with pytest.raises(AssertionError):
            folder.write("nothing", {})
        for name in ("drops.parquet", "lists.txt"):
            with pytest.raises(AssertionError):
                folder.write_arrow(name, pa.table({"a": [1]}))
