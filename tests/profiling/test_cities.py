"""Cities have one name, whichever end of a round trip they are."""

from pyspark.sql import functions as fn

from tidings.profiling.cities import named_alike
from tidings.profiling.normalised import Part


def test_destinations_get_the_names_of_sources(profiled):
    """The longest that fits; one that is no source keeps its own."""
    links = profiled.by("links", "one", "other")
    assert links["Bonn", "Rome"]["packets"] == 2
    assert not any("Germany" in name for pair in links for name in pair)


def test_the_longest_name_counts(spark):
    """New York is not New; a place that is no source has its whole name."""
    rows = [("New", "New York United States"), ("New York", "Newcastle England"), ("York", "York England")]
    frame = spark.createDataFrame(rows, "one string, other string")
    part = named_alike(Part(frame, lambda good: {"delays": good}))
    found = part.tables(frame)["delays"].orderBy(fn.col("one")).collect()
    assert [row["other"] for row in found] == ["New York", "Newcastle England", "York"]
