"""What a prediction says, and how it is written down. Durations are in seconds, rates per second."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

from tidings.vocabulary.instant import SECOND

QUANTILES: Final = (0.5, 0.95, 0.99)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriberForecast:
    """One subscriber. The shares on_time, late, expired and lost are of the events that it wants and sum to 1."""

    reliability: float
    """Share that is shown on time; 1 when nothing is wanted, since then nothing can be missed."""
    rate: float
    """Wanted events."""
    delay_mean_s: float | None
    """Of the events that are shown; None when none is."""
    delay_s: tuple[float | None, ...] = (None,) * len(QUANTILES)
    """Quantiles of the same delays."""
    late: float = 0.0
    expired: float = 0.0
    lost: float = 0.0
    requires: float | None = None
    reason: str | None = None
    """Where the answer is an edge: nothing wanted, not reachable, overloaded."""

    @property
    def unmet(self) -> bool:
        """True when it asks for more than it gets."""
        return self.requires is not None and self.reliability < self.requires

    def to_json(self) -> dict[str, Any]:
        """As `predict --json` prints it; keys without a value are left out."""
        found: dict[str, Any] = {
            "reliability": self.reliability,
            "delay_mean_s": _finite(self.delay_mean_s),
            "rate": self.rate,
            **{f"delay_p{round(100 * q)}_s": _finite(at) for q, at in zip(QUANTILES, self.delay_s, strict=True)},
            "late": self.late,
            "expired": self.expired,
            "lost": self.lost,
        }
        extra = {"requires": self.requires, "reason": self.reason}
        return found | {name: value for name, value in extra.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerForecast:
    """One broker."""

    load: float
    wait_mean_s: float | None
    """Before service; None where it grows without bound."""
    rate: float
    """Events that arrive."""
    method: str
    """How the wait was found: `exact`, `dispersion`, or `mean`."""
    buffer: float | None = None
    """Mean number of events that are kept for neighbours that are down."""
    buffer_down: float | None = None
    """The same while all of them are down: the buffer that the thesis (5.5.3) asks for."""

    @property
    def overloaded(self) -> bool:
        """True when more work comes in than it can do."""
        return self.load >= 1.0

    def to_json(self) -> dict[str, Any]:
        """As `predict --json` prints it."""
        found: dict[str, Any] = {
            "load": self.load,
            "wait_mean_s": _finite(self.wait_mean_s),
            "rate": self.rate,
            "method": self.method,
        }
        if self.buffer is None:
            return found
        return found | {"buffer_events": _finite(self.buffer), "buffer_down_events": _finite(self.buffer_down)}


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkForecast:
    """One direction of a link: events sent, and the share of time that it is busy where bandwidth is limited."""

    rate: float
    load: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """As `predict --json` prints it."""
        return {"rate": self.rate, "load": self.load}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionForecast:
    """Whether two brokers work and are joined by any way that does."""

    bound: float
    """At least so likely, by ways that share no broker (thesis, Eq. 5.11)."""
    exact: float | None
    """None where the overlay is too large."""

    def to_json(self) -> dict[str, Any]:
        """As `predict --json` prints it."""
        return {"bound": self.bound, "exact": self.exact}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What every subscriber, broker and link will see, and on what assumptions."""

    subscribers: Mapping[str, SubscriberForecast]
    brokers: Mapping[str, BrokerForecast]
    links: Mapping[str, LinkForecast] = field(default_factory=dict)
    """By direction, written `a>b`."""
    connections: Mapping[str, ConnectionForecast] = field(default_factory=dict)
    """Where events are led around failures: from publishers' brokers to subscribers', written `a>b`."""
    control_rate: float = 0.0
    """Messages that are no events (renewals, heartbeats, views), all links together."""
    assumptions: tuple[str, ...] = ()

    @property
    def overloaded(self) -> tuple[str, ...]:
        """Brokers, then links (`a>b`), that get more than they can carry."""
        brokers = [name for name, one in self.brokers.items() if one.overloaded]
        return (*brokers, *(name for name, one in self.links.items() if one.load >= 1.0))

    @property
    def unmet(self) -> tuple[str, ...]:
        """Subscribers that require more than they get."""
        return tuple(name for name, one in self.subscribers.items() if one.unmet)

    @property
    def holds(self) -> bool:
        """True when nothing is overloaded and every requirement is met."""
        return not self.overloaded and not self.unmet

    def to_json(self) -> dict[str, Any]:
        """The document of `predict --json`."""
        return {
            "subscribers": {name: one.to_json() for name, one in self.subscribers.items()},
            "brokers": {name: one.to_json() for name, one in self.brokers.items()},
            "links": {name: one.to_json() for name, one in self.links.items()},
            "connections": {name: one.to_json() for name, one in self.connections.items()},
            "control_rate": self.control_rate,
            "overloaded": list(self.overloaded),
            "unmet": list(self.unmet),
            "assumptions": list(self.assumptions),
        }

    def table(self) -> pa.Table:
        """One row for each subscriber, for Parquet and Spark."""
        rows = list(self.subscribers.values())
        columns: dict[str, Any] = {
            "subscriber": pa.array(list(self.subscribers), pa.string()),
            "reliability": pa.array([row.reliability for row in rows], pa.float64()),
            "rate": pa.array([row.rate for row in rows], pa.float64()),
            "delay_mean_s": pa.array([_finite(row.delay_mean_s) for row in rows], pa.float64()),
        }
        for place, share in enumerate(QUANTILES):
            quantiles = [_finite(row.delay_s[place]) for row in rows]
            columns[f"delay_p{round(100 * share)}_s"] = pa.array(quantiles, pa.float64())
        for name in ("late", "expired", "lost", "requires"):
            columns[name] = pa.array([getattr(row, name) for row in rows], pa.float64())
        columns["reason"] = pa.array([row.reason for row in rows], pa.string())
        return pa.table(columns)


def seconds(nanoseconds: float | None) -> float | None:
    """None stays None."""
    return None if nanoseconds is None else nanoseconds / SECOND


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value
