"""Who was in reach of which access point, from when to when: exact on straight lines between recorded positions."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from tidings.errors import InputError
from tidings.pipeline.workspace import Workspace
from tidings.profiling.links import QUANTILES
from tidings.profiling.moments import moments
from tidings.simulation.contacts import contacts as contacts_of
from tidings.simulation.recorded_walk import legs_between
from tidings.simulation.steps import Leg

POINTS_MAX: Final = 10_000
SCHEMA: Final = "subject string, stretch int, point string, from_ns bigint, until_ns bigint"
_CONTACTS: Final = pa.schema(
    [
        ("subject", pa.string()),
        ("stretch", pa.int32()),
        ("point", pa.string()),
        ("from_ns", pa.int64()),
        ("until_ns", pa.int64()),
    ]
)
_EARTH_M: Final = 6_371_008.8
Point: TypeAlias = tuple[float, float]


def plane_of(points: DataFrame) -> tuple[list[str], list[Point], Callable[[DataFrame], DataFrame]]:
    """Names and places of the access points, in metres, and how positions are laid beside them.

    Degrees become metres east and north of the most southern and most western point: shapes are kept near it.
    """
    rows = points.orderBy("point").limit(POINTS_MAX + 1).collect()
    if len(rows) > POINTS_MAX:
        raise InputError(f"there are more than {POINTS_MAX:,} access points; name a part of them")
    degrees = [row for row in rows if row["degrees"]]
    west, south = (min((row[axis] for row in degrees), default=0.0) for axis in "xy")
    shrink = math.cos(math.radians(sum(row["y"] for row in degrees) / len(degrees))) if degrees else 1.0
    scale = math.radians(1) * _EARTH_M

    def metres(frame: DataFrame) -> DataFrame:
        x = fn.when(fn.col("degrees"), (fn.col("x") - west) * (scale * shrink)).otherwise(fn.col("x"))
        y = fn.when(fn.col("degrees"), (fn.col("y") - south) * scale).otherwise(fn.col("y"))
        return frame.withColumns({"x": x, "y": y}).drop("degrees")

    flat = metres(points).orderBy("point").collect()
    return [row["point"] for row in flat], [(row["x"], row["y"]) for row in flat], metres


def track_stage(space: Workspace, positions: DataFrame, metres: Callable[[DataFrame], DataFrame]) -> DataFrame:
    """`subject, time_ns, x, y`: from the first position of each subject on, once for each instant."""
    own = Window.partitionBy("subject")
    first = fn.row_number().over(Window.partitionBy("subject", "at_ns").orderBy("x", "y"))

    def make() -> DataFrame:
        once = metres(positions).withColumn("place", first).where("place = 1")
        return once.select("subject", (fn.col("at_ns") - fn.min("at_ns").over(own)).alias("time_ns"), "x", "y")

    return space.stage("tracks", make)


def contact_stage(
    space: Workspace, tracks: DataFrame, names: Sequence[str], points: Sequence[Point], reach: float
) -> DataFrame:
    """`subject, stretch, point, from_ns, until_ns`: the nearest point in reach, null where none was.

    Where positions are missing for long nobody knows: there a stretch ends.
    """

    def of_subject(track: pa.Table) -> pa.Table:
        subject = track.column("subject")[0].as_py()
        rows = [
            {
                "subject": subject,
                "stretch": stretch,
                "point": None if place is None else names[place],
                "from_ns": begin,
                "until_ns": end,
            }
            for stretch, place, begin, end in _stays(track.sort_by("time_ns"), points, reach)
        ]
        return pa.Table.from_pylist(rows, _CONTACTS)

    return space.stage("contacts", lambda: tracks.groupBy("subject").applyInArrow(of_subject, SCHEMA))


def durations(contacts: DataFrame) -> DataFrame:
    """`what, spells, mean_ns, scv, ending, quantile_ns` of contacts and outages that began and ended while somebody looked.

    A contact lasts while any point is in reach, whichever it is; the first and last spell of a stretch are cut off.
    """
    stretch = ("subject", "stretch")
    own = Window.partitionBy(*stretch).orderBy("from_ns")
    there = fn.col("point").isNotNull()
    changes = contacts.withColumn("there", there).withColumn("new", there != fn.lag(there).over(own))
    spells = (
        changes.withColumn("spell", fn.sum(fn.coalesce(fn.col("new").cast("int"), fn.lit(0))).over(own))
        .groupBy(*stretch, "spell", "there")
        .agg(fn.min("from_ns").alias("from_ns"), fn.max("until_ns").alias("until_ns"))
    )
    last = fn.max("spell").over(Window.partitionBy(*stretch))
    whole = spells.withColumn("last", last).where("spell > 0 and spell < last")
    length = moments(fn.col("length_ns"), per=1_000)
    return (
        whole.withColumn("what", fn.expr("if(there, 'contact', 'outage')"))
        .withColumn("length_ns", fn.expr("until_ns - from_ns"))
        .groupBy("what")
        .agg(
            fn.count("*").alias("spells"),
            length.mean.alias("mean_ns"),
            length.scv.alias("scv"),
            fn.percentile("length_ns", list(QUANTILES)).alias("quantile_ns"),
        )
        .orderBy("what")
    )


def _stays(track: pa.Table, points: Sequence[Point], reach: float) -> Iterator[tuple[int, int | None, int, int]]:
    """Stretch, point, begin and end of each stay."""
    times, x, y = (track.column(name).to_numpy() for name in ("time_ns", "x", "y"))
    for number, legs in enumerate(_stretches(legs_between(times, x, y))):
        changes = list(contacts_of(iter(legs), points, reach))
        ends = [*(instant for instant, _ in changes[1:]), legs[-1].end_ns]
        for (begin, place), end in zip(changes, ends, strict=True):
            assert end is not None, "a recorded leg ends"
            yield number, place, begin, end


def _stretches(legs: Iterator[Leg]) -> Iterator[list[Leg]]:
    """Legs between gaps."""
    found: list[Leg] = []
    for leg in legs:
        if leg.start is not None:
            found.append(leg)
        elif found:
            yield found
            found = []
