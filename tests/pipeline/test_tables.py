"""Log tables as DataFrames."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.made_logs import Made, random_logs
from tidings.errors import InputError
from tidings.logs import LogFolder, open_folder
from tidings.pipeline.tables import ROW, check_file, log_table, numbered, spark_schema
from tidings.vocabulary.records import TABLES


@pytest.mark.parametrize("name", TABLES)
def test_schemas_are_the_same_for_spark(name):
    """Column by column, with their nulls."""
    schema = spark_schema(TABLES[name])
    assert schema.names == TABLES[name].names
    assert [one.nullable for one in schema] == [one.nullable for one in TABLES[name]]


def test_a_table_is_read_as_written(audited):
    """All rows, with their places in the file."""
    for name in ("publications", "deliveries", "interests", "drops"):
        written = audited.folder.table(name)
        read = audited.read(name).orderBy(ROW).toArrow()
        assert read.column(ROW).to_pylist() == list(range(written.num_rows))
        for column in written.column_names:
            assert read.column(column).to_pylist() == written.column(column).to_pylist()


def test_a_table_that_was_not_written_has_no_rows(spark, tmp_path):
    """And all its columns."""
    with LogFolder.create(tmp_path / "logs", names=(), tables=()) as folder:
        folder.finish({})
    table = log_table(spark, open_folder(tmp_path / "logs"), "drops")
    assert (table.count(), table.columns) == (0, [*TABLES["drops"].names, ROW])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda table: table.drop_columns(["event"]), "has no column event"),
        (lambda table: table.set_column(0, "event", table.column(0).cast(pa.float64())), "is double, not int64"),
        (lambda table: table.set_column(0, "event", pa.nulls(table.num_rows, pa.int64())), "has nulls"),
    ],
)
def test_a_wrong_table_is_refused(tmp_path, change, said):
    """By what its own description says, with the file and the column."""
    table = open_folder(random_logs(tmp_path / "logs", Made(events=20, subscribers=1))).table("publications")
    pq.write_table(change(table), tmp_path / "wrong.parquet")
    with pytest.raises(InputError, match=said) as refused:
        check_file(tmp_path / "wrong.parquet", TABLES["publications"])
    assert "wrong.parquet" in str(refused.value)


def test_half_a_file_is_refused(tmp_path):
    """A Parquet file ends with its description: a half has none."""
    file = random_logs(tmp_path / "logs", Made(events=20, subscribers=1)) / "publications.parquet"
    (tmp_path / "half.parquet").write_bytes(file.read_bytes()[:500])
    with pytest.raises(InputError, match=r"half.parquet: is not a whole Parquet file"):
        check_file(tmp_path / "half.parquet", TABLES["publications"])


def test_plain_and_large_strings_are_names(tmp_path):
    """Other programs write them without a dictionary."""
    schema = pa.schema([TABLES["outages"].field("component")])
    for kind in (pa.string(), pa.large_string()):
        pq.write_table(pa.table({"component": pa.array(["a"], kind)}), tmp_path / "names.parquet")
        check_file(tmp_path / "names.parquet", schema)


def test_numbers_follow_the_names(spark):
    """From 0, by the first column."""
    names = spark.createDataFrame([("b",), ("a",), ("c",)], "name string")
    assert {row["name"]: row["n"] for row in numbered(names, "n").collect()} == {"a": 0, "b": 1, "c": 2}
