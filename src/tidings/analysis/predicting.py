"""From a world to its prediction: rates, then waits, then delays, then what each subscriber gets.

Where expired events are dropped on the way, they no longer load the brokers behind: rates and delays depend on each
other, and are repeated until they agree.
"""

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Final

from tidings.analysis.addressed import Addressed
from tidings.analysis.assumptions import assumptions_of
from tidings.analysis.broker_waits import BrokerWait, broker_waits, service_laws
from tidings.analysis.bunching import Pairs, covariances
from tidings.analysis.delay_law import DelayLaw, TimeGrid, delay_of, no_delay
from tidings.analysis.failures import Failures, control_rate, delivers
from tidings.analysis.flows import Flow, flows_from, traffic_of
from tidings.analysis.forecast import BrokerForecast, ConnectionForecast, LinkForecast, Prediction, seconds
from tidings.analysis.interest import Interest
from tidings.analysis.latched_delay import Latch, LatchedDelay
from tidings.analysis.passing import passing_of
from tidings.analysis.path_delays import PathDelays, Setting, link_delay, link_load
from tidings.analysis.roaming import Roaming
from tidings.analysis.scaled_delay import ScaledDelay, grids
from tidings.analysis.shown import Audience, Shown, first_blocked
from tidings.analysis.sources import sources_of
from tidings.analysis.stream_curves import OWN, time_scales
from tidings.analysis.trees import Trees
from tidings.analysis.way_delays import WayDelays
from tidings.scenario.unimplemented import refuse
from tidings.scenario.world import LinkLaw, Subscriber, World
from tidings.vocabulary.distribution import Distribution
from tidings.vocabulary.instant import FOREVER, SECOND

MODES: Final = ("distribution", "mean")
_ROUNDS: Final = 12
_CLOSE: Final = 1e-4
_REACH: Final = 60
"""The grid of times ends at so many mean delays where limits are beyond that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictOptions:
    """How to predict.

    `mode` "mean" adds mean waits to services, as the thesis does. `skew` is how badly publishers are known: the
    weight of each content to this power (thesis, 3.4.1.3); 1 is exact knowledge.
    """

    mode: str = "distribution"
    skew: float = 1.0


def predict(world: World, options: PredictOptions | None = None) -> Prediction:
    """What each subscriber, broker and link of a world will see, without running it.

    Raises NotImplementedYet, with key and value, for what cannot be predicted yet.
    """
    refuse(world, "predict")
    return Predictor(world, options or PredictOptions()).prediction()


class Ground:
    """What stays the same whichever of a world's subscribers are there: ways, sources, failures, what filters want."""

    def __init__(self, world: World, options: PredictOptions, *, roaming: Roaming | None = None) -> None:
        self.trees = Trees(world)
        self.sources = sources_of(world)
        self.failures = Failures(world)
        self.roaming = roaming or Roaming(world)
        self.addressed = Addressed(world, self.failures) if world.routing.scheme != "tree" else None
        self.interest = Interest(world.subscribers, options.skew, places=self.roaming.places)
        self._skew = options.skew

    def joined(self, world: World) -> "Ground":
        """Of the same world with other subscribers, newcomers among them."""
        found = copy(self)
        if any(one.mobility is not None for one in world.subscribers):
            found.roaming = Roaming(world)
        found.interest = Interest(world.subscribers, self._skew, places=found.roaming.places)
        if any(one.deadlines for one in world.subscribers):  # who published matters, so publishers are told apart
            found.sources = sources_of(world)
        return found


class Predictor:
    """One prediction, step by step.

    With a `ground`, made of a world in which these and more subscribers are, that part is not worked out again, and those
    others can be judged too, as if they listened without adding to any load. `subscriptions` is how many brokers know,
    where that is not said by the world.
    """

    def __init__(
        self, world: World, options: PredictOptions, *, ground: Ground | None = None, subscriptions: float | None = None
    ) -> None:
        self._world, self._options = world, options
        made = ground or Ground(world, options)
        interest = made.interest if ground is None else made.interest.narrowed(world.subscribers)
        self.trees = made.trees
        self.flows = flows_from(made.sources, interest, self.trees)
        self._services = service_laws(world, subscriptions_of(world) if subscriptions is None else subscriptions)
        self.failures, self.roaming, self._addressed = made.failures, made.roaming, made.addressed
        self._passing = passing_of(self.failures, made.sources)
        self._settle()
        latched = world.ordering.guarantee == "fifo"
        self.audience = Audience(self.flows, self._show_latched if latched else self._show, by_filter=latched)

    def prediction(self) -> Prediction:
        """Everything that is known now."""
        world = self._world
        return Prediction(
            subscribers={one.id: self.audience.forecast(one) for one in world.subscribers},
            brokers={name: _broker(wait, self._kept(name)) for name, wait in self.waits.items()},
            links=self._links(),
            connections=self._connections(),
            control_rate=control_rate(world, self.failures, self.traffic.over) * SECOND,
            assumptions=assumptions_of(world, self.flows, self.waits, self.failures, self.roaming),
        )

    def _settle(self) -> None:
        """Find rates and delays that agree."""
        self._measure()
        limited = any(flow.source.lifetime_ns < FOREVER for flow in self.flows)
        if self._world.reliability.expired == "carry" or not limited or self._addressed is not None:
            return
        for _ in range(_ROUNDS):
            before = dict(self.traffic.arriving)
            self._drop_expired()
            self._measure()
            if all(abs(rate - before[name]) <= _CLOSE * rate for name, rate in self.traffic.arriving.items()):
                return

    def _measure(self) -> None:
        if self._addressed is None:
            self.traffic = traffic_of(self.flows, self._passing)
        else:
            self.traffic = self._addressed.traffic(self.flows, self._passing.entering)
        self.waits = broker_waits(
            self._world,
            self.flows,
            self.traffic,
            self._services,
            by_mean=self._options.mode == "mean" and self._addressed is None,
        )
        self._blocked = {name: wait for name, wait in self.waits.items() if not wait.station.stable}
        self._together = self._covariances()
        near, far = _reaches(self._world, self.flows, self.waits, (self.failures, self.roaming))
        self._ways = [self._on(grid) for grid in grids(near, far)]

    def _on(self, grid: TimeGrid) -> WayDelays:
        payloads = payloads_of(self.flows)
        over = self.traffic.over
        links = {
            ends: link_delay(grid, link.law, over.get(ends, 0.0), payloads) for ends, link in self.trees.links.items()
        }
        setting = Setting(grid=grid, brokers=self._brokers_on(grid), links=links, covariances=self._together)
        paths = PathDelays(setting)
        return WayDelays(grid, paths, self.failures)

    def _covariances(self) -> Pairs:
        if self._options.mode == "mean" or not self.flows:
            return {}
        return covariances(self.flows, self.traffic, self.waits, time_scales(self.flows, self._services))

    def _brokers_on(self, grid: TimeGrid) -> dict[tuple[str, str], DelayLaw]:
        """Wait and service at each broker, for what comes from each neighbour."""
        found = {(OWN, name): wait.law(grid) for name, wait in self.waits.items()}
        for sender, name in self.trees.links:
            wait = self.waits[name]
            found[sender, name] = wait.law(grid, sender) if sender in wait.by_sender else found[OWN, name]
        return found

    def _drop_expired(self) -> None:
        for flow in self.flows:
            lifetime = flow.source.lifetime_ns
            if lifetime < FOREVER:
                for broker in flow.needs:
                    laws = [
                        way.arrived(flow, broker).plus(_client_delay(way.grid, flow.source.link)) for way in self._ways
                    ]
                    flow.alive[broker] = ScaledDelay(tuple(laws)).within(lifetime)

    def _show_latched(self, flow: Flow, subscriber: Subscriber) -> list[tuple[float, Shown]]:
        """Held back while an earlier event of the same publisher may still come."""
        rate = sum(
            one.rate * one.interest.shares.get(subscriber.filter, 0.0)
            for one in self.flows
            if one.source is flow.source
        ) / len(flow.source.publishers)
        found = []
        for share, one in self._show(flow, subscriber):
            latch = Latch(ordering=self._world.ordering, rate=rate, arrives=one.survives, limit=one.limit)
            held = one if one.blocked_by else replace(one, delay=LatchedDelay(one.delay, latch))
            found.append((share, held))
        return found

    def _show(self, flow: Flow, subscriber: Subscriber) -> list[tuple[float, Shown]]:
        if self._addressed is not None:
            return [(1.0, self._shown_addressed(flow, subscriber))] if flow.tree.reaches(subscriber.broker) else []
        if subscriber.mobility is not None and not self.roaming.comes(subscriber):
            return []
        places = self.roaming.places(subscriber)
        return [
            (share, self._shown_at(flow, subscriber, one)) for one, share in places.items() if flow.tree.reaches(one)
        ]

    def _shown_addressed(self, flow: Flow, subscriber: Subscriber) -> Shown:
        assert self._addressed is not None
        source = flow.source
        found = self._addressed.outcomes(source.example.id, source.broker, subscriber.broker)
        entering = delivers(source.link) * self.failures.entering(source.broker)
        delay = self._addressed.delay(self._ways[0].grid, found)
        for link in (source.link, subscriber.link):
            if link is not None and link.delay is not None:
                delay = delay.plus(delay_of(self._ways[0].grid, link.delay))
        deadline = subscriber.deadlines.get(source.example.id, subscriber.deadline_ns)
        return Shown(
            survives=entering * found.arrives * delivers(subscriber.link),
            delay=delay,
            limit=min(source.lifetime_ns, deadline),
            lifetime=source.lifetime_ns,
        )

    def _shown_at(self, flow: Flow, subscriber: Subscriber, broker: str) -> Shown:
        path = flow.tree.path(broker)
        lifetime = flow.source.lifetime_ns
        survives = delivers(flow.source.link) * self.failures.arrives(path, subscriber) * delivers(subscriber.link)
        waits = subscriber.mobility is not None and self.roaming.keeps
        ever = self.roaming.ever(subscriber, broker) if waits and lifetime >= FOREVER else 1.0
        laws = []
        for way in self._ways:
            law = way.shown(flow, broker)
            for link in (flow.source.link, subscriber.link):
                if link is not None and link.delay is not None:
                    law = law.plus(delay_of(way.grid, link.delay))
            laws.append(law.plus(self.roaming.wait(subscriber, broker, way.grid, ever)) if waits and ever > 0 else law)
        deadline = subscriber.deadlines.get(flow.source.example.id, subscriber.deadline_ns)
        return Shown(
            survives=survives * ever,
            delay=laws[0] if len(laws) == 1 else ScaledDelay(tuple(laws)),
            limit=min(lifetime, deadline),
            lifetime=lifetime,
            blocked_by=first_blocked(path, self._blocked),
        )

    def _kept(self, broker: str) -> tuple[float, float] | None:
        """Events kept for neighbours, in the mean and while they are not there."""
        if not self.failures.keeps:
            return None
        lifetime = max((float(flow.source.lifetime_ns) for flow in self.flows), default=0.0)
        lifetime = math.inf if lifetime >= FOREVER else lifetime
        hops = self.failures.hops
        kept = [
            hops.events_kept(step, rate, lifetime) for step, rate in self.traffic.offered.items() if step[0] == broker
        ]
        return sum(mean for mean, _ in kept), sum(down for _, down in kept)

    def _connections(self) -> dict[str, ConnectionForecast]:
        """What leading around failures is worth, pair by pair."""
        failures = self.failures
        if not (failures.bypasses and failures.any):
            return {}
        sources = dict.fromkeys(flow.source.broker for flow in self.flows)
        targets = dict.fromkeys(one.broker for one in self._world.subscribers if one.mobility is None)
        return {
            f"{source}>{target}": ConnectionForecast(
                bound=failures.bound(source, target),
                exact=failures.connected(source, target) if failures.exact else None,
            )
            for source in sources
            for target in targets
        }

    def _links(self) -> dict[str, LinkForecast]:
        payloads = payloads_of(self.flows)
        return {
            f"{one}>{other}": LinkForecast(
                rate=rate * SECOND, load=link_load(self.trees.links[one, other].law, rate, payloads)
            )
            for (one, other), rate in self.traffic.over.items()
        }


def subscriptions_of(world: World) -> float:
    """How many there are on average over the run: what a service `per = "subscription"` is multiplied by."""
    return sum(share_of_time(one, world.duration_ns) for one in world.subscribers)


def share_of_time(subscriber: Subscriber, duration_ns: int) -> float:
    """How much of the run it is there."""
    start = min(subscriber.joins_ns or 0, duration_ns)
    end = duration_ns if subscriber.leaves_ns is None else min(subscriber.leaves_ns, duration_ns)
    return max(end - start, 0) / duration_ns


def _reaches(
    world: World, flows: Sequence[Flow], waits: Mapping[str, BrokerWait], absent: tuple[Failures, Roaming]
) -> tuple[float, float]:
    """Where the finest grid of times ends, and the coarsest: beyond it every event is late, or certainly there."""
    failures, roaming = absent
    lifetimes = [float(flow.source.lifetime_ns) for flow in flows]
    limits = lifetimes + [float(one.deadline_ns) for one in world.subscribers]
    limits += [float(limit) for one in world.subscribers[:1] for limit in one.deadlines.values()]
    means = [wait.mean + wait.station.service_mean for wait in waits.values() if math.isfinite(wait.mean)]
    means += [link.law.mean_delay_ns for link in world.links]
    clients = [*(one.link for one in world.publishers), *(one.link for one in world.subscribers)]
    means += [law.mean_delay_ns for law in clients if law is not None]
    reach = max(_REACH * max(means, default=0.0), float(SECOND) / 1000)
    longest, shortest = max(lifetimes, default=reach), min(limits, default=reach)
    near = min(longest, max(reach, shortest if shortest < FOREVER else 0.0))
    failing, moving = failures.keeps and failures.any, roaming.keeps and roaming.any
    if not (failing or moving):
        return near, near
    if longest < FOREVER:
        return near, max(near, longest)
    kept = [failures.hops.of(step).mean for flow in flows for step in flow.edges()] if failing else []
    far = _REACH * max((mean for mean in kept if math.isfinite(mean)), default=0.0)
    return near, max(near, far, reach, roaming.farthest if moving else 0.0)


def _client_delay(grid: TimeGrid, law: LinkLaw | None) -> DelayLaw:
    return no_delay(grid) if law is None or law.delay is None else delay_of(grid, law.delay)


def payloads_of(flows: Sequence[Flow]) -> Distribution | None:
    """The largest payload law of all: one law for every link, on the safe side."""
    laws = [flow.source.example.payload for flow in flows if flow.source.example.payload is not None]
    return max(laws, key=lambda law: law.mean, default=None)


def _broker(wait: BrokerWait, kept: tuple[float, float] | None) -> BrokerForecast:
    station = wait.station
    return BrokerForecast(
        load=station.load,
        wait_mean_s=seconds(wait.mean),
        rate=station.rate * SECOND,
        method=wait.method,
        buffer=None if kept is None else kept[0],
        buffer_down=None if kept is None else kept[1],
    )
