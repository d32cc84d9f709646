"""The format `tidings`: known by itself, batch and stream give the same rows, nothing twice, nothing left out."""

import contextlib
import shutil

import pytest
from pyspark.errors import PySparkException
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows

from pipeline.made_logs import Made, random_logs
from tidings.errors import InputError
from tidings.logs import open_folder
from tidings.pipeline.data_source import TableStream, TidingsSource


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs, and a folder that has only one of them yet."""
    place = tmp_path_factory.mktemp("source")
    for seed in (1, 2):
        random_logs(place / "all" / f"seed-{seed}", Made(seed=seed, events=60, subscribers=3))
    shutil.copytree(place / "all" / "seed-1", place / "growing" / "seed-1")
    return place


def identities(rows):
    """What tells showings apart."""
    return sorted((row["run"], row["subscriber"], row["incarnation"], row["position"]) for row in rows)


def test_a_batch_has_every_row(spark, runs):
    """Of both runs, typed as in the reference; Spark found the format by itself."""
    frame = spark.read.format("tidings").load(str(runs / "all"))
    expected = [
        {**row, "run": f"seed-{seed}"}
        for seed in (1, 2)
        for row in open_folder(runs / "all" / f"seed-{seed}").table("deliveries").to_pylist()
    ]
    found = [row.asDict() for row in frame.collect()]
    assert identities(found) == identities(expected)
    assert sum(row["delivered_ns"] for row in found) == sum(row["delivered_ns"] for row in expected)
    published = spark.read.format("tidings").option("table", "publications").load(str(runs / "all" / "seed-1"))
    assert published.where("attributes['x'] is not null").count() == 60
    assert published.select("run").distinct().head()[0] == "seed-1"


def test_a_stream_gives_each_row_once(spark, runs, tmp_path):
    """What was there, and, when the query runs again, only what came since."""
    given = []

    def query():
        frame = spark.readStream.format("tidings").option("rowsPerBatch", "100").load(str(runs / "growing"))
        writer = frame.writeStream.option("checkpointLocation", str(tmp_path / "state")).trigger(availableNow=True)
        kept = []
        running = writer.foreachBatch(lambda batch, _number: kept.append(batch.collect())).start()
        assert running.awaitTermination(300)
        assert running.exception() is None
        given.append([row for batch in kept for row in batch])

    query()
    shutil.copytree(runs / "all" / "seed-2", runs / "growing" / "seed-2")
    query()
    first, second = given
    assert {row["run"] for row in first} == {"seed-1"}
    assert {row["run"] for row in second} == {"seed-2"}
    batch = spark.read.format("tidings").load(str(runs / "all")).collect()
    assert identities([*first, *second]) == identities(batch)


def stream(folder, **options):
    """A stream's reader, as Spark asks it."""
    return TidingsSource({"path": str(folder), "table": "deliveries", **options}).streamReader(None)


def pieces(reader, start, end):
    """Files and row groups between two offsets."""
    return [(one.piece.file, one.piece.group) for one in reader.partitions(start, end)]


def test_offsets_count_row_groups(runs, tmp_path):
    """Bounded batches go on where the one before ended; together they are everything."""
    import pyarrow.parquet as pq

    rows = pq.read_table(runs / "all" / "seed-1" / "deliveries.parquet")
    pq.write_table(rows, tmp_path / "deliveries.parquet", row_group_size=40)
    reader = stream(tmp_path, rowsPerBatch="100")
    limit = reader.getDefaultReadLimit()
    assert limit == ReadMaxRows(100)
    offset, seen = reader.initialOffset(), []
    while (later := reader.latestOffset(offset, limit)) != offset:
        assert 40 <= sum(one.piece.rows for one in reader.partitions(offset, later)) <= 100
        seen += pieces(reader, offset, later)
        offset = later
    assert seen == pieces(reader, {}, reader.latestOffset({}, ReadAllAvailable()))
    assert sum(batch.num_rows for one in reader.partitions({}, offset) for batch in reader.read(one)) == rows.num_rows


def test_one_row_group_at_least(runs):
    """However small the limit."""
    reader = stream(runs / "all")
    assert len(pieces(reader, {}, reader.latestOffset({}, ReadMaxRows(1)))) == 1
    assert reader.getDefaultReadLimit() == ReadAllAvailable()


def test_what_is_available_now_does_not_grow(runs, tmp_path):
    """What comes while a query runs is for the next one."""
    shutil.copytree(runs / "all" / "seed-1", tmp_path / "seed-1")
    reader = stream(tmp_path)
    assert isinstance(reader, TableStream)
    reader.prepareForTriggerAvailableNow()
    shutil.copytree(runs / "all" / "seed-2", tmp_path / "seed-2")
    assert list(reader.latestOffset({}, ReadAllAvailable())) == ["seed-1/deliveries.parquet"]
    assert len(stream(tmp_path).latestOffset({}, ReadAllAvailable())) == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"path": "x", "table": "trades"}, "there is no table trades; there are publications"),
        ({}, r"\.load\(FOLDER\)"),
        ({"path": "x", "rowsPerBatch": "none"}, "rowsPerBatch = none"),
        ({"path": "x", "rowsPerBatch": "0"}, "rowsPerBatch = 0"),
    ],
)
def test_wishes_that_cannot_be_are_refused(options, said):
    """With what would be right."""
    with pytest.raises(InputError, match=said):
        TidingsSource(options)


def test_spark_says_what_we_said(spark, tmp_path):
    """A folder that is not there."""
    with contextlib.suppress(StopIteration), pytest.raises(PySparkException, match="is no folder"):
        spark.read.format("tidings").load(str(tmp_path / "none")).count()
