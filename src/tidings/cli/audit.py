"""`tidings audit`: what logs prove, whether the scenario's promises held, and whether the prediction did."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tidings.cli.console import PROMISE_BROKEN, note, print_json, print_text, stages
from tidings.cli.subscribers import print_subscribers
from tidings.errors import InputError

if TYPE_CHECKING:
    from tidings.reporting.judged import Judged

EXAMPLE: Final = "tidings audit logs --report audit.html"
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
    report: Annotated[
        list[Path] | None,
        typer.Option(help="Write a report: FILE.html to look at, FILE.json or FILE.parquet for programs. Repeatable."),
    ] = None,
    predicted: Annotated[
        Path | None, typer.Option(help="What predict --table wrote; else the folder's own scenario is predicted.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Judge runs from their logs alone. Exit code 1 when a promise of a scenario is broken.

    Tables of more than two million rows are judged on Spark, with the same counts.
    """
    from tidings.checking import promises_of
    from tidings.cli.judging import judged, reports_of
    from tidings.logs import runs_of
    from tidings.pipeline.place import Where
    from tidings.reporting.files import check_report_file, write_report
    from tidings.reporting.forecasts import read_forecast

    where = Where(master=master, remote=remote, memory=memory)
    if len(set(folders)) != len(folders):
        raise InputError("audit: a folder is named twice; its events would count twice")
    for file in report or ():
        check_report_file(file)
    forecast = None if predicted is None else read_forecast(predicted)
    for folder in folders:
        promises_of(folder)  # complains at once, before hours of judging
    with stages("audit", quiet=quiet) as show:
        found, judge = reports_of({folder: runs_of(folder) for folder in folders}, where, work, show)
    all_judged = [judged(one, found[one], judge, forecast, drawn=bool(report)) for one in folders]
    for file in report or ():
        write_report(file, f"Audit of {', '.join(map(str, folders))}", all_judged)
        note(f"report in {file}")
    altered = [str(run.path / name) for folder in folders for run in runs_of(folder) for name in run.altered]
    for name in altered:
        note(f"{name} is not as run.json says: somebody has changed it since, and it is judged as it is")
    document = {**_document(all_judged), "altered": altered}
    if as_json:
        print_json(document)
    else:
        _print_report(", ".join(map(str, folders)), document)
    if document["broken"]:
        raise typer.Exit(PROMISE_BROKEN)


def _document(all_judged: "Sequence[Judged]") -> dict[str, Any]:
    """Of one folder all that is known; of several the sums, and what was predicted of each."""
    from tidings.checking.report import summed

    if len(all_judged) == 1:
        return all_judged[0].document()
    documents = {one.name: one.document() for one in all_judged}
    return {
        **summed({one.name: one.report for one in all_judged}).to_json(),
        "runs": documents,
        "broken": [f"{name}: {sentence}" for name, one in documents.items() for sentence in one["broken"]],
        "judged_by": all_judged[0].judged_by,
    }


def _print_report(title: str, document: Mapping[str, Any]) -> None:
    print_subscribers(title, document["subscribers"])
    at_least = "" if document["exact"] else " (at least)"
    print_text(f"order{at_least}: {_counts(document, ORDER_COUNTS)}\n")
    print_text(f"shown: {_counts(document, SHOWING_COUNTS)}\n")
    for name, one in (document["runs"] if "prediction" not in document else {"": document}).items():
        print_text(_compared(f"{name} " if name else "", one))
    print_text(f"judged by: {document['judged_by']}\n")
    broken = document["broken"]
    print_text("".join(f"BROKEN: {sentence}\n" for sentence in broken) or "every promise of the scenario held\n")


def _compared(name: str, document: Mapping[str, Any]) -> str:
    found = document["prediction"]
    if found is None:
        return f"{name}prediction: none ({document['not_predicted']})\n"
    return (
        f"{name}prediction: {found['predicted']:.4f} for {found['measured']:.4f} measured, off by "
        f"{found['error_mean'] * 100:.2f} points on average; {found['inside']:,} of {found['subscribers']:,} intervals "
        f"hold it ({found['source']})\n"
    )


def _counts(document: Mapping[str, Any], names: Sequence[str]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {document[name]:,}" for name in names)
