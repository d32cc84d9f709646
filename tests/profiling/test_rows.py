"""Rows of files: which lines are rows, whose columns are which."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tidings.errors import InputError
from tidings.profiling.mapping import TableMapping
from tidings.profiling.rows import rows_of


def cells(found, *names):
    """Columns of all rows, and the reasons against them."""
    return [
        tuple(row)
        for one in found
        for row in one.frame.select(*(one.cell(name).alias(name) for name in names), "reason")
        .orderBy("place")
        .collect()
    ]


def mapping(**more):
    """A mapping of which only the form matters."""
    return TableMapping(kind="points", fields={}, **more)


def test_csv_with_headers(spark, tmp_path):
    """Files with other orders of columns are read by their own header; quotes hold separators."""
    (tmp_path / "a.csv").write_text('x,y\n1,"a,b"\n2\n3,4,5\n', "utf-8")
    (tmp_path / "b.csv").write_text("\ufeffy,x\n9,8\n", "utf-8")
    found = rows_of(spark, mapping(), sorted(tmp_path.iterdir()), ["x", "y"])
    wrong = "does not have 2 columns, or quotes do not close"
    rows = cells(found, "x", "y")
    assert rows[0] == ("1", "a,b", None)
    assert [row[2] for row in rows[1:3]] == [wrong, wrong]
    assert rows[3] == ("8", "9", None)


def test_csv_without_a_header(spark, tmp_path):
    """The mapping names the columns; another separator."""
    (tmp_path / "a.csv").write_text("1;2\n3;4\n", "utf-8")
    found = rows_of(spark, mapping(columns=["p", "q"], separator=";"), [tmp_path / "a.csv"], ["q"])
    assert cells(found, "q") == [("2", None), ("4", None)]


def test_json(spark, tmp_path):
    """Records whose keys differ; what is no record."""
    (tmp_path / "a.json").write_text(json.dumps([{"x": 1}, {"y": "b"}, 5]), "utf-8")
    found = cells(rows_of(spark, mapping(format="json"), [tmp_path / "a.json"], ["x"]), "x", "y")
    assert found == [("1", None, None), (None, "b", None), (None, None, "is no JSON record")]


def test_parquet(spark, tmp_path):
    """As typed; the row is shown as JSON where it is bad."""
    pq.write_table(pa.table({"x": [1, 2]}), tmp_path / "a.parquet")
    (one,) = rows_of(spark, mapping(format="parquet"), [tmp_path / "a.parquet"], ["x"])
    assert not one.text
    assert cells([one], "x") == [(1, None), (2, None)]
    assert [row["text"] for row in one.frame.collect()] == ['{"x":1}', '{"x":2}']


@pytest.mark.parametrize(
    ("name", "content", "form", "says"),
    [
        ("a.csv", b"x,y\n", "csv", "has no column 'z'; it has x, y"),
        ("a.csv", b"", "csv", "is empty"),
        ("a.parquet", b"PAR1", "parquet", "is not a whole Parquet file"),
    ],
)
def test_files_that_do_not_fit(spark, tmp_path, name, content, form, says):
    """Named before anything is read."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=says):
        rows_of(spark, mapping(format=form), [tmp_path / name], ["z"])


def test_parquet_without_a_column(spark, tmp_path):
    """The same for tables."""
    pq.write_table(pa.table({"x": [1]}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match="has no column 'z'"):
        rows_of(spark, mapping(format="parquet"), [tmp_path / "a.parquet"], ["z"])
