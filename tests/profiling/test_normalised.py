"""Parts of several layouts, put together: tables by kind, bad rows of all."""

from pyspark.sql import functions as fn

from tidings.pipeline.workspace import Workspace
from tidings.profiling.normalised import TEXT_KEPT, Part, judged, normalised


def lines_of(spark, *texts):
    """Rows as they come from files."""
    rows = [("f", place, text) for place, text in enumerate(texts)]
    return spark.createDataFrame(rows, "file string, place bigint, text string")


def test_good_rows_and_bad_ones(spark):
    """A good row has its values and no text; a bad one its text, cut, and no values."""
    frame = lines_of(spark, "1", "x" * 2 * TEXT_KEPT)
    number = fn.col("text").try_cast("bigint")
    good, bad = judged(frame, {"n": number}, fn.when(number.isNull(), fn.lit("no number"))).orderBy("reason").collect()
    assert (good["good"]["n"], good["file"], good["text"], good["reason"]) == (1, None, None, None)
    assert (bad["good"], bad["file"], bad["place"], bad["reason"]) == (None, "f", 1, "no number")
    assert len(bad["text"]) == TEXT_KEPT


def test_tables_of_one_kind_become_one(spark, tmp_path):
    """Whatever layout they come from; columns are matched by name; each part is read once, into a stage."""
    part = Part(
        judged(
            lines_of(spark, "a", "b"),
            {"x": fn.lit(1), "y": fn.col("text")},
            fn.when(fn.col("text") == "b", fn.lit("b")),
        ),
        lambda good: {"events": good, "points": good.select("y")},
    )
    other = {"events": spark.createDataFrame([("c", 2)], "y string, x int")}
    found = normalised(Workspace(spark, tmp_path / "work", "x"), [part, other])
    assert sorted(tuple(row) for row in found.tables["events"].select("x", "y").collect()) == [(1, "a"), (2, "c")]
    assert found.tables["points"].count() == 1
    assert [row["reason"] for row in found.bad.collect()] == ["b"]
    assert (tmp_path / "work" / "read_0").is_dir()


def test_nothing_can_be_bad_in_a_table(spark, tmp_path):
    """Runs are checked as a whole."""
    found = normalised(Workspace(spark, tmp_path / "work", "x"), [{"events": lines_of(spark, "a")}])
    assert found.bad is None
