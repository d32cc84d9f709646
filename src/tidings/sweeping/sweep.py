"""A whole sweep: every task once, however often it is killed and begun again; one table with the same bytes."""

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from tidings.errors import InputError
from tidings.logs.staging import StagedFolder, saying
from tidings.processes import Workers
from tidings.scenario import load_scenario
from tidings.sweeping.tasks import (
    COUNTS,
    ORDER_COUNTS,
    TASKS_MAX,
    Task,
    cost,
    kept_row,
    ordered,
    points_of,
    run_task,
)
from tidings.version import __version__

Progress: TypeAlias = Callable[[int, int], None]
TABLE: Final = "sweep.parquet"


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """What to vary, and how often."""

    varied: Sequence[str] = ()
    seeds: int = 1
    seed: int | None = None
    """The first; None: the scenario's own."""
    processes: int = 1
    allow_files: bool = False


def sweep(
    scenario: Path, out: Path, options: SweepOptions, progress: Progress | None = None
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Write `sweep.parquet` and `run.json` into the new folder `out`; gives the points and the rows.

    Rows are kept beside `out` until all are there: a sweep that was killed goes on when it is run again.
    """
    points = points_of(options.varied)
    if len(points) * options.seeds > TASKS_MAX:
        raise InputError(f"sweep: {len(points) * options.seeds:,} runs are more than {TASKS_MAX:,}; vary less at once")
    with StagedFolder(out) as staged:
        kept = out.with_name(f".{out.name}.sweep")
        tasks = _tasks(scenario, points, options, kept)
        _claim(kept, scenario, options)
        rows = _rows(tasks, options.processes, progress)
        pq.write_table(table(points, rows), staged.stage / TABLE)
        said = {"verb": "sweep", "version": __version__, "points": points, "seeds": options.seeds}
        staged.finish(said, {TABLE: len(rows)})
        shutil.rmtree(kept, ignore_errors=True)
    return points, rows


def _tasks(scenario: Path, points: Sequence[dict[str, Any]], options: SweepOptions, kept: Path) -> list[Task]:
    """The longest first. Every point's world is made once: what cannot be run is refused before anything runs."""
    begin = options.seed
    if begin is None:
        begin = load_scenario(scenario, allow_files=options.allow_files).seed
    priced = []
    for number, changes in enumerate(points):
        tasks = [
            Task(
                scenario=scenario,
                changes=changes,
                point=number,
                seed=seed,
                kept=kept / f"{number}-{seed}.json",
                allow_files=options.allow_files,
            )
            for seed in range(begin, begin + options.seeds)
        ]
        price = cost(tasks[0].world())
        priced += [(price, task) for task in tasks]
    return ordered(priced)


def _claim(kept: Path, scenario: Path, options: SweepOptions) -> None:
    """Rows of another sweep under this name are no rows of this one."""
    said = json.dumps([list(options.varied), options.seeds, options.seed, __version__])
    digest = hashlib.sha256(scenario.read_bytes() + said.encode()).hexdigest()
    mark = kept / "inputs"
    with saying(kept):
        if not mark.is_file() or mark.read_text("utf-8") != digest:
            shutil.rmtree(kept, ignore_errors=True)
            kept.mkdir()
            mark.write_text(digest, "utf-8")


def _rows(tasks: Sequence[Task], processes: int, progress: Progress | None) -> list[dict[str, Any]]:
    found = [(task, kept_row(task)) for task in tasks]
    rows = [row for _, row in found if row is not None]
    if progress is not None:
        progress(len(rows), len(tasks))
    with Workers(processes) as workers:
        for row in workers.map(run_task, [task for task, row in found if row is None]):
            rows.append(row)
            if progress is not None:
                progress(len(rows), len(tasks))
    return sorted(rows, key=lambda row: (row["point"], row["seed"]))


def table(points: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> pa.Table:
    """One row for each run: the values varied, as TOML or JSON would write them, then what came out."""
    keys = list(points[0])
    columns: dict[str, Any] = {key: pa.array([_text(points[row["point"]][key]) for row in rows]) for key in keys}
    whole = ("point", "seed", "events", "deliveries", *COUNTS, *ORDER_COUNTS, "delay_p50_ns", "delay_p99_ns")
    columns |= {name: pa.array([row[name] for row in rows], pa.int64()) for name in whole}
    shares = ("reliability", "reliability_worst")
    columns |= {name: pa.array([row[name] for row in rows], pa.float64()) for name in shares}
    columns["exact"] = pa.array([row["exact"] for row in rows], pa.bool_())
    return pa.table(columns)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
