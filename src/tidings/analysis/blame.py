"""Which broker or link is to blame when a subscriber does not get what it requires, in words."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from tidings.analysis.delay_law import TimeGrid
from tidings.analysis.flows import Flow
from tidings.analysis.path_delays import link_delay
from tidings.analysis.predicting import Predictor, payloads_of
from tidings.scenario.world import Subscriber
from tidings.vocabulary.instant import SECOND

Part: TypeAlias = str | tuple[str, str]
"""A broker, or a link by direction."""
_MEANS = TimeGrid(1.0, 1)
"""Where only the mean of a law is asked for."""


@dataclass(frozen=True)
class Blame:
    """What is slow and what loses, in one prediction."""

    predictor: Predictor

    def cause(self, subscriber: Subscriber) -> str:
        """Why a subscriber gets no more than it does: what the prediction says of edges, what loses most, or what is slowest."""
        found = self.predictor.audience.forecast(subscriber)
        if found.reason is not None:
            return found.reason
        return self._loser(subscriber) if found.lost > found.late + found.expired else self._slowest(subscriber)

    def _slowest(self, subscriber: Subscriber) -> str:
        times = self.times(subscriber)
        part = max(times, key=lambda one: times[one])
        return f"{_named(part)} takes longest, {_spent(self.mean_s(part))} in the mean{self._load(part)}"

    def _loser(self, subscriber: Subscriber) -> str:
        failures = self.predictor.failures
        passed: dict[str, float] = {}
        for flow, path, _ in self._ways(subscriber):
            passed[f"broker {flow.source.broker}"] = failures.entering(flow.source.broker)
            for step in pairwise(path):
                passed[f"link {step[0]}>{step[1]} with the broker behind it"] = failures.over(step)
        in_range = sum(self.predictor.roaming.places(subscriber).values())
        if in_range < min(passed.values()):
            return f"it is at an access point {in_range:.4f} of the time"
        worst = min(passed, key=lambda one: passed[one])
        return f"{worst} loses most, and lets {passed[worst]:.4f} of its events pass"

    def since(self, before: "Blame", subscriber: Subscriber) -> str:
        """Where its events lose more time than in a prediction before, and how that came about."""
        old, new = before.times(subscriber), self.times(subscriber)
        part = max(new, key=lambda one: _more(old[one], new[one]))
        load = f", load {before.load(part):.4g} to {self.load(part):.4g}" if isinstance(part, str) else ""
        return f"{_named(part)}: {_spent(before.mean_s(part))} to {_spent(self.mean_s(part))} in the mean{load}"

    def avoided(self, subscriber: Subscriber, elsewhere: Mapping[Part, float]) -> str:
        """The slowest part of its ways that is on none of the ways elsewhere; empty when there is none."""
        gone = {part: spent for part, spent in self.times(subscriber).items() if part not in elsewhere and spent > 0}
        if not gone:
            return ""
        part = max(gone, key=lambda one: gone[one])
        load = f", load {self.load(part):.4g}" if isinstance(part, str) else ""
        return f", without {_named(part)} ({_spent(self.mean_s(part))} in the mean{load})"

    def times(self, subscriber: Subscriber) -> Mapping[Part, float]:
        """Of the delay of its events the part of each broker and link, by how many of its events pass there."""
        found: dict[Part, float] = {}
        for _, path, share in self._ways(subscriber):
            parts: list[Part] = [*path, *pairwise(path)]
            for part in parts:
                found[part] = found.get(part, 0.0) + share * self.mean_s(part)
        return found

    def mean_s(self, part: Part) -> float:
        """What an event spends there in the mean, waits included."""
        predictor = self.predictor
        if isinstance(part, str):
            wait = predictor.waits[part]
            return (wait.mean + wait.station.service_mean) / SECOND
        rate = predictor.traffic.over.get(part, 0.0)
        mean = link_delay(_MEANS, predictor.trees.links[part].law, rate, payloads_of(predictor.flows)).mean
        if predictor.failures.keeps and predictor.failures.any:
            mean += predictor.failures.hops.of(part).mean
        return mean / SECOND

    def load(self, part: Part) -> float:
        """Of a broker."""
        return self.predictor.waits[part].station.load if isinstance(part, str) else 0.0

    def _load(self, part: Part) -> str:
        return f" at a load of {self.load(part):.4g}" if isinstance(part, str) else ""

    def _ways(self, subscriber: Subscriber) -> Iterator[tuple[Flow, tuple[str, ...], float]]:
        """Flows that it wants any of, how they come, and how much of them it wants."""
        for flow in self.predictor.flows:
            share = flow.rate * flow.interest.shares.get(subscriber.filter, 0.0)
            wanted = subscriber.topics is None or flow.topic in subscriber.topics
            for broker, often in self.predictor.roaming.places(subscriber).items() if wanted and share > 0 else ():
                if flow.tree.reaches(broker):
                    yield flow, flow.tree.path(broker), share * often


def _named(part: Part) -> str:
    return f"broker {part}" if isinstance(part, str) else f"link {part[0]}>{part[1]}"


def _spent(seconds: float) -> str:
    return f"{seconds:.4g} s" if math.isfinite(seconds) else "no end of time"


def _more(old: float, new: float) -> float:
    return new - old if math.isfinite(old) else 0.0
