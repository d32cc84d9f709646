"""From files to a folder of profiles: read, counted on Spark, written whole or not at all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from tidings.errors import InputError
from tidings.logs.staging import StagedFolder
from tidings.pipeline.complaints import complaining
from tidings.pipeline.workspace import Workspace, workspace
from tidings.profiling import scenario_lists as lists
from tidings.profiling.components import components, episodes, spell_stage
from tidings.profiling.contacts import contact_stage, durations, plane_of, track_stage
from tidings.profiling.differences import differences
from tidings.profiling.files import digest_of, files_of
from tidings.profiling.layouts import Read, sorted_by_layout
from tidings.profiling.links import links
from tidings.profiling.mapping import TableMapping
from tidings.profiling.normalised import Normalised, normalised
from tidings.profiling.profile_folder import ProfileFolder
from tidings.profiling.publishers import profile_stage
from tidings.profiling.recorded_events import Hours, event_stage
from tidings.version import __version__
from tidings.vocabulary.profiles import PROFILE_SCHEMA

Progress: TypeAlias = Callable[[str, int, int], None]
FILES_MAX: Final = 5_000
"""Most publishers whose traces are written, each into a file of its own; and most walks."""


@dataclass(frozen=True, kw_only=True)
class ProfileOptions:
    """How to read, and what to take."""

    mapping: TableMapping | None = None
    """For every file; without it the files' names say what they are."""
    layout: str | None = None
    """The same, by the name of a layout that comes with the package."""
    hours: Hours | None = None
    """Of each day; None: all."""
    reach_m: float = 100.0
    """How far an access point is heard."""
    work: Path | None = None
    """Keeps the stages, so that a profile that was killed goes on."""


@dataclass(frozen=True)
class Records:
    """The files that were named, and who reads which."""

    files: Sequence[Path]
    readers: Sequence[tuple[Read, Sequence[Path]]]


def records_of(named: Sequence[Path], options: ProfileOptions) -> Records:
    """What to read; InputError for files that nobody can, before Spark is started."""
    files = files_of(named)
    return Records(files, sorted_by_layout(files, options.mapping, options.layout))


def profile(
    spark: SparkSession,
    records: Records,
    staged: StagedFolder,
    options: ProfileOptions,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write a folder of profiles; gives what `profile --json` prints.

    Raises InputError for files that are not whole and where no row is good, WorldError when Spark fails.
    """
    said = (digest_of(records.files), options.hours, options.reach_m, options.mapping, options.layout, __version__)
    with complaining("profile"), workspace(spark, options.work, " ".join(map(str, said))) as space:
        found = normalised(space, [read(spark, some) for read, some in records.readers])
        return _Profile(space, found, ProfileFolder(staged), options, progress).written(staged.path, records.files)


class _Profile:
    """One profile, step by step; each step does what its tables ask for."""

    def __init__(
        self,
        space: Workspace,
        found: Normalised,
        folder: ProfileFolder,
        options: ProfileOptions,
        progress: Progress | None,
    ) -> None:
        self._space, self._found, self._folder, self._options, self._progress = space, found, folder, options, progress
        self._counts: dict[str, int] = {}
        self._quarantined = 0
        self._notes: list[str] = []

    def written(self, out: Path, files: Sequence[Path]) -> dict[str, Any]:
        steps = {
            "events": self._publishers,
            "outages": self._components,
            "delays": self._links,
            "showings": self._differences,
            "positions": self._contacts,
            "interests": self._interests,
        }
        due = [(kind, step) for kind, step in steps.items() if kind in self._found.tables]
        self._tell("bad rows", 0, len(due) + 1)
        self._quarantine()
        for done, (kind, step) in enumerate(due, 1):
            self._tell(kind, done, len(due) + 1)
            step(self._found.tables[kind])
        if not any(self._counts.values()):
            raise InputError(f"profile: no row is good{self._first_reason()}; nothing is written")
        said = {"verb": "profile", "version": __version__, "sources": [file.name for file in files], **self._counts}
        more = {"quarantined": self._quarantined, "notes": self._notes}
        self._folder.finish(said | more)
        return {"folder": str(out), **self._counts, **more, "files": self._folder.rows}

    def _tell(self, step: str, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress(step, done, total)

    def _quarantine(self) -> None:
        bad = self._found.bad
        if bad is None:
            return
        self._quarantined = self._space.stage("quarantine", lambda: bad.coalesce(1)).count()
        if self._quarantined:
            self._folder.copy(_only_file(self._space.path / "quarantine"), "quarantine.parquet")

    def _first_reason(self) -> str:
        row = None if self._found.bad is None else self._found.bad.head()
        return "" if row is None else f" ({Path(row['file']).name}, {row['place']}: {row['reason']})"

    def _publishers(self, events: DataFrame) -> None:
        ordered = event_stage(self._space, events, self._options.hours)
        profiles = profile_stage(self._space, ordered, self._options.hours)
        table = self._folder.table("publishers", profiles, PROFILE_SCHEMA)
        names = table.column("publisher").to_pylist()
        self._counts |= {"publishers": len(names), "events": sum(table.column("events").to_pylist())}
        if len(names) > FILES_MAX:
            self._notes.append(f"{len(names):,} publishers: no traces are written for more than {FILES_MAX:,}")
            return
        rows = ordered.select(
            "publisher",
            "rank",
            fn.col("at_ns").alias("published_ns"),
            "topic",
            "attributes",
            "payload_bytes",
        )
        self._files("trace", rows, "publisher", "rank", names)
        self._folder.entries("publisher", lists.publisher_entries(names))

    def _components(self, outages: DataFrame) -> None:
        spells = spell_stage(self._space, outages)
        table = self._folder.table("components", components(spells, self._found.tables.get("watched")))
        self._folder.table("episodes", episodes(spells))
        self._folder.entries("broker", lists.broker_entries(table.to_pylist()))
        self._counts |= {"components": table.num_rows, "failures": sum(table.column("failures").to_pylist())}

    def _links(self, delays: DataFrame) -> None:
        table = self._folder.table("links", links(delays))
        self._folder.entries("link", lists.link_entries(table.to_pylist()))
        self._counts["links"] = table.num_rows

    def _differences(self, showings: DataFrame) -> None:
        self._counts["pairs"] = self._folder.table("differences", differences(showings)).num_rows

    def _contacts(self, positions: DataFrame) -> None:
        if "points" not in self._found.tables:
            raise InputError("profile: there are positions, but no access points; name the file of these, too")
        names, points, metres = plane_of(self._found.tables["points"])
        tracks = track_stage(self._space, positions, metres)
        contacts = contact_stage(self._space, tracks, names, points, self._options.reach_m)
        table = self._folder.table("contacts", contacts.orderBy("subject", "from_ns"))
        self._folder.table("durations", durations(contacts))
        self._folder.table(
            "points",
            self._space.spark.createDataFrame(
                pa.table({"point": names, "x": [x for x, _ in points], "y": [y for _, y in points]})
            ),
        )
        subjects = [row["subject"] for row in tracks.select("subject").distinct().orderBy("subject").collect()]
        self._counts |= {"walkers": len(subjects), "contacts": table.num_rows}
        if len(subjects) <= FILES_MAX:
            self._files("walk", tracks, "subject", "time_ns", subjects)
            self._folder.entries("walker", lists.walker_entries(subjects))
        self._folder.entries("points", ({"x": x, "y": y} for x, y in points))

    def _interests(self, interests: DataFrame) -> None:
        table = self._folder.table("interests", interests.orderBy("subject", "topic"))
        by_subject: dict[str, list[str]] = {}
        for row in table.to_pylist():
            by_subject.setdefault(row["subject"], []).append(row["topic"])
        self._folder.entries("subscriber", lists.subscriber_entries(by_subject.items()))
        self._counts |= {"subscribers": len(by_subject)}

    def _files(self, prefix: str, rows: DataFrame, key: str, order: str, names: Sequence[str]) -> None:
        """One file for each name, in order; columns `key` and `order` are left out where they only say that."""
        if not names:
            return
        numbers = self._space.spark.createDataFrame(pa.table({key: names, "number": list(range(len(names)))}))
        hidden = [key, "rank"]
        place = f"{prefix}s"
        self._space.stage(
            place,
            lambda: rows.join(numbers, key).repartition("number").sortWithinPartitions("number", order).drop(*hidden),
            by=["number"],
        )
        for number, name in enumerate(names):
            self._folder.copy(_only_file(self._space.path / place / f"number={number}"), lists.file_name(prefix, name))


def _only_file(folder: Path) -> Path:
    (found,) = folder.glob("*.parquet")
    return found
