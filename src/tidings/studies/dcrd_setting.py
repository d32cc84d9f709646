"""The network of the DCRD paper's evaluation, one run of it, and what came of it.

Brokers with links of 10 to 50 ms, ten topics with a publisher each on brokers of their own, one event a second; for each topic a
probability from 0.2 to 0.6 that a broker has a subscriber, and a deadline in shortest ways. Every second each link fails
for a second with probability P_f. One world, drawn from seed and shape, serves all schemes.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tidings.scenario.random_graph import random_regular
from tidings.scenario.world import Broker, Link, LinkEpisodes, LinkLaw, Publisher, Routing, Subscriber, Topic, World
from tidings.simulation.simulated_world import SimulatedWorld
from tidings.simulation.tables import TablesInMemory
from tidings.vocabulary.distribution import Constant
from tidings.vocabulary.instant import MILLISECOND, MINUTE, SECOND
from tidings.vocabulary.overlay import Overlay
from tidings.vocabulary.streams import Streams

PUBLISHERS: Final = 10
MONITOR_NS: Final = 5 * MINUTE
TABLES: Final = ("deliveries", "publications", "transmissions")


class Contender(NamedTuple):
    """A scheme, and how long it waits for answers."""

    scheme: str
    ack: str = "round-trip"

    @property
    def name(self) -> str:
        """As figures say it."""
        if self.scheme == "dcrd":
            return f"dcrd, {self.ack}"
        return self.scheme


ORACLE: Final = Contender("oracle")
ONE_WAY: Final = Contender("dcrd", "one-way")
ROUND_TRIP: Final = Contender("dcrd")
PLUS: Final = Contender("dcrd+")
R_TREE: Final = Contender("r-tree")
D_TREE: Final = Contender("d-tree")
MULTIPATH: Final = Contender("multipath")
CONTENDERS: Final = (ORACLE, ONE_WAY, ROUND_TRIP, PLUS, R_TREE, D_TREE, MULTIPATH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One run."""

    protocol: Contender
    seed: int
    seconds: int
    brokers: int = 20
    degree: int | None = None
    """None: fully meshed."""
    failure: float = 0.0
    """P_f."""
    loss: float = 1e-4
    """P_l."""
    transmissions: int = 1
    """m."""
    factor: float = 3.0
    """Deadline, in shortest ways."""
    guards: int = 1
    """Second copies that stand by, under `dcrd+`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a run; counts of events are of pairs of event and subscriber."""

    wanted: int
    delivered: int
    on_time: int
    packets: int
    """Copies of events over links; one for all subscribers that share it."""
    answers: int
    control: int
    late: tuple[float, ...]
    """Delays of late ones, in deadlines, sorted."""
    direct_wanted: int = 0
    """Those whose shortest way is a single link."""
    direct_on_time: int = 0

    @property
    def delivery(self) -> float:
        """Delivery ratio."""
        return self.delivered / self.wanted

    @property
    def punctuality(self) -> float:
        """QoS delivery ratio."""
        return self.on_time / self.wanted

    @property
    def traffic(self) -> float:
        """Packets sent for each subscriber."""
        return self.packets / self.wanted


def outcome_of(setting: Setting) -> Outcome:
    """Run it."""
    world = world_of(setting)
    tables = TablesInMemory(TABLES)
    SimulatedWorld(world, tables).run()
    return _counted(world, tables)


def world_of(setting: Setting) -> World:
    """The world of a setting."""
    streams = Streams(setting.seed)
    names = tuple(f"b{number}" for number in range(setting.brokers))
    links = _links(setting, names, streams)
    overlay = Overlay(names, tuple(one.between for one in links), tuple(one.law.mean_delay_ns for one in links))
    homes = streams("dcrd publishers").choice(len(names), min(PUBLISHERS, len(names)), replace=False).tolist()
    publishers = tuple(
        Publisher(id=f"p{number}", broker=names[home], topics=(f"t{number}",), every=Constant(float(SECOND)))
        for number, home in enumerate(homes)
    )
    return World(
        name="dcrd",
        seed=setting.seed,
        duration_ns=setting.seconds * SECOND,
        brokers=tuple(Broker(id=name) for name in names),
        links=links,
        publishers=publishers,
        subscribers=tuple(
            one for publisher in publishers for one in _subscribers(setting, publisher, overlay, streams)
        ),
        topics=tuple(Topic(name=one.topics[0]) for one in publishers),
        trees=(),
        routing=Routing(
            scheme=setting.protocol.scheme,
            ack=setting.protocol.ack,
            transmissions=setting.transmissions,
            monitor_ns=MONITOR_NS,
            guards=setting.guards,
        ),
        episodes=LinkEpisodes(probability=setting.failure, every_ns=SECOND, lasting_ns=SECOND),
    )


def _links(setting: Setting, names: tuple[str, ...], streams: Streams) -> tuple[Link, ...]:
    degree = setting.brokers - 1 if setting.degree is None else setting.degree
    pairs = random_regular(setting.brokers, degree, streams("dcrd links"))
    delays = streams("dcrd delays").uniform(10 * MILLISECOND, 50 * MILLISECOND, len(pairs)).round().tolist()
    return tuple(
        Link(between=(names[one], names[other]), law=LinkLaw(delay=Constant(delay), loss=setting.loss))
        for (one, other), delay in zip(pairs, delays, strict=True)
    )


def _subscribers(setting: Setting, publisher: Publisher, overlay: Overlay, streams: Streams) -> list[Subscriber]:
    """One on every broker with a probability that is drawn once, but not on the publisher's own."""
    topic, draw = publisher.topics[0], streams(f"dcrd subscribers {publisher.id}")
    share, distances = draw.uniform(0.2, 0.6), overlay.distances_from(publisher.broker)
    chosen = draw.random(len(overlay.brokers)) < share
    return [
        Subscriber(
            id=f"s-{name}-{topic}",
            broker=name,
            filter=f'topic == "{topic}"',
            topics=(topic,),
            deadlines={publisher.id: round(setting.factor * distances[name])},
        )
        for name, is_chosen in zip(overlay.brokers, chosen.tolist(), strict=True)
        if is_chosen and name != publisher.broker
    ]


def _counted(world: World, tables: TablesInMemory) -> Outcome:
    published = tables.column("publications", "published_ns")
    events = tables.column("publications", "event")
    shown, code = tables.column("deliveries", "event"), tables.column("deliveries", "subscriber")
    order = np.argsort(events)
    took = tables.column("deliveries", "delivered_ns") - published[order][np.searchsorted(events[order], shown)]
    allowed = np.zeros(int(code.max(initial=0)) + 1, np.int64)
    wanting: dict[str, int] = {}
    for one in world.subscribers:
        place = tables.code(one.id)
        if place < len(allowed):
            (allowed[place],) = one.deadlines.values()
        (publisher,) = one.deadlines
        wanting[publisher] = wanting.get(publisher, 0) + 1
    per_publisher = np.bincount(events >> 40, minlength=len(world.publishers))
    relative = took / allowed[code]
    direct = _direct(world)
    direct_codes = np.array([tables.code(one) for one in direct], np.int64)
    kinds = tables.column("transmissions", "kind")
    return Outcome(
        wanted=sum(int(per_publisher[place]) * wanting.get(one.id, 0) for place, one in enumerate(world.publishers)),
        delivered=len(shown),
        on_time=int((relative <= 1).sum()),
        packets=_kinds(kinds, tables, "event"),
        answers=_kinds(kinds, tables, "ack"),
        control=_kinds(kinds, tables, "control"),
        late=tuple(np.sort(relative[relative > 1]).tolist()),
        direct_wanted=sum(int(per_publisher[place]) for place in direct.values()),
        direct_on_time=int(np.isin(code[relative <= 1], direct_codes).sum()),
    )


def _direct(world: World) -> dict[str, int]:
    """Subscribers whose shortest way is a single link, with their publishers' places."""
    overlay = Overlay(
        tuple(one.id for one in world.brokers),
        tuple(one.between for one in world.links),
        tuple(one.law.mean_delay_ns for one in world.links),
    )
    ways = [overlay.ways_from(one.broker) for one in world.publishers]
    places = {one.id: place for place, one in enumerate(world.publishers)}
    found = {}
    for one in world.subscribers:
        (publisher,) = one.deadlines
        if len(ways[places[publisher]][one.broker]) == 2:
            found[one.id] = places[publisher]
    return found


def _kinds(kinds: NDArray[np.int64], tables: TablesInMemory, name: str) -> int:
    return int((kinds == tables.code(name)).sum())
