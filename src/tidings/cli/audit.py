"""`tidings audit`: what logs prove, and whether the scenario's promises held."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tidings.cli.console import PROMISE_BROKEN, note, print_json, print_text, stages
from tidings.cli.subscribers import print_subscribers
from tidings.errors import InputError

if TYPE_CHECKING:
    from tidings.checking import AuditReport
    from tidings.pipeline.place import Where

EXAMPLE: Final = "tidings audit logs"
ORDER_COUNTS: Final = ("fifo_inversions", "order_conflicts", "order_cycles", "causal_inversions", "tagged")
SHOWING_COUNTS: Final = ("duplicates", "unexpected")


def audit(
    folders: Annotated[list[Path], typer.Argument(help="Folders that simulate wrote, each of one run or of several.")],
    master: Annotated[str | None, typer.Option(help="Judge on this Spark master, such as spark://HOST:7077.")] = None,
    remote: Annotated[str | None, typer.Option(help="Judge on this Spark Connect server, such as sc://HOST.")] = None,
    memory: Annotated[str | None, typer.Option(help="For an embedded Spark, such as 8g.")] = None,
    work: Annotated[
        Path | None, typer.Option(help="Keep Spark's stages here: an audit that was killed goes on when run again.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Judge runs from their logs alone. Exit code 1 when a promise of a scenario is broken.

    Tables of more than two million rows are judged on Spark, with the same counts.
    """
    from tidings.checking import promises_of, verdict
    from tidings.checking.report import summed
    from tidings.logs import runs_of
    from tidings.pipeline.place import Where

    where = Where(master=master, remote=remote, memory=memory)
    if len(set(folders)) != len(folders):
        raise InputError("audit: a folder is named twice; its events would count twice")
    promises = {folder: promises_of(folder) for folder in folders}
    reports, judge = _judged(folders, where, work, quiet=quiet)
    broken = [
        sentence if len(folders) == 1 else f"{folder}: {sentence}"
        for folder in folders
        for sentence in verdict(reports[folder], promises[folder])
    ]
    report = summed({str(folder): one for folder, one in reports.items()}) if len(folders) > 1 else reports[folders[0]]
    altered = [str(run.path / name) for folder in folders for run in runs_of(folder) for name in run.altered]
    for name in altered:
        note(f"{name} is not as run.json says: somebody has changed it since, and it is judged as it is")
    document = {**report.to_json(), "broken": broken, "altered": altered, "judged_by": judge}
    if as_json:
        print_json(document)
    else:
        _print_report(", ".join(map(str, folders)), document)
    if broken:
        raise typer.Exit(PROMISE_BROKEN)


def _judged(
    folders: Sequence[Path], where: "Where", work: Path | None, *, quiet: bool
) -> "tuple[dict[Path, AuditReport], str]":
    """The report of each folder, and who judged."""
    from tidings.checking import audit as audit_folder
    from tidings.logs import runs_of
    from tidings.pipeline.place import ROWS_FOR_SPARK, check_spark, rows_audited, spark_installed

    runs = {folder: runs_of(folder) for folder in folders}
    rows = sum(rows_audited(one) for found in runs.values() for one in found)
    large = rows > ROWS_FOR_SPARK
    if large and not where.chosen and not spark_installed():
        note(f"{rows:,} rows: Spark would judge them quicker and in bounded memory; pip install 'tidings[spark]'")
    if not where.chosen and not (large and spark_installed()):
        return {folder: audit_folder(folder) for folder in folders}, "plain"
    check_spark()
    from tidings.pipeline.auditing import audit_runs
    from tidings.pipeline.session import start

    with stages("audit", quiet=quiet) as show:
        spark = start(where)
        reports = {
            folder: audit_runs(spark, found, work=None if work is None else work / folder.name, progress=show)
            for folder, found in runs.items()
        }
    return reports, f"spark ({where})"


def _print_report(title: str, document: Mapping[str, Any]) -> None:
    print_subscribers(title, document["subscribers"])
    at_least = "" if document["exact"] else " (at least)"
    print_text(f"order{at_least}: {_counts(document, ORDER_COUNTS)}\n")
    print_text(f"shown: {_counts(document, SHOWING_COUNTS)}\n")
    print_text(f"judged by: {document['judged_by']}\n")
    broken = document["broken"]
    print_text("".join(f"BROKEN: {sentence}\n" for sentence in broken) or "every promise of the scenario held\n")


def _counts(document: Mapping[str, Any], names: Sequence[str]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {document[name]:,}" for name in names)
