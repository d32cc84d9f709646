"""What an audit found, as numbers: of one run, or summed over several."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

from tidings.checking.batches import Batch, share_interval

MEANINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "fifo_inversions": "events shown to a subscriber after a later event of the same publisher and incarnation",
        "order_conflicts": "pairs of events that two subscribers were shown in opposite order",
        "order_cycles": "sets of events whose orders, over all subscribers, close a cycle: strongly connected sets",
        "causal_inversions": "pairs of events of which a subscriber was shown the effect before the cause",
        "tagged": "showings handed over as out of order; the four counts above leave them out",
        "duplicates": "showings of an event that the same subscriber had been shown before",
        "unexpected": "showings that nothing allows: never published, not asked for, taken back, or after the lifetime",
        "wanted": "pairs of event and subscriber: published while a matching interest was effective",
        "on_time": "wanted and shown within both lifetime and deadline",
        "late": "wanted and shown, but not on time",
        "expired": "wanted, not shown, and given up as expired",
        "lost": "wanted, not shown, and not given up as expired",
        "exact": "false when a limit made an order count a lower bound",
        "subscribers": "by subscriber: the counts above that concern one, and those below",
    }
)
"""The keys of the JSON document, in its order."""

SUBSCRIBER_MEANINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "reliability": "on_time / wanted; null when nothing was wanted",
        "reliability_low": "lower end of its 95 % interval: from how it differs between twenty equal parts of each run",
        "reliability_high": "upper end",
        "acknowledged_lost": "of the lost, those whose publisher had been told that they were taken, where the interest was never taken back",
        "delay_ns": "from published to shown, of wanted events: p50, p90, p99, max",
        "late_by_ns": "from the last instant on time to shown, of late events: p50, p90, p99, max",
    }
)
"""What a subscriber's entry has beside the counts."""

_QUANTILE_NAMES: Final = ("p50", "p90", "p99", "max")


@dataclass(frozen=True, kw_only=True)
class SubscriberReport:
    """One subscriber's counts."""

    wanted: int = 0
    on_time: int = 0
    late: int = 0
    expired: int = 0
    lost: int = 0
    acknowledged_lost: int = 0
    duplicates: int = 0
    unexpected: int = 0
    fifo_inversions: int = 0
    delay_ns: tuple[int, ...] = ()
    """At p50, p90, p99 and 1; empty without events, and in sums over runs."""
    late_by_ns: tuple[int, ...] = ()
    batches: tuple[Batch, ...] = ()
    """Wanted and on time in each part of the run, or of each run in turn."""

    @property
    def reliability(self) -> float | None:
        """The share of wanted events that came on time."""
        return self.on_time / self.wanted if self.wanted else None

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """Where its reliability lies with 95 % confidence; None when nothing was wanted."""
        return share_interval(self.batches)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a JSON document."""
        low, high = self.interval or (None, None)
        return {
            "reliability": self.reliability,
            "reliability_low": low,
            "reliability_high": high,
            **{name: getattr(self, name) for name in _SUBSCRIBER_COUNTS},
            "delay_ns": dict(zip(_QUANTILE_NAMES, self.delay_ns, strict=False)),
            "late_by_ns": dict(zip(_QUANTILE_NAMES, self.late_by_ns, strict=False)),
        }


_SUBSCRIBER_COUNTS: Final = (
    "wanted",
    "on_time",
    "late",
    "expired",
    "lost",
    "acknowledged_lost",
    "duplicates",
    "unexpected",
    "fifo_inversions",
)
_OUTCOMES: Final = ("duplicates", "unexpected", "wanted", "on_time", "late", "expired", "lost")
_RUN_COUNTS: Final = (
    "fifo_inversions",
    "order_conflicts",
    "order_cycles",
    "causal_inversions",
    "tagged",
    "fifo_chances",
    "topic_inversions",
)


@dataclass(frozen=True, kw_only=True)
class AuditReport:
    """One run's counts, or the sums over `runs`. `MEANINGS` says what each is."""

    fifo_inversions: int = 0
    order_conflicts: int = 0
    order_cycles: int = 0
    causal_inversions: int = 0
    tagged: int = 0
    fifo_chances: int = 0
    """Showings that an inversion was possible for: n of the rate whose k is `fifo_inversions`."""
    topic_inversions: int = 0
    """`fifo_inversions` between events of one topic."""
    exact: bool = True
    subscribers: Mapping[str, SubscriberReport] = field(default_factory=dict)
    delays: Mapping[int, int] = field(default_factory=dict)
    """How often a published event was first shown to somebody after so long, in the classes of `checking.delays`."""
    runs: Mapping[str, "AuditReport"] = field(default_factory=dict)
    """By the name of its folder, when there are several."""

    def total(self, count: str) -> int:
        """The sum over subscribers of one of their counts, such as `lost` or `acknowledged_lost`."""
        return sum(getattr(one, count) for one in self.subscribers.values())

    def to_json(self) -> dict[str, Any]:
        """The document that `audit --json` prints, as plain values; with several runs, each is under `runs`."""
        counts = {name: getattr(self, name) for name in _RUN_COUNTS[:5]}
        totals = {name: self.total(name) for name in _OUTCOMES}
        subscribers = {name: one.to_json() for name, one in self.subscribers.items()}
        document = {**counts, **totals, "exact": self.exact, "subscribers": subscribers}
        runs = {name: one.to_json() for name, one in self.runs.items()}
        return {**document, "runs": runs} if runs else document


def summed(runs: Mapping[str, AuditReport]) -> AuditReport:
    """One report over several runs; quantiles do not add up and are left to the single runs."""
    reports = list(runs.values())
    names = dict.fromkeys(name for one in reports for name in one.subscribers)
    return AuditReport(
        **{name: sum(getattr(one, name) for one in reports) for name in _RUN_COUNTS},
        exact=all(one.exact for one in reports),
        delays=dict(sum((Counter(one.delays) for one in reports), Counter())),
        subscribers={name: _summed([one.subscribers.get(name) for one in reports]) for name in names},
        runs=runs,
    )


def _summed(reports: Sequence[SubscriberReport | None]) -> SubscriberReport:
    present = [one for one in reports if one is not None]
    counts = {name: sum(getattr(one, name) for one in present) for name in _SUBSCRIBER_COUNTS}
    return SubscriberReport(**counts, batches=tuple(batch for one in present for batch in one.batches))
