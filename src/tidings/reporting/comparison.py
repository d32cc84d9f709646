"""Measured beside predicted: subscriber by subscriber, with the intervals that the measurement leaves."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tidings.checking import AuditReport, SubscriberReport
from tidings.reporting.forecasts import Forecast


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One subscriber who wanted something and was predicted."""

    subscriber: str
    wanted: int
    measured: float
    low: float
    high: float
    predicted: float

    @property
    def error(self) -> float:
        """How far the prediction is off."""
        return abs(self.measured - self.predicted)

    @property
    def inside(self) -> bool:
        """True when the measurement does not contradict the prediction."""
        return self.low <= self.predicted <= self.high


@dataclass(frozen=True)
class Comparison:
    """All subscribers; never empty."""

    rows: Sequence[Row]
    source: str
    """Whose prediction it is."""

    @cached_property
    def measured(self) -> float:
        """Share of all wanted events that came on time."""
        return sum(row.measured * row.wanted for row in self.rows) / self._wanted

    @cached_property
    def predicted(self) -> float:
        """The same, as predicted for what was then wanted."""
        return sum(row.predicted * row.wanted for row in self.rows) / self._wanted

    @cached_property
    def mean_error(self) -> float:
        """Over subscribers."""
        return statistics.fmean(row.error for row in self.rows)

    @cached_property
    def inside(self) -> int:
        """How many intervals hold the prediction."""
        return sum(row.inside for row in self.rows)

    @property
    def _wanted(self) -> int:
        return sum(row.wanted for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """As `audit --json` prints it; the subscribers' own numbers stand with them."""
        return {
            "source": self.source,
            "subscribers": len(self.rows),
            "measured": self.measured,
            "predicted": self.predicted,
            "error_mean": self.mean_error,
            "error_max": max(row.error for row in self.rows),
            "inside": self.inside,
        }


def compare(report: AuditReport, forecasts: Mapping[str, Forecast]) -> Comparison | None:
    """The report of one run or of several beside what was predicted for each run, by its name; None without any.

    Over several runs a subscriber's prediction is the mean of those for each run, by the events wanted in it.
    """
    runs = report.runs or dict.fromkeys(forecasts, report)
    rows = []
    for name, one in report.subscribers.items():
        parts = [
            (run.subscribers[name].wanted, forecasts[key].reliability.get(name))
            for key, run in runs.items()
            if name in run.subscribers and key in forecasts
        ]
        predicted = _mean(parts)
        row = None if predicted is None else _row(name, one, predicted)
        if row is not None:
            rows.append(row)
    sources = dict.fromkeys(one.source for one in forecasts.values())
    return Comparison(rows, ", ".join(sources)) if rows else None


def _mean(parts: Iterable[tuple[int, float | None]]) -> float | None:
    known = [(wanted, share) for wanted, share in parts if share is not None and wanted]
    total = sum(wanted for wanted, _ in known)
    return sum(wanted * share for wanted, share in known) / total if total else None


def _row(name: str, one: SubscriberReport, predicted: float) -> Row | None:
    if one.reliability is None or one.interval is None:
        return None
    low, high = one.interval
    return Row(subscriber=name, wanted=one.wanted, measured=one.reliability, low=low, high=high, predicted=predicted)
