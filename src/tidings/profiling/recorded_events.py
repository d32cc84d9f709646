"""Recorded events on one clock: hours of the day that count, days laid side by side, each publisher's events in order."""

from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from tidings.errors import InputError
from tidings.pipeline.workspace import Workspace

DAY_NS: Final = 86_400 * 10**9


@dataclass(frozen=True, slots=True)
class Hours:
    """The part of every day that counts, from midnight; other events are left out, and nights with them."""

    begin_ns: int
    end_ns: int

    def __post_init__(self) -> None:
        if not 0 <= self.begin_ns < self.end_ns <= DAY_NS:
            raise InputError(
                "--from and --until: give two times of a day, the earlier one first, as in 09:30 and 16:00"
            )

    @property
    def length_ns(self) -> int:
        """From begin to end."""
        return self.end_ns - self.begin_ns


def event_stage(space: Workspace, events: DataFrame, hours: Hours | None) -> DataFrame:
    """`publisher, segment, at_ns, rank` and what events say; sorted by publisher and time.

    `at_ns` counts from the first event of all; with `hours` from the begin of the first day, and each day is a segment
    of its own, right behind the one before. `rank` counts a publisher's events from 0.
    """
    return space.stage("events", lambda: _ranked(_on_one_clock(events, hours)))


def _on_one_clock(events: DataFrame, hours: Hours | None) -> DataFrame:
    if hours is None:
        first = events.agg(fn.min("at_ns").alias("first_ns"))
        moved = events.crossJoin(first)
        return moved.withColumn("at_ns", fn.expr("at_ns - first_ns")).withColumn("segment", fn.lit(0)).drop("first_ns")
    of_day = events.withColumn("day", fn.expr(f"at_ns div {DAY_NS}")).withColumn(
        "clock_ns", fn.expr(f"at_ns % {DAY_NS} - {hours.begin_ns}")
    )
    inside = of_day.where(fn.col("clock_ns").between(0, hours.length_ns - 1))
    days = inside.select("day").distinct()
    numbered = days.select("day", (fn.row_number().over(Window.orderBy("day")) - 1).alias("segment"))
    return (
        inside.join(numbered, "day")
        .withColumn("at_ns", fn.col("segment").cast("bigint") * hours.length_ns + fn.col("clock_ns"))
        .drop("day", "clock_ns")
    )


def _ranked(events: DataFrame) -> DataFrame:
    """What is simultaneous keeps the order of its file."""
    own = Window.partitionBy("publisher").orderBy("at_ns", "file", "place", "topic")
    return events.select(
        "publisher",
        "segment",
        "at_ns",
        (fn.row_number().over(own) - 1).cast("bigint").alias("rank"),
        "topic",
        "attributes",
        "payload_bytes",
        "lifetime_ns",
    )
