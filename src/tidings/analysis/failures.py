"""What failures do to events under each mechanism (thesis, 5.5): what is lost, what waits, and what that costs.

| mechanism | an event reaches a subscriber's broker | waits |
| --- | --- | --- |
| none | while no broker of its way has ever failed, and all links work | no |
| periodic | while its whole way works (Eq. 5.2) | no |
| buffering | when the publisher's broker works (Eq. 5.3) | at every hop, until the next broker is there |
| bypass | while any way works (Eq. 5.11, exactly where the overlay is small) | no |
| bypass+buffering | when the publisher's broker works | only when no way works at once (Eq. 5.12, corrected) |
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from tidings.analysis.components import (
    Alternation,
    Floats,
    availability,
    broker_alternation,
    chain_of,
    law_alternation,
    link_alternation,
)
from tidings.analysis.connection import Network, connection, disjoint_bound
from tidings.analysis.hop_wait import hop_wait
from tidings.analysis.phase_type import PhaseType
from tidings.scenario.world import LinkLaw, Subscriber, World
from tidings.vocabulary.instant import SECOND

EXACT_LINKS_MAX: Final = 24
"""Overlays with more links get the disjoint-path bound only: the exact value would take seconds for each pair."""
BEAT_NS: Final = SECOND
"""Between two signs of life to a neighbour."""
_POINTS: Final = 500
KEEPS: Final = ("buffering", "bypass+buffering")
BYPASSES: Final = ("bypass", "bypass+buffering")

Ends = tuple[str, str]


def delivers(law: LinkLaw | None) -> float:
    """Probability that at least one copy of a packet comes through."""
    return 1.0 if law is None else 1.0 - law.loss


@dataclass(frozen=True)
class Failures:
    """Of one world."""

    world: World

    @property
    def keeps(self) -> bool:
        """True when events are kept for neighbours that are not there."""
        return self.world.reliability.mechanism in KEEPS

    @property
    def bypasses(self) -> bool:
        """True when events are led around what does not work."""
        return self.world.reliability.mechanism in BYPASSES

    @cached_property
    def brokers(self) -> dict[str, Alternation | None]:
        """How each broker fails; None: it does not."""
        return {broker.id: broker_alternation(broker, self.world) for broker in self.world.brokers}

    @cached_property
    def links(self) -> dict[Ends, Alternation | None]:
        """How each link fails, under both of its directions."""
        found: dict[Ends, Alternation | None] = {}
        for link in self.world.links:
            one, other = link.between
            found[one, other] = found[other, one] = link_alternation(link, self.world)
        return found

    @cached_property
    def _loss(self) -> dict[Ends, float]:
        laws = {link.between: delivers(link.law) for link in self.world.links}
        return laws | {(other, one): share for (one, other), share in laws.items()}

    @property
    def any(self) -> bool:
        """True when anything can fail."""
        return any(one is not None for one in itertools.chain(self.brokers.values(), self.links.values()))

    @cached_property
    def network(self) -> Network:
        """The overlay with the share of time that each part works."""
        return Network(
            links={link.between: availability(self.links[link.between]) for link in self.world.links},
            brokers={name: availability(one) for name, one in self.brokers.items()},
        )

    @cached_property
    def hops(self) -> "Hops":
        """Waits at each hop."""
        return Hops(self)

    def entering(self, broker: str) -> float:
        """Probability that a publisher's broker works."""
        return availability(self.brokers[broker])

    def over(self, step: Ends) -> float:
        """Of the events sent over a link, the share that gets into the broker behind it, sooner or later."""
        if self.keeps:
            return 1.0
        if self.bypasses:
            return self._loss[step]
        return self._loss[step] * availability(self.links[step]) * availability(self.brokers[step[1]])

    def arrives(self, path: Sequence[str], subscriber: Subscriber) -> float:
        """Probability that an event is not lost between its publisher's broker, included, and the last of its way."""
        if self.keeps:
            ever = all(math.isfinite(self.hops.of(step).mean) for step in itertools.pairwise(path))
            return self.entering(path[0]) if ever else 0.0
        losses = float(np.prod([self._loss[step] for step in itertools.pairwise(path)]))
        if self.bypasses:
            return losses * self.connected(path[0], path[-1])
        if self.world.reliability.mechanism == "none":
            return losses * self._remembered(path, subscriber)
        works = [availability(self.links[step]) for step in itertools.pairwise(path)]
        works += [availability(self.brokers[name]) for name in path]
        return losses * float(np.prod(works))

    def at_once(self, path: Sequence[str]) -> float:
        """With both mechanisms: of the events that are not lost, the share that finds a way at once."""
        entering = self.entering(path[0])
        return min(self.connected(path[0], path[-1]) / entering, 1.0) if entering > 0 else 1.0

    def connected(self, source: str, target: str) -> float:
        """Probability that two brokers work and are joined."""
        return self._pairs(source, target)[0]

    def bound(self, source: str, target: str) -> float:
        """A lower bound of the same by disjoint paths (Eq. 5.11)."""
        return self._pairs(source, target)[1]

    @property
    def exact(self) -> bool:
        """True where `connected` is no bound."""
        return len(self.world.links) <= EXACT_LINKS_MAX

    @cached_property
    def _known(self) -> dict[Ends, tuple[float, float]]:
        return {}

    def _pairs(self, source: str, target: str) -> tuple[float, float]:
        pair = min((source, target), (target, source))
        if pair not in self._known:
            bound = disjoint_bound(self.network, *pair)
            exact = connection(self.network, *pair) if self.exact else None
            self._known[pair] = (bound if exact is None else exact, bound)
        return self._known[pair]

    def _remembered(self, path: Sequence[str], subscriber: Subscriber) -> float:
        """Without renewal a broker that fails forgets for good: the mean over the time that the interest is there."""
        links = float(np.prod([availability(self.links[step]) for step in itertools.pairwise(path)]))
        duration = self.world.duration_ns
        start = min(subscriber.joins_ns or 0, duration)
        end = duration if subscriber.leaves_ns is None else min(subscriber.leaves_ns, duration)
        ends = [one.at_ns for one in self.world.crashes if one.component in path and one.at_ns + one.lasting_ns > start]
        known = max(min([end, *ends]) - start, 0)
        laws = [law_alternation(broker.outages) for broker in self.world.brokers if broker.id in path]
        failing = [law for law in laws if law is not None]
        if end <= start or known == 0:
            return links if end <= start else 0.0
        if not failing:
            return links * known / (end - start)
        times: Floats = np.concatenate([[0.0], np.geomspace(known * 1e-7, known, _POINTS)])
        up = np.ones_like(times)
        for one in failing:
            up = up * _up_ever_since(one, times)
        return links * float(np.trapezoid(up, times)) / (end - start)


@dataclass(frozen=True)
class Hops:
    """How long events wait at each broker for the next one; equal hops are worked out once."""

    failures: Failures

    @cached_property
    def _known(self) -> dict[tuple[Alternation | None, ...], PhaseType]:
        return {}

    def of(self, step: Ends) -> PhaseType:
        """From one broker to the next."""
        brokers = self.failures.brokers
        key = brokers[step[0]], self.failures.links[step], brokers[step[1]]
        if key not in self._known:
            self._known[key] = hop_wait(*key)
        return self._known[key]

    def events_kept(self, step: Ends, rate: float, lifetime: float) -> tuple[float, float]:
        """Kept for the next broker in the mean, and in the mean while it is not there (the thesis's buffer size)."""
        wait = self.of(step)
        kept = rate * wait.capped_mean(lifetime)
        return kept, rate * wait.given_positive().capped_mean(lifetime) if kept > 0 else 0.0


def control_rate(world: World, failures: Failures, over: Mapping[Ends, float]) -> float:
    """Messages per nanosecond that are no events: renewals, acknowledgements, signs of life, views."""
    mechanism, rate = world.reliability.mechanism, 0.0
    if mechanism in ("periodic", "bypass"):
        up = [availability(failures.brokers[name]) for tree in world.trees for ends in tree.links for name in ends]
        rate += 2 * sum(up) / world.reliability.renew_ns
    if failures.keeps:
        rate += sum(over.values())
    if failures.keeps or failures.bypasses:
        rate += 2 * len(world.links) / BEAT_NS
    if failures.bypasses:
        parts = [*failures.brokers.values(), *(failures.links[link.between] for link in world.links)]
        changes = sum(2 / (one.up_mean + one.down_mean) for one in parts if one is not None)
        rate += len(world.brokers) ** 2 * changes
    return rate


def _up_ever_since(one: Alternation, times: Floats) -> Floats:
    """Probability to be up at 0 and to stay so, from the long run."""
    chain = chain_of(one)
    if not chain.up.any():
        return np.zeros_like(times)
    ups = int(chain.up.sum())
    law = PhaseType(chain.shares[:ups], chain.moves[:ups, :ups])
    if ups == 1:
        found: Floats = law.start[0] * np.exp(law.moves[0, 0] * times)
        return found
    return 1 - law.cdf(times)
