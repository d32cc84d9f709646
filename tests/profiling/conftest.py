"""One profile of records in every layout, which the tests of its parts share."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from profiling.made_records import write_records
from tidings.logs.staging import StagedFolder
from tidings.profiling.profiling import ProfileOptions, profile, records_of
from tidings.profiling.recorded_events import Hours

HOUR_NS = 3_600 * 10**9


@dataclass
class Profiled:
    """A folder of profiles, and the stages that it was made in."""

    records: Path
    out: Path
    work: Path
    document: dict
    told: list

    def rows(self, name) -> list[dict]:
        """A table of the folder."""
        return pq.read_table(self.out / f"{name}.parquet").to_pylist()

    def stage(self, name) -> pa.Table:
        """What Spark wrote on the way."""
        return pq.read_table(self.work / name, partitioning=None)

    def by(self, name, *keys) -> dict:
        """A table's rows by what their keys say."""
        return {tuple(row[key] for key in keys) if len(keys) > 1 else row[keys[0]]: row for row in self.rows(name)}


def profile_of(spark, named, out, progress=None, **options):
    """Files, profiled into `out`."""
    chosen = ProfileOptions(**options)
    with StagedFolder(out) as staged:
        return profile(spark, records_of(named, chosen), staged, chosen, progress)


@pytest.fixture(scope="session")
def profiled(spark, tmp_path_factory):
    """All layouts at once."""
    place = tmp_path_factory.mktemp("profiled")
    records = write_records(place / "records")
    told = []
    document = profile_of(spark, [records], place / "out", lambda *step: told.append(step), work=place / "work")
    return Profiled(records, place / "out", place / "work", document, told)


@pytest.fixture(scope="session")
def trading_days(spark, profiled, tmp_path_factory):
    """The trades alone, from half past nine to ten, days side by side."""
    place = tmp_path_factory.mktemp("days")
    traces = sorted((profiled.records / "ticks").glob("*_trade.zip"))
    hours = Hours(int(9.5 * HOUR_NS), 10 * HOUR_NS)
    document = profile_of(spark, traces, place / "out", work=place / "work", hours=hours)
    return Profiled(profiled.records, place / "out", place / "work", document, [])
