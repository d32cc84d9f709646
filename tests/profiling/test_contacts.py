"""Contacts with access points: exact, on a plane, between gaps."""

import math

import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as fn

from tidings.errors import InputError
from tidings.profiling import contacts
from tidings.profiling.contacts import durations, plane_of

METRES_PER_DEGREE = math.radians(1) * 6_371_008.8
S = 10**9


def test_a_ride_past_a_station(profiled):
    """From when it is 100 m away to when it is so again, by geometry; who stands far away has none."""
    rows = profiled.rows("contacts")
    (contact,) = [row for row in rows if row["point"] is not None]
    assert (contact["subject"], contact["point"]) == ("a", "Middle")
    second = 1e-4 * METRES_PER_DEGREE
    assert contact["from_ns"] == pytest.approx((30 - 100 / second) * S, rel=1e-4)
    assert contact["until_ns"] == pytest.approx((30 + 100 / second) * S, rel=1e-4)
    assert [(row["from_ns"], row["until_ns"]) for row in rows if row["subject"] == "b"] == [(0, 10 * S)]


def test_spells_that_were_seen_whole(profiled):
    """The ride began and ended without a contact: only the contact itself is known from begin to end."""
    (row,) = profiled.rows("durations")
    assert (row["what"], row["spells"], row["scv"]) == ("contact", 1, 0.0)
    (contact,) = [one for one in profiled.rows("contacts") if one["point"] is not None]
    assert row["mean_ns"] == contact["until_ns"] - contact["from_ns"]


def test_walks_are_written(profiled):
    """Once for each instant, from 0 on; points stand where tracks do."""
    walk = pq.read_table(profiled.out / "walk-a.parquet")
    assert walk.schema.names == ["time_ns", "x", "y"]
    assert walk.column("time_ns").to_pylist() == [*(S * second for second in range(59)), 59 * S + S // 2]
    assert pq.read_metadata(profiled.out / "walk-b.parquet").num_rows == 3
    points = profiled.by("points", "point")
    assert points["Middle"]["x"] == pytest.approx(0.0)
    assert points["Far"]["x"] == pytest.approx(0.497 * METRES_PER_DEGREE)


def test_contacts_that_go_over_gaps(spark):
    """A spell next to a gap is not whole; one that changes its point is one contact."""
    rows = [
        ("u", 0, None, 0, 10),
        ("u", 0, "p", 10, 20),
        ("u", 0, "q", 20, 50),
        ("u", 0, None, 50, 60),
        ("u", 0, "p", 60, 61),
        ("u", 1, None, 90, 95),
        ("u", 1, "p", 95, 99),
    ]
    frame = spark.createDataFrame(rows, "subject string, stretch int, point string, from_ns bigint, until_ns bigint")
    found = {row["what"]: row for row in durations(frame).collect()}
    assert (found["contact"]["spells"], found["contact"]["mean_ns"]) == (1, 40.0)
    assert (found["outage"]["spells"], found["outage"]["mean_ns"]) == (1, 10.0)


def test_metres_stay_metres(spark):
    """Only degrees are laid on a plane."""
    points = spark.createDataFrame([("p", 1.0, 2.0, False)], "point string, x double, y double, degrees boolean")
    names, places, metres = plane_of(points)
    assert (names, places) == (["p"], [(1.0, 2.0)])
    assert [tuple(row) for row in metres(points).collect()] == [("p", 1.0, 2.0)]


def test_too_many_points(spark):
    """They are all compared with each other's tracks."""
    points = spark.range(contacts.POINTS_MAX + 1).select(
        fn.col("id").cast("string").alias("point"),
        fn.lit(0.0).alias("x"),
        fn.lit(0.0).alias("y"),
        fn.lit(False).alias("degrees"),
    )
    with pytest.raises(InputError, match="more than 10,000 access points"):
        plane_of(points)
