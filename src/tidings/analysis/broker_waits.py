"""How long events wait at each broker: the mean, and its law.

Exact where theory is: Poisson arrivals (behind brokers with exponential services they stay Poisson), and one renewal
stream at exponential services. Elsewhere the mean comes from indices of dispersion.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tidings.analysis.delay_law import DelayLaw, TimeGrid, constant_delay, delay_of, no_delay
from tidings.analysis.dispersed_wait import Queue
from tidings.analysis.flows import Flow, Traffic
from tidings.analysis.law_shapes import Floats, transform
from tidings.analysis.poisson_server import PoissonServer
from tidings.analysis.stations import Station, poisson_wait, renewal_wait, waiting_share
from tidings.analysis.stream_curves import OWN, Arrivals, Queues, arrival_curves, time_scales
from tidings.analysis.thesis_waits import thesis_waits
from tidings.analysis.waiting import WaitShape, poisson_wait_law, shaped_wait_law
from tidings.scenario.world import World
from tidings.vocabulary.distribution import (
    Constant,
    Distribution,
    Empirical,
    Exponential,
    Gamma,
    Hyperexponential,
    Normal,
    Uniform,
)

EXACT, DISPERSED, MEAN = "exact", "dispersion", "mean"
_ROUNDS: Final = 2
"""How streams are shifted depends on waits, and waits on streams: the second round changes little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerWait:
    """One broker: what comes in, how long it works, how long that waits."""

    station: Station
    service: Distribution | None
    method: str
    shape: WaitShape | None
    """None: exact, of Poisson arrivals."""
    mean: float
    index: float = 1.0
    """Of dispersion of what arrives, as far back as the queue remembers."""
    by_sender: Mapping[str, WaitShape] = field(default_factory=dict)
    """Where they are known apart: the waits of what comes from each neighbour, and from publishers (`OWN`)."""

    @property
    def jitter(self) -> float:
        """Standard deviation of the time that an event spends here, roughly; infinite without a steady state."""
        if self.service is None:
            return 0.0
        shape = self.shape or WaitShape(mean=self.mean, share=self.station.load)
        return math.sqrt(shape.variance + self.service.variance)

    def law(self, grid: TimeGrid, sender: str = OWN) -> DelayLaw:
        """Of the wait and the service together, for what comes from one neighbour."""
        if self.service is None:
            return no_delay(grid)
        if self.method == MEAN:
            wait = shaped_wait_law(grid, WaitShape(mean=self.mean, share=1.0)) if math.isinf(self.mean) else None
            return (wait or constant_delay(grid, self.mean)).plus(delay_of(grid, self.service))
        if self.shape is None:
            wait = poisson_wait_law(grid, self.station, self.service)
        else:
            wait = shaped_wait_law(grid, self.by_sender.get(sender, self.shape))
        return wait.plus(delay_of(grid, self.service))


def service_laws(world: World, subscriptions: float) -> dict[str, Distribution | None]:
    """Of each broker; `per = "subscription"` multiplies by the subscriptions that there are."""
    found: dict[str, Distribution | None] = {}
    for broker in world.brokers:
        service = broker.service
        if service is None or service.law.mean <= 0 or (service.per_subscription and subscriptions == 0):
            found[broker.id] = None
        else:
            found[broker.id] = scaled(service.law, subscriptions) if service.per_subscription else service.law
    return found


def scaled(law: Distribution, factor: float) -> Distribution:
    """The law of `factor` times what `law` draws."""
    if isinstance(law, Constant):
        return Constant(law.value * factor)
    if isinstance(law, Uniform):
        return Uniform(law.low * factor, law.high * factor)
    if isinstance(law, Normal):
        return Normal(law.mu * factor, law.sigma * factor)
    if isinstance(law, Exponential | Gamma | Hyperexponential):
        return replace(law, mean=law.mean * factor)
    assert isinstance(law, Empirical), "ranks are no durations"
    return Empirical.of(law.file, law.values * factor)


def broker_waits(
    world: World,
    flows: Sequence[Flow],
    traffic: Traffic,
    services: Mapping[str, Distribution | None],
    *,
    by_mean: bool = False,
) -> dict[str, BrokerWait]:
    """Of every broker of the world."""
    stations = {
        broker.id: _station(traffic.arriving.get(broker.id, 0.0), services[broker.id]) for broker in world.brokers
    }
    if by_mean:
        means = thesis_waits(stations, flows, traffic)
        return {name: _by_mean(station, services[name], means[name]) for name, station in stations.items()}
    poisson = poisson_brokers(flows, services)
    found = {name: _exact(stations[name], services[name]) for name in stations if name in poisson}
    others = [name for name in stations if name not in found]
    if others:
        alone = {name: law for name in others if (law := _alone(name, flows, services[name])) is not None}
        for name, law in alone.items():
            found[name] = _renewal(stations[name], services[name], law)
        for name in _spaced(world, flows, services):
            if name not in found and stations[name].stable:
                found[name] = BrokerWait(
                    station=stations[name],
                    service=services[name],
                    method=EXACT,
                    shape=WaitShape(mean=0.0, share=0.0),
                    mean=0.0,
                )
        others = [name for name in others if name not in found]
        known = {name: _exact(station, services[name]) for name, station in stations.items()} | found
        times = time_scales(flows, services)
        servers = _servers(stations, services, times)
        for _ in range(_ROUNDS):
            jitters = {name: wait.jitter for name, wait in known.items()}
            queues = Queues(times=times, stations=stations, services=services, servers=servers, jitters=jitters)
            arrivals = arrival_curves(flows, traffic, queues)
            for name in others:
                if name in servers:
                    known[name] = _dispersed(
                        Queue(stations[name], servers[name], arrivals[name].concentration), arrivals[name]
                    )
        for name in alone:
            if name in servers:
                index = Queue(stations[name], servers[name]).effective_index(arrivals[name].total)
                known[name] = replace(known[name], index=index)
        found = known
    return {name: found[name] for name in stations}


def poisson_brokers(flows: Sequence[Flow], services: Mapping[str, Distribution | None]) -> set[str]:
    """Brokers whose arrivals are Poisson, as far as theory goes; those without service are taken along."""
    good = set(services)
    while True:
        bad = set()
        for flow in flows:
            source = isinstance(flow.source.every, Exponential)
            if not source:
                bad.add(flow.tree.root)
            still = {flow.tree.root: source}
            for parent, child in flow.edges():
                service = services[parent]
                keeps = service is None or (isinstance(service, Exponential) and parent in good)
                still[child] = still[parent] and keeps and len(flow.source.example.topics) <= 1
                if not still[child]:
                    bad.add(child)
        bad = {name for name in bad if services[name] is not None}
        if not bad & good:
            return good
        good -= bad


def _station(rate: float, service: Distribution | None) -> Station:
    if service is None:
        return Station(rate=rate, service_mean=0.0, service_scv=0.0)
    return Station(rate=rate, service_mean=service.mean, service_scv=service.scv)


def _by_mean(station: Station, service: Distribution | None, mean: float) -> BrokerWait:
    return BrokerWait(station=station, service=service, method=MEAN, shape=None, mean=mean)


def _servers(
    stations: Mapping[str, Station], services: Mapping[str, Distribution | None], times: Floats
) -> dict[str, PoissonServer]:
    """Of brokers that have a steady state and anything to do; alike ones are one."""
    known: dict[tuple[float, Distribution], PoissonServer] = {}
    found = {}
    for name, station in stations.items():
        service = services[name]
        if service is not None and station.stable and station.load > 0:
            key = station.rate, service
            found[name] = known.setdefault(key, PoissonServer(station.rate, service, times))
    return found


def _dispersed(queue: Queue, arrivals: Arrivals) -> BrokerWait:
    whole = queue.wait(arrivals.total)
    return BrokerWait(
        station=queue.station,
        service=queue.server.service,
        method=DISPERSED,
        shape=whole,
        mean=whole.mean,
        index=queue.effective_index(arrivals.total),
        by_sender={sender: queue.wait_of(stream, whole) for sender, stream in arrivals.streams.items()},
    )


def _exact(station: Station, service: Distribution | None) -> BrokerWait:
    mean = 0.0 if service is None else poisson_wait(station)
    return BrokerWait(station=station, service=service, method=EXACT, shape=None, mean=mean)


def _alone(name: str, flows: Sequence[Flow], service: Distribution | None) -> Distribution | None:
    """The intervals of the one publisher whose events are all that the broker gets, at exponential service."""
    sources = {id(flow.source): flow.source for flow in flows if name in flow.needs}
    if len(sources) != 1 or not isinstance(service, Exponential):
        return None
    source = next(iter(sources.values()))
    only = source.broker == name and len(source.publishers) == 1 and source.link is None
    return source.every if only else None


def _spaced(world: World, flows: Sequence[Flow], services: Mapping[str, Distribution | None]) -> list[str]:
    """Brokers where nobody ever waits: all comes from one other broker, which never works for less than they do."""
    senders: dict[str, set[str]] = {}
    for flow in flows:
        senders.setdefault(flow.tree.root, set()).add("")
        for parent, child in flow.edges():
            senders.setdefault(child, set()).add(parent)
    steady = {
        ends
        for link in world.links
        if (link.law.delay is None or link.law.delay.variance == 0) and link.law.bandwidth_bps is None
        for ends in (link.between, link.between[::-1])
    }
    found = []
    for name, froms in senders.items():
        sender = next(iter(froms))
        before, own = services.get(sender), services[name]
        if len(froms) != 1 or (sender, name) not in steady or before is None or own is None:
            continue
        if _support(before)[0] >= _support(own)[1]:
            found.append(name)
    return found


def _support(law: Distribution) -> tuple[float, float]:
    """The shortest and the longest that it draws."""
    if isinstance(law, Constant):
        return law.value, law.value
    if isinstance(law, Uniform):
        return law.low, law.high
    if isinstance(law, Empirical):
        return float(law.values[0]), float(law.values[-1])
    return 0.0, math.inf


def _renewal(station: Station, service: Distribution | None, every: Distribution) -> BrokerWait:
    share = waiting_share(station, lambda rate: transform(every, rate))
    mean = renewal_wait(station, lambda rate: transform(every, rate))
    shape = WaitShape(mean=mean, share=share)
    return BrokerWait(station=station, service=service, method=EXACT, shape=shape, mean=mean)
