"""`tidings sweep`: one scenario with many values and seeds."""

import os
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tidings.cli.console import note, print_json, print_table, progress

EXAMPLE: Final = "tidings sweep line.toml --vary overlay.availability=0.9,0.95,0.99 --seeds 10 --out swept"
_MEANS: Final = ("reliability", "reliability_worst", "fifo_inversions", "order_conflicts")


def sweep(
    scenario: Annotated[Path, typer.Argument(help="A scenario file.")],
    out: Annotated[Path, typer.Option(help="Folder to write, new or empty; it appears when all runs are done.")],
    vary: Annotated[
        list[str] | None,
        typer.Option(
            help="key=value,value…: every combination is run. Entries of lists by id, as in subscriber.s.deadline."
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each combination: seed, seed + 1, …")] = 1,
    seed: Annotated[int | None, typer.Option(min=0, help="The first seed, instead of the scenario's.")] = None,
    processes: Annotated[int | None, typer.Option(min=1, help="Runs at the same time; else one per core.")] = None,
    allow_files: Annotated[bool, typer.Option("--allow-files", help="Let the scenario name files anywhere.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Simulate and judge a scenario with many values and seeds, the longest runs first. Killed, it goes on when run again."""
    from tidings.sweeping.sweep import TABLE, SweepOptions
    from tidings.sweeping.sweep import sweep as sweep_scenario

    options = SweepOptions(
        varied=vary or (),
        seeds=seeds,
        seed=seed,
        processes=processes or os.cpu_count() or 1,
        allow_files=allow_files,
    )
    with progress(f"sweep of {scenario}", quiet=quiet) as show:
        points, rows = sweep_scenario(scenario, out, options, show)
    summary = [_summary(point, [row for row in rows if row["point"] == place]) for place, point in enumerate(points)]
    if as_json:
        print_json({"folder": str(out), "table": TABLE, "runs": len(rows), "points": summary})
    else:
        keys = list(points[0])
        shown = [
            [*(str(one["vary"][key]) for key in keys), *(one[name] for name in ("runs", *_MEANS))] for one in summary
        ]
        print_table(f"{out / TABLE}: {len(rows):,} runs, means", (*keys, "runs", *_MEANS), shown)
    if not quiet:
        note(f"all runs in {out / TABLE}")


def _summary(point: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    from tidings.cli.runs import student_interval

    shares = [row["reliability"] for row in rows if row["reliability"] is not None]
    low, high = student_interval(shares)
    found: dict[str, Any] = {"vary": dict(point), "runs": len(rows)}
    for name in _MEANS:
        values = [row[name] for row in rows if row[name] is not None]
        found[name] = statistics.fmean(values) if values else None
    return {**found, "reliability_low": low, "reliability_high": high}
