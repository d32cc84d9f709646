"""What subscribers are shown of each flow: how much gets through, and with which delay."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from tidings.analysis.delay_law import Floats
from tidings.analysis.flows import Flow
from tidings.analysis.forecast import QUANTILES, SubscriberForecast, seconds
from tidings.analysis.latched_delay import Delay
from tidings.scenario.world import Subscriber
from tidings.vocabulary.instant import FOREVER, SECOND

_NOTHING: Final = "nothing that is published matches its filter"
_UNREACHABLE: Final = "not reachable: no way from any of its publishers works"
_EXPIRES: Final = "expires: nothing comes within its lifetime"
_OUT_OF_RANGE: Final = "never in range of an access point"
_OVERLOADED: Final = "overloaded: every way to it leads through {}, which gets more than it can carry"


@dataclass(frozen=True, eq=False)
class Shown:
    """One flow at one class of subscribers of a broker."""

    survives: float
    """Probability that an event is not lost."""
    delay: Delay
    limit: float
    """Nanoseconds until an event is late."""
    lifetime: float
    """Nanoseconds until it expires."""
    blocked_by: str | None = None
    """A part without a steady state that is on the way."""

    @cached_property
    def on_time(self) -> float:
        """Of the events published."""
        return self.survives * self._within(self.limit)

    @cached_property
    def shown(self) -> float:
        """Before they expire."""
        return self.survives * self._within(self.lifetime)

    @cached_property
    def delay_mean(self) -> float:
        """Of those shown."""
        mean = self.delay.mean if self.lifetime >= FOREVER else self.delay.mean_within(self.lifetime)
        return 0.0 if mean is None or not np.isfinite(mean) else mean

    @cached_property
    def reached(self) -> Floats:
        """Shown, by the time since publication (the times of the grid, and the offset added)."""
        return self.survives * self.delay.within_each(np.minimum(self.delay.times, self.lifetime))

    def _within(self, limit: float) -> float:
        if limit >= FOREVER:
            return 0.0 if self.blocked_by is not None else 1.0
        return self.delay.within(limit)


Show = Callable[[Flow, Subscriber], Sequence[tuple[float, Shown]]]
"""What of a flow gets to a subscriber like this one: a share of its time at each broker where it may be, and what it is
shown there; nothing where it never is, whatever its filter."""


class Audience:
    """Sums up flows for subscribers, alike ones once; `by_filter` says that what they are shown depends on their filters too."""

    def __init__(self, flows: Sequence[Flow], show: Show, *, by_filter: bool = False) -> None:
        self._show, self._by_filter = show, by_filter
        self._by_topic: dict[str, list[Flow]] = {}
        for flow in flows:
            self._by_topic.setdefault(flow.topic, []).append(flow)
        self._flows = list(flows)
        self._known: dict[object, SubscriberForecast] = {}
        self._shows: dict[object, Sequence[tuple[float, Shown]]] = {}
        self._shares: dict[object, float] = {}

    def forecast(self, subscriber: Subscriber) -> SubscriberForecast:
        """Of one subscriber."""
        kind = _kind(subscriber)
        key = kind, subscriber.filter, subscriber.requires
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._sum(subscriber, kind)
        return found

    def reliability(self, subscriber: Subscriber) -> float:
        """Of one subscriber; nothing else is worked out, which is what whoever compares many worlds asks for."""
        kind = _kind(subscriber)
        key = kind, subscriber.filter
        if key not in self._shares:
            rate, parts = self._parts(subscriber, kind)
            self._shares[key] = _on_time(parts) if rate > 0 else 1.0
        return self._shares[key]

    def _sum(self, subscriber: Subscriber, kind: object) -> SubscriberForecast:
        rate, parts = self._parts(subscriber, kind)
        if rate <= 0:
            return SubscriberForecast(
                reliability=1.0, rate=0.0, delay_mean_s=None, requires=subscriber.requires, reason=_NOTHING
            )
        found = _joined(parts, rate * SECOND, subscriber.requires)
        return found if parts or subscriber.mobility is None else replace(found, reason=_OUT_OF_RANGE)

    def _parts(self, subscriber: Subscriber, kind: object) -> tuple[float, list[tuple[float, Shown]]]:
        """The rate of what it wants, and of the flows that get to it the share in that."""
        rate, parts = 0.0, []
        for flow in self._of_topics(subscriber):
            share = flow.interest.shares.get(subscriber.filter, 0.0)
            if share > 0:
                place = id(flow), kind, subscriber.filter if self._by_filter else None
                if place not in self._shows:
                    self._shows[place] = self._show(flow, subscriber)
                rate += flow.rate * share
                parts += [(flow.rate * share * often, one) for often, one in self._shows[place]]
        return rate, [(weight / rate, one) for weight, one in parts]

    def _of_topics(self, subscriber: Subscriber) -> Sequence[Flow]:
        if subscriber.topics is None:
            return self._flows
        return [flow for topic in subscriber.topics for flow in self._by_topic.get(topic, ())]


def _kind(subscriber: Subscriber) -> object:
    """What decides how a flow gets to a subscriber, its filter aside."""
    deadlines = id(subscriber.deadlines) if subscriber.deadlines else None
    link = None if subscriber.link is None else repr(subscriber.link)
    mobility = None if subscriber.mobility is None else repr(subscriber.mobility)
    return subscriber.broker, subscriber.deadline_ns, deadlines, link, mobility


def _joined(parts: Sequence[tuple[float, Shown]], rate: float, requires: float | None) -> SubscriberForecast:
    on_time = _on_time(parts)
    shown = sum(weight * one.shown for weight, one in parts)
    survived = sum(weight * one.survives for weight, one in parts)
    blocked = sum(weight * one.survives for weight, one in parts if one.blocked_by and one.lifetime >= FOREVER)
    mean = sum(weight * one.shown * one.delay_mean for weight, one in parts) / shown if shown > 0 else None
    return SubscriberForecast(
        reliability=on_time,
        rate=rate,
        delay_mean_s=seconds(mean),
        delay_s=_quantiles(parts, shown),
        late=_share(shown - on_time + blocked),
        expired=_share(survived - shown - blocked),
        lost=_share(1 - survived),
        requires=requires,
        reason=_reason(parts, survived, shown),
    )


def _on_time(parts: Sequence[tuple[float, Shown]]) -> float:
    return _share(sum(weight * one.on_time for weight, one in parts))


def _reason(parts: Sequence[tuple[float, Shown]], survived: float, shown: float) -> str | None:
    if survived <= 0:
        return _UNREACHABLE
    blocking = [one.blocked_by for _, one in parts]
    if None in blocking:
        return _EXPIRES if shown <= 0 else None
    return _OVERLOADED.format(" or ".join(dict.fromkeys(str(name) for name in blocking)))


def _quantiles(parts: Sequence[tuple[float, Shown]], shown: float) -> tuple[float | None, ...]:
    if shown <= 1e-12:
        return (None,) * len(QUANTILES)
    reached: Floats = np.zeros(1) + sum(weight * one.reached for weight, one in parts)
    times = parts[0][1].delay.times
    places = np.searchsorted(reached, np.array(QUANTILES) * shown * (1 - 1e-9))
    return tuple(seconds(float(times[place])) if place < len(times) else None for place in places.tolist())


def _share(value: float) -> float:
    """Within 0 and 1, whatever rounding did."""
    return min(max(value, 0.0), 1.0)


def first_blocked(path: Sequence[str], blocked: Mapping[str, object]) -> str | None:
    """The first part of a way that has no steady state."""
    return next((name for name in path if name in blocked), None)
