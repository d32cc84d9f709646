"""Buffering, cutting and the forms in which columns are taken."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.logs.table_writer import ROWS_PER_GROUP, TableWriter, chunk_of, map_array
from tidings.vocabulary.records import ATTRIBUTES_TYPE, NAME_TYPE

SCHEMA = pa.schema([pa.field("at_ns", pa.int64(), True), pa.field("name", NAME_TYPE, True)])
NAMES = pa.array(["z", "a", "m"])


def chunk(begin, end):
    """Rows of the schema."""
    numbers = np.arange(begin, end)
    return chunk_of(SCHEMA, {"at_ns": numbers, "name": numbers % 4 - 1}, _no_text)


def _no_text(values):
    raise AssertionError(values)


def writer(path):
    """A writer of the schema."""
    return TableWriter(path, SCHEMA, lambda: NAMES)


def held(one):
    """Rows in memory."""
    return sum(len(part["at_ns"]) for part in one._chunks)


@given(st.lists(st.integers(0, 3 * ROWS_PER_GROUP), max_size=5))
def test_never_more_than_one_group_is_held(tmp_path_factory, sizes):
    """Whatever the sizes of the batches; and what is left does not keep a greater array alive."""
    one = writer(tmp_path_factory.mktemp("table") / "x.parquet")
    begin = 0
    for size in sizes:
        one.append(chunk(begin, begin + size))
        begin += size
        assert one.rows == begin
        assert held(one) == begin % ROWS_PER_GROUP
        assert all(part["at_ns"].base is None for part in one._chunks)
    one.abandon()


def test_the_file_appears_when_it_is_whole(tmp_path):
    """Under another name before."""
    one = writer(tmp_path / "x.parquet")
    one.append(chunk(0, ROWS_PER_GROUP))
    assert [file.name for file in tmp_path.iterdir()] == ["x.parquet.partial"]
    one.append(chunk(ROWS_PER_GROUP, ROWS_PER_GROUP + 5))
    one.close()
    assert [file.name for file in tmp_path.iterdir()] == ["x.parquet"]
    table = pq.read_table(tmp_path / "x.parquet")
    assert table.column("at_ns").to_pylist() == list(range(ROWS_PER_GROUP + 5))
    assert table.column("name").slice(ROWS_PER_GROUP - 2).to_pylist() == ["a", "m", None, "z", "a", "m", None]


def test_without_rows_there_is_no_file(tmp_path):
    """Absent means empty."""
    one = writer(tmp_path / "x.parquet")
    one.append(chunk(0, 0))
    one.close()
    one.abandon()
    assert list(tmp_path.iterdir()) == []


def test_dictionaries_hold_what_occurs_sorted(tmp_path):
    """Unused names cost nothing."""
    one = writer(tmp_path / "x.parquet")
    one.append(chunk_of(SCHEMA, {"at_ns": [1, 2], "name": np.array([0, 1])}, _no_text))
    one.close()
    column = pq.read_table(tmp_path / "x.parquet").column("name")
    assert column.chunk(0).dictionary.to_pylist() == ["a", "z"]
    assert column.to_pylist() == ["z", "a"]


def test_arrays_are_copied(tmp_path):
    """The caller may use its buffers again."""
    numbers = np.array([1, 2])
    taken = chunk_of(SCHEMA, {"at_ns": numbers, "name": numbers}, _no_text)
    numbers[:] = 0
    assert taken["at_ns"].tolist() == taken["name"].tolist() == [1, 2]


def test_text_is_encoded():
    """Lists of text and null; an array or a list of numbers is codes."""
    asked = []

    def encode(values):
        asked.append(list(values))
        return np.zeros(len(values), np.int32)

    chunk_of(SCHEMA, {"at_ns": [1, 2], "name": ["a", None]}, encode)
    assert chunk_of(SCHEMA, {"at_ns": [1, 2], "name": [2, 1]}, encode)["name"].tolist() == [2, 1]
    assert asked == [["a", None]]


@given(st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=3)))
def test_attributes_become_maps(rows):
    """Orders are kept."""
    array = map_array(rows)
    assert array.type == ATTRIBUTES_TYPE
    assert array.to_pylist() == [list(row.items()) for row in rows]


@pytest.mark.parametrize("built", [True, False])
def test_maps_that_were_built_already_are_taken(tmp_path, built):
    """Next to mappings, joined over batches."""
    schema = pa.schema([pa.field("attributes", ATTRIBUTES_TYPE, False)])
    one = TableWriter(tmp_path / "x.parquet", schema, lambda: NAMES)
    for row in ({"a": "1"}, {}, {"b": "2", "a": "3"}):
        rows = map_array([row]) if built else [row]
        one.append(chunk_of(schema, {"attributes": rows}, _no_text))
    one.close()
    found = pq.read_table(tmp_path / "x.parquet").column("attributes").to_pylist()
    assert found == [[("a", "1")], [], [("b", "2"), ("a", "3")]]


def test_flags_are_taken(tmp_path):
    """Lists and arrays of truth."""
    schema = pa.schema([pa.field("tagged", pa.bool_(), False)])
    one = TableWriter(tmp_path / "x.parquet", schema, lambda: NAMES)
    for rows in ([True, False], np.array([False])):
        one.append(chunk_of(schema, {"tagged": rows}, _no_text))
    one.close()
    assert pq.read_table(tmp_path / "x.parquet").column("tagged").to_pylist() == [True, False, False]
