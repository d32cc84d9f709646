"""Tables of runs, finished or growing, piece by piece."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.made_logs import Made, random_logs
from tidings.errors import InputError
from tidings.logs import open_folder
from tidings.pipeline.table_files import RUN, Piece, pieces_of, read_piece, table_files, table_schema
from tidings.vocabulary.records import TABLES


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Two runs beside each other, one of them in row groups of ten, one that is still being written, and strangers."""
    place = tmp_path_factory.mktemp("tables")
    random_logs(place / "one", Made(seed=1, events=20, subscribers=2))
    random_logs(place / "two", Made(seed=2, events=20, subscribers=2))
    rows = pq.read_table(place / "two" / "deliveries.parquet")
    pq.write_table(rows, place / "two" / "deliveries.parquet", row_group_size=10)
    random_logs(place / ".three.partial-0", Made(seed=3, events=20, subscribers=2))
    (place / "two" / ".deliveries-9.parquet").write_bytes(b"half")
    (place / "notes").mkdir()
    return place


def test_tables_are_found_where_runs_are(place):
    """Here and one folder below; what is hidden is not there yet."""
    assert [one.relative_to(place).as_posix() for one in table_files(place, "deliveries")] == [
        "one/deliveries.parquet",
        "two/deliveries.parquet",
    ]
    assert [one.name for one in table_files(place / "one", "deliveries")] == ["deliveries.parquet"]
    assert table_files(place, "outages") == []


def test_a_growing_run_may_write_parts(place, tmp_path):
    """Each complete once it has its name."""
    for number in (1, 0):
        pq.write_table(pq.read_table(place / "one" / "drops.parquet"), tmp_path / f"drops-{number}.parquet")
    assert [one.file for one in pieces_of(tmp_path, "drops")] == ["drops-0.parquet", "drops-1.parquet"]


def test_pieces_are_row_groups(place):
    """Those that were given are left out."""
    rows = open_folder(place / "one").table("deliveries").num_rows
    pieces = list(pieces_of(place, "deliveries"))
    assert pieces[0] == Piece("one/deliveries.parquet", 0, rows)
    assert [piece.group for piece in pieces[1:]] == list(range(len(pieces) - 1))
    assert {piece.rows for piece in pieces[1:-1]} == {10}
    behind = {"one/deliveries.parquet": 1, "two/deliveries.parquet": 2}
    assert list(pieces_of(place, "deliveries", behind)) == pieces[3:]


@pytest.mark.parametrize("table", ["deliveries", "publications", "drops"])
def test_pieces_together_are_the_table(place, table):
    """With the run's name, and names as plain text."""
    read = [read_piece(place, table, piece) for piece in pieces_of(place, table)]
    assert {one.schema for one in read} == {table_schema(table)} if read else True
    whole = pa.Table.from_batches(read).to_pylist()
    expected = [
        {**row, RUN: run}
        for run in ("one", "two")
        for row in pq.read_table(place / run / f"{table}.parquet").to_pylist()
    ]
    assert [{**row, RUN: row[RUN]} for row in whole] == expected
    (first, *_) = pieces_of(place / "one", table)
    assert read_piece(place / "one", table, first).column(RUN).to_pylist()[0] == "one"


def test_strangers_are_refused(place, tmp_path):
    """No folder, no Parquet, other columns."""
    with pytest.raises(InputError, match="is no folder"):
        table_files(tmp_path / "none", "drops")
    (tmp_path / "drops.parquet").write_bytes(b"half a file")
    with pytest.raises(InputError, match="not a whole Parquet file"):
        list(pieces_of(tmp_path, "drops"))
    pq.write_table(pa.table({"event": [1]}), tmp_path / "drops.parquet")
    with pytest.raises(InputError, match="has no column"):
        list(pieces_of(tmp_path, "drops"))


def test_every_table_can_be_read():
    """Names are text, the rest is as in the reference."""
    for name, schema in TABLES.items():
        assert table_schema(name).names == [*schema.names, RUN]
