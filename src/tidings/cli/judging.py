"""Folders judged, plainly or on Spark, and put beside what had been predicted: what `audit` and `demo` share."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tidings.checking import AuditReport, promises_of, verdict
from tidings.checking import audit as audit_plainly
from tidings.cli.console import StageProgress, note
from tidings.logs import Folder, runs_of
from tidings.reporting.comparison import compare
from tidings.reporting.forecasts import Forecast, forecast_of
from tidings.reporting.judged import Judged
from tidings.reporting.pictures import overlay_of

if TYPE_CHECKING:
    from tidings.pipeline.place import Where


def reports_of(
    runs: Mapping[Path, Sequence[Folder]], where: "Where", work: Path | None, show: StageProgress | None
) -> tuple[dict[Path, AuditReport], str]:
    """The report of each folder, and who judged: Spark where somebody asks for it or the tables are large."""
    from tidings.pipeline.place import ROWS_FOR_SPARK, check_spark, rows_audited, spark_installed

    rows = sum(rows_audited(one) for found in runs.values() for one in found)
    large = rows > ROWS_FOR_SPARK
    if large and not where.chosen and not spark_installed():
        note(f"{rows:,} rows: Spark would judge them quicker and in bounded memory; pip install 'tidings[spark]'")
    if not where.chosen and not (large and spark_installed()):
        return {folder: audit_plainly(folder) for folder in runs}, "plain"
    check_spark()
    from tidings.pipeline.auditing import audit_runs
    from tidings.pipeline.session import start

    spark = start(where)
    reports = {
        folder: audit_runs(spark, found, work=None if work is None else work / folder.name, progress=show)
        for folder, found in runs.items()
    }
    return reports, f"spark ({where})"


def judged(folder: Path, report: AuditReport, judge: str, predicted: Forecast | None, *, drawn: bool = False) -> Judged:
    """A folder with its verdict and its comparison; `predicted` stands for every run of it, else each is predicted.

    `drawn` adds what only a page shows.
    """
    runs = runs_of(folder)
    promises = promises_of(folder)
    forecasts = {one.name: predicted or forecast_of(one) for one in runs}
    comparison = compare(report, forecasts)
    refused = next((one.refused for one in forecasts.values() if one.refused), None)
    return Judged(
        name=str(folder),
        report=report,
        broken=verdict(report, promises),
        guarantee=promises.guarantee,
        comparison=comparison,
        not_predicted=None if comparison else refused or "nobody who was predicted wanted anything",
        judged_by=judge,
        overlay=overlay_of(runs[0]) if drawn else None,
    )
