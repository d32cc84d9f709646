"""What a scenario promises, and which of it an audit found broken."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tidings.checking.publisher_order import interval
from tidings.checking.report import AuditReport
from tidings.errors import InputError
from tidings.logs import Folder, runs_of

BUFFERING: Final = ("buffering", "bypass+buffering")
"""Mechanisms under which no acknowledged event is lost."""


@dataclass(frozen=True, kw_only=True)
class Promises:
    """The keys of a scenario that say what must hold."""

    guarantee: str = "none"
    tolerance: float = 0.05
    """The probability that `fifo` allows a publisher's order to be broken with."""
    k: int = 2
    mechanism: str = "none"


def promises_of(path: Path | str) -> Promises:
    """The promises of the run or runs in a folder, from the scenario beside the tables."""
    folder = runs_of(path)[0]
    scenario = folder.scenario()
    ordering, reliability = (_table(folder, scenario, name) for name in ("ordering", "reliability"))
    guarantee = ordering.get("guarantee", "none")
    if guarantee not in _ORDER_CHECKS:
        known = ", ".join(_ORDER_CHECKS)
        raise InputError(f"{folder.path}: scenario.toml: ordering.guarantee = {guarantee!r}: one of {known}")
    return Promises(
        guarantee=guarantee,
        tolerance=ordering.get("tolerance", Promises.tolerance),
        k=ordering.get("k", 1 if guarantee == "causal" else 2),
        mechanism=reliability.get("mechanism", "none"),
    )


def verdict(report: AuditReport, promises: Promises) -> list[str]:
    """One sentence for each promise that is broken; empty when all hold.

    A report that is not exact can break a promise, but does not prove that one holds.
    """
    broken = [
        _sentence(report.total("duplicates"), "showing", "of an event that the subscriber had been shown before"),
        _sentence(report.total("unexpected"), "showing", "that no interest allows"),
    ]
    if promises.mechanism in BUFFERING:
        lost = report.total("acknowledged_lost")
        broken.append(_sentence(lost, "acknowledged event", f"lost, which {promises.mechanism!r} rules out"))
    broken += _ORDER_CHECKS[promises.guarantee](report, promises)
    return [sentence for sentence in broken if sentence]


def _fifo(report: AuditReport, promises: Promises) -> list[str]:
    low, high = interval(report.fifo_inversions, report.fifo_chances)
    if low <= promises.tolerance:
        return []
    return [
        (
            f"{report.fifo_inversions} of {report.fifo_chances} events behind another of their publisher came out of order: "
            f"between {low:.3g} and {high:.3g} of them (95 %), more than the tolerance of {promises.tolerance:g}"
        )
    ]


def _total(report: AuditReport, _promises: Promises) -> list[str]:
    return [
        _sentence(report.order_conflicts, "pair", "of events shown to two subscribers in opposite order"),
        _sentence(report.topic_inversions, "event", "shown after a later one of its publisher and topic"),
    ]


def _causal(report: AuditReport, _promises: Promises) -> list[str]:
    return [
        _sentence(report.order_conflicts, "pair", "of events shown to two subscribers in opposite order"),
        _sentence(report.order_cycles, "set", "of events whose orders close a cycle"),
        _sentence(report.causal_inversions, "effect", "shown before a cause"),
        _sentence(report.fifo_inversions, "event", "shown after a later one of its publisher"),
    ]


def _groups(report: AuditReport, promises: Promises) -> list[str]:
    return _causal(report, promises) if promises.k == 1 else _total(report, promises)


_ORDER_CHECKS: Final[Mapping[str, Callable[[AuditReport, Promises], list[str]]]] = {
    "none": lambda _report, _promises: [],
    "fifo": _fifo,
    "total": _total,
    "causal": _causal,
    "groups": _groups,
}


def _sentence(count: int, noun: str, rest: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)} {rest}" if count else ""


def _table(folder: Folder, scenario: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = scenario.get(name, {})
    if not isinstance(table, dict):
        raise InputError(f"{folder.path}: scenario.toml: {name} = {table!r}: must be a table")
    return table
