"""Simulating: one world into one folder, which appears when it is whole."""

import os
import platform
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from tidings.logs import LogFolder
from tidings.scenario import World, refuse, write_world
from tidings.simulation.faults import Faults
from tidings.simulation.simulated_world import SimulatedWorld
from tidings.version import __version__

Progress = Callable[[int, int], None]
"""Told how far a run is: the instant and the duration."""


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """What one run left: its folder and how much happened. Whether it was good is for an audit to say."""

    folder: Path
    events: int
    deliveries: int


def simulate(
    world: World,
    *,
    out: Path,
    tables: Collection[str] | None = None,
    faults: Faults | None = None,
    progress: Progress | None = None,
) -> SimulationResult:
    """Run `world` and write its folder, which appears when everything is in it.

    Raises NotImplementedYet for a value that is not simulated yet, InputError and WorldError for a folder that cannot
    be written; nothing is left behind then.
    """
    refuse(world, "simulate")
    began = time.monotonic()
    with LogFolder.create(out, names=(), tables=tables) as folder:
        write_world(world, folder.stage)
        simulated = SimulatedWorld(world, folder, faults=faults)
        simulated.run(progress)
        folder.finish(_facts(simulated, time.monotonic() - began))
    return SimulationResult(out, simulated.workload.published, simulated.recorder.deliveries)


def _facts(simulated: SimulatedWorld, wall_s: float) -> dict[str, object]:
    return {
        "verb": "simulate",
        "scenario": simulated.world.name,
        "seed": simulated.world.seed,
        "version": __version__,
        "host": {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "system": platform.system(),
            "cores": os.cpu_count(),
        },
        "wall_s": round(wall_s, 3),
        "counters": {
            "events": simulated.workload.published,
            "deliveries": simulated.recorder.deliveries,
            "faults": {f"{kind} {role}": count for kind, role, count in simulated.counters.rows()},
        },
    }
