"""What every layout is turned into: one table for each kind of record, with one explicit schema, and the bad rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import Final, TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from tidings.pipeline.workspace import Workspace

SCHEMAS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "events": (
            "publisher string, at_ns bigint, topic string, attributes map<string,string>, payload_bytes bigint, "
            "lifetime_ns bigint, file string, place bigint"
        ),
        "outages": (
            "component string, down_ns bigint, up_ns bigint, cause string, group string, since_ns bigint, until_ns bigint"
        ),
        "watched": "component string, group string, since_ns bigint, until_ns bigint",
        "delays": "one string, other string, delay_ns bigint, deviation_ns bigint, lost boolean, at_ns bigint",
        "positions": "subject string, at_ns bigint, x double, y double, degrees boolean",
        "points": "point string, x double, y double, degrees boolean",
        "interests": "subject string, topic string, weight double",
        "showings": "publisher string, subscriber string, number bigint, delay_ns bigint",
    }
)
"""Instants are nanoseconds since 1970 (of a run: since its start), lengths are metres; `at_ns` of delays, `cause`, `group`,
`since_ns` and `until_ns` (when a component was watched) may be null. `watched` lists components that need not have
failed. With `degrees`, x is a longitude and y a latitude."""
TEXT_KEPT: Final = 1_000
"""Characters of a bad row that are kept."""

Tables: TypeAlias = Mapping[str, DataFrame]


@dataclass(frozen=True)
class Part:
    """What one layout reads: rows that were `judged`, and what the good ones are."""

    judged: DataFrame
    tables: Callable[[DataFrame], Tables]

    def rows(self) -> DataFrame:
        """For a stage."""
        return self.judged


@dataclass(frozen=True)
class Normalised:
    """Tables by kind, and the bad rows of all of them: `file, place, reason, text`."""

    tables: Tables
    bad: DataFrame | None


def judged(frame: DataFrame, columns: Mapping[str, Column], reason: Column) -> DataFrame:
    """`good` (a struct of `columns`), or `file, place, text` and the reason why it is bad."""
    judged = frame.select("file", "place", "text", reason.alias("reason"), fn.struct(*_named(columns)).alias("values"))
    bad = fn.col("reason").isNotNull()
    return judged.select(
        fn.when(~bad, fn.col("values")).alias("good"),
        *(fn.when(bad, fn.col(name)).alias(name) for name in ("file", "place", "reason")),
        fn.when(bad, fn.substring("text", 1, TEXT_KEPT)).alias("text"),
    )


def normalised(space: Workspace, parts: Sequence[Part | Tables]) -> Normalised:
    """One table for each kind, whatever number of layouts it came from; every file is read once."""
    tables: dict[str, list[DataFrame]] = {}
    bad = []
    for number, part in enumerate(parts):
        if isinstance(part, Part):
            rows = space.stage(f"read_{number}", part.rows)
            bad.append(rows.where("reason is not null").drop("good"))
            found = part.tables(rows.where("reason is null").select("good.*"))
        else:
            found = part
        for kind, frame in found.items():
            tables.setdefault(kind, []).append(frame)
    return Normalised({kind: union(frames) for kind, frames in tables.items()}, union(bad) if bad else None)


def union(frames: Sequence[DataFrame]) -> DataFrame:
    """The rows of all of them, at least one; columns are matched by name."""
    return reduce(DataFrame.unionByName, frames)


def _named(columns: Mapping[str, Column]) -> list[Column]:
    return [value.alias(name) for name, value in columns.items()]
