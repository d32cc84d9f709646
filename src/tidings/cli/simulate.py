"""`tidings simulate`: run a scenario in virtual time."""

import itertools
import os
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tidings.cli.console import note, print_json, progress
from tidings.cli.subscribers import print_subscribers
from tidings.errors import InputError

EXAMPLE: Final = "tidings simulate line.toml --seed 7 --out logs"
AUDITED_TABLES: Final = ("publications", "deliveries", "interests", "deadlines", "drops")
"""Always written: without them nobody can say what subscribers got."""


def simulate(
    scenario: Annotated[Path, typer.Argument(help="A scenario file.")],
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the scenario's seed.")] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="Instead of the scenario's runs: seed, seed + 1, …")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the logs, new or empty; without it SCENARIO-logs, here.")
    ] = None,
    tables: Annotated[
        str | None,
        typer.Option(help="Log tables to write, joined by commas, besides those that an audit needs; else all."),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, help="Runs at the same time; one per core unless said.")
    ] = None,
    allow_files: Annotated[bool, typer.Option("--allow-files", help="Let the scenario name files anywhere.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Run a scenario's brokers and clients in virtual time. Same scenario, same seed: the same logs, byte by byte."""
    from tidings.scenario import expand, load_scenario, refuse

    world = expand(load_scenario(scenario, allow_files=allow_files), seed=seed)
    refuse(world, "simulate")
    from tidings.cli.runs import Job, run_several, run_world  # after the complaints, which need less and come at once

    runs = world.runs if runs is None else runs
    chosen = None if tables is None else _tables(tables)
    out = _unused(f"{scenario.stem}-logs") if out is None else out
    with progress(f"simulating {world.name}", quiet=quiet) as show:
        if runs == 1:
            document = run_world(world, out, chosen, show)
        else:
            job = Job(scenario=scenario, seed=world.seed, out=out, tables=chosen, allow_files=allow_files)
            document = run_several(job, runs, processes=min(processes or os.cpu_count() or 1, runs), progress=show)
    if as_json:
        print_json(document)
    else:
        _print_summary(world.name, document)
    if not quiet:
        note(f"logs in {out}; next: tidings audit {out}")


def _tables(text: str) -> tuple[str, ...]:
    from tidings.vocabulary.records import TABLES

    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        raise InputError(f"--tables: there is no table {', '.join(unknown)}; there are {', '.join(TABLES)}")
    return tuple(dict.fromkeys([*AUDITED_TABLES, *names]))


def _unused(name: str) -> Path:
    """A folder of this name here, or with the first number that makes it new."""
    names = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
    return next(path for path in map(Path, names) if not path.exists())


def _print_summary(name: str, document: dict[str, Any]) -> None:
    runs = f"{document['runs']} runs, " if "runs" in document else ""
    title = f"{name}: {runs}{document['events']:,} events, {document['deliveries']:,} deliveries"
    print_subscribers(title, document["subscribers"])
