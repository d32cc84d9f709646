"""One run of a scenario or several, each simulated into its folder and then judged from its logs.

What subscribers got is always taken from the audit of the logs, so that `simulate` and `audit` cannot tell two stories.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from tidings.checking import audit
from tidings.cli.console import Progress
from tidings.cli.subscribers import COUNTS
from tidings.logs import RunsFolder
from tidings.processes import Workers
from tidings.scenario import World, expand, load_scenario
from tidings.simulation import simulate
from tidings.version import __version__

Document: TypeAlias = dict[str, Any]
CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One run: everything that another process needs to know."""

    scenario: Path
    seed: int
    out: Path
    tables: tuple[str, ...] | None = None
    allow_files: bool = False


def run_world(
    world: World, out: Path, tables: tuple[str, ...] | None = None, progress: Progress | None = None
) -> Document:
    """Simulate one world into the folder `out` and judge it; gives the document of `simulate --json`."""
    result = simulate(replace(world, runs=1), out=out, tables=tables, progress=progress)
    subscribers = {
        name: {"reliability": one.reliability, **{count: getattr(one, count) for count in COUNTS}}
        for name, one in audit(out).subscribers.items()
    }
    return {"folder": str(out), "events": result.events, "deliveries": result.deliveries, "subscribers": subscribers}


def run_job(job: Job) -> Document:
    """The same from the scenario on, as another process has to do it."""
    world = expand(load_scenario(job.scenario, allow_files=job.allow_files), seed=job.seed)
    return run_world(world, job.out, job.tables)


def run_several(first: Job, runs: int, *, processes: int = 1, progress: Progress | None = None) -> Document:
    """Runs with the seeds from the first job's on, into folders `seed-N` of one folder that appears when all are done."""
    with RunsFolder(first.out) as folder:
        names = [f"seed-{first.seed + number}" for number in range(runs)]
        jobs = [replace(first, seed=first.seed + number, out=folder.stage / name) for number, name in enumerate(names)]
        documents = []
        with Workers(processes) as workers:
            for document in workers.map(run_job, jobs):
                documents.append(document)
                if progress is not None:
                    progress(len(documents), runs)
        folder.finish_runs({"verb": "simulate", "seed": first.seed, "version": __version__}, names)
    return {"folder": str(first.out), **combined(documents)}


def combined(documents: Sequence[Document]) -> Document:
    """Several runs as one document: counts are sums, reliability the mean with its interval."""
    names = dict.fromkeys(name for document in documents for name in document["subscribers"])
    return {
        "runs": len(documents),
        "events": sum(document["events"] for document in documents),
        "deliveries": sum(document["deliveries"] for document in documents),
        "subscribers": {
            name: _combined([one["subscribers"][name] for one in documents if name in one["subscribers"]])
            for name in names
        },
    }


def student_interval(values: Sequence[float]) -> tuple[float, float] | tuple[None, None]:
    """The 95 % interval of the mean of independent values, by Student; none for fewer than two."""
    from scipy.special import stdtrit

    if len(values) < 2:
        return None, None
    half = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2)) * statistics.stdev(values) / len(values) ** 0.5
    mean = statistics.fmean(values)
    return mean - half, mean + half


def _combined(entries: Sequence[Mapping[str, Any]]) -> Document:
    shares = [entry["reliability"] for entry in entries if entry["reliability"] is not None]
    low, high = student_interval(shares)
    return {
        "reliability": statistics.fmean(shares) if shares else None,
        "reliability_low": low,
        "reliability_high": high,
        **{count: sum(entry[count] for entry in entries) for count in COUNTS},
    }
