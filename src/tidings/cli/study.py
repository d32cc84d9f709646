"""`tidings study`: the papers' evaluations, their numbers beside ours."""

import contextlib
import os
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tidings.cli.console import note, print_json, print_table, print_text, progress

EXAMPLE: Final = "tidings study fifo --quick --out fifo"


def study(
    name: Annotated[str | None, typer.Argument(help="The study; without it they are listed.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick/--full", help="About a minute with wide intervals, or the papers' sizes.")
    ] = True,
    seed: Annotated[int, typer.Option(min=0, help="Where all draws come from.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Folder for page, plots and numbers, new or empty.")] = None,
    processes: Annotated[int | None, typer.Option(min=1, help="Work at the same time; else one per core.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Repeat the evaluation of a paper, figure by figure. Same seed and size: the same numbers."""
    from tidings.logs.staging import StagedFolder
    from tidings.processes import Workers
    from tidings.studies import STUDIES, StudyRun, study_of
    from tidings.studies.report import write_report

    if name is None:
        _list({one: entry.about for one, entry in STUDIES.items()}, as_json=as_json)
        return
    chosen = study_of(name)
    with contextlib.ExitStack() as stack:
        # The folder first: nobody computes for an hour to be told that it is taken.
        folder = None if out is None else stack.enter_context(StagedFolder(out))
        workers = stack.enter_context(Workers(processes or os.cpu_count() or 1))
        show = stack.enter_context(progress(f"study {name}", quiet=quiet))
        found = []
        for figure in chosen.figures(StudyRun(seed=seed, full=not quick, workers=workers, progress=show)):
            found.append(figure)
            if not quiet:
                note(f"{name}: {figure.name} done, {figure.title}")
        if folder is not None:
            write_report(folder, {"study": name, "size": "quick" if quick else "full", "seed": seed}, found)
    if as_json:
        print_json({"figures": {figure.name: figure.document() for figure in found}})
    else:
        for figure in found:
            _print_figure(figure)
    if out is not None and not quiet:
        note(f"page, plots and numbers in {out}; open {out / 'index.html'}")


def _list(studies: dict[str, str], *, as_json: bool) -> None:
    if as_json:
        print_json({"studies": studies})
    else:
        print_text("".join(f"{name:10} {about}\n" for name, about in studies.items()))


def _print_figure(figure: Any) -> None:
    from tidings.studies.report import interval, shown

    rows = [(one.what, shown(one.paper), shown(one.ours), interval(one)) for one in figure.findings]
    columns = ("what", "paper", "ours", "95 % interval")
    print_table(f"{figure.name}: {figure.title}", columns, rows, rows_max=len(rows))
    print_text("\n")
