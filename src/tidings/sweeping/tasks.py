"""One task of a sweep: a point, a seed; simulated, judged from its logs, and kept as a row on disk."""

import itertools
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tidings.checking import AuditReport, audit
from tidings.errors import InputError
from tidings.logs.staging import saying
from tidings.scenario import World, expand, load_scenario, refuse
from tidings.scenario.changes import value_of
from tidings.simulation import simulate
from tidings.vocabulary.instant import SECOND

TASKS_MAX: Final = 100_000
TABLES: Final = ("publications", "deliveries", "interests", "deadlines", "drops")
COUNTS: Final = ("wanted", "on_time", "late", "expired", "lost", "duplicates", "unexpected")
ORDER_COUNTS: Final = ("fifo_inversions", "order_conflicts", "order_cycles", "causal_inversions", "tagged")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Everything that another process needs to know."""

    scenario: Path
    changes: Mapping[str, Any]
    point: int
    seed: int
    kept: Path
    """Where the row goes."""
    allow_files: bool = False

    def world(self) -> World:
        """The world to simulate; an error of ours where there is none, or `simulate` does not take it."""
        world = expand(load_scenario(self.scenario, allow_files=self.allow_files, changes=self.changes), seed=self.seed)
        refuse(world, "simulate")
        return world


def points_of(varied: Sequence[str]) -> list[dict[str, Any]]:
    """Every combination of what `key=value,value…` name, the last key changing first; one point without any."""
    keys: dict[str, list[Any]] = {}
    for text in varied:
        key, equals, values = text.partition("=")
        found = [value_of(one) for one in _parted(values)]
        if not equals or not found or key in keys:
            raise InputError(f"--vary {text}: give a key once, with its values, as in overlay.link.loss=0,0.01,0.1")
        keys[key] = found
    return [dict(zip(keys, values, strict=True)) for values in itertools.product(*keys.values())]


def _parted(text: str) -> list[str]:
    """Values between commas; commas inside brackets and quotes belong to values."""
    parts, depth, quote, begin = [], 0, "", 0
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "[{":
            depth += 1
        elif letter in "]}":
            depth -= 1
        elif letter == "," and not depth:
            parts.append(text[begin:place])
            begin = place + 1
    return [part.strip() for part in [*parts, text[begin:]] if part.strip()]


def cost(world: World) -> float:
    """How long simulating it takes, in no unit: what is published times who may want it, and what links do anyway."""
    rates = [SECOND / one.every.mean for one in world.publishers if one.every is not None and one.every.mean > 0]
    events = sum(rates) * world.duration_ns / SECOND
    return events * (1 + len(world.subscribers)) + len(world.links) * world.duration_ns / SECOND


def run_task(task: Task) -> dict[str, Any]:
    """The task's row; also kept on disk, whole or not at all."""
    with tempfile.TemporaryDirectory(prefix="tidings-sweep-") as place:
        result = simulate(task.world(), out=Path(place) / "logs", tables=TABLES)
        report = audit(Path(place) / "logs")
    row = {"point": task.point, "seed": task.seed, "events": result.events, "deliveries": result.deliveries}
    row |= _judged(report)
    partial = task.kept.with_suffix(".partial")
    with saying(task.kept):
        partial.write_text(json.dumps(row), "utf-8")
        partial.replace(task.kept)
    return row


def kept_row(task: Task) -> dict[str, Any] | None:
    """What an earlier run of the same sweep found, None where it did not come to it."""
    try:
        return dict(json.loads(task.kept.read_bytes()))
    except (OSError, ValueError):
        return None


def _judged(report: AuditReport) -> dict[str, Any]:
    totals = {name: report.total(name) for name in COUNTS}
    shares = [one.reliability for one in report.subscribers.values() if one.reliability is not None]
    return {
        **totals,
        "reliability": totals["on_time"] / totals["wanted"] if totals["wanted"] else None,
        "reliability_worst": min(shares, default=None),
        **{name: getattr(report, name) for name in ORDER_COUNTS},
        "delay_p50_ns": _delay(report.delays, 0.5),
        "delay_p99_ns": _delay(report.delays, 0.99),
        "exact": report.exact,
    }


def _delay(delays: Mapping[int, int], share: float) -> int | None:
    """The least delay of the class in which this share of the first showings is reached."""
    total, passed = sum(delays.values()), 0
    for least, count in sorted(delays.items()):
        passed += count
        if passed >= share * total:
            return least
    return None


def ordered(tasks: Iterable[tuple[float, Task]]) -> list[Task]:
    """The longest first, so that none of them is left over at the end; equal ones in their order."""
    return [task for _, task in sorted(tasks, key=lambda one: (-one[0], one[1].point, one[1].seed))]
