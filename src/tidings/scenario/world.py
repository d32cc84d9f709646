"""One definite world: what a scenario is once everything that can be drawn beforehand has been drawn.

Every verb works on a `World`. Names are unique per kind; collections are in the order of the file, then of expansion.
Distributions that remain are laws that a run samples (a service time, the delay of each packet).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tidings.vocabulary.distribution import Distribution
from tidings.vocabulary.instant import FOREVER, SECOND
from tidings.vocabulary.value import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """How long a broker works on an event, in nanoseconds."""

    law: Distribution
    per_subscription: bool = False
    """Multiply by the subscriptions that the broker knows, all topics, before covering."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutageLaw:
    """A component's alternating up and down times, in nanoseconds; it starts in its stationary state."""

    up: Distribution
    down: Distribution

    @property
    def availability(self) -> float:
        """The long-run share of time up."""
        return self.up.mean / (self.up.mean + self.down.mean)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broker:
    """A broker; `service` None means that events cost it no time."""

    id: str
    site: str | None = None
    service: Service | None = None
    outages: OutageLaw | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkLaw:
    """What a link does to packets, each direction by itself."""

    delay: Distribution | None = None
    """Nanoseconds, drawn for each packet; None: 0."""
    loss: float = 0.0
    duplication: float = 0.0
    fifo: bool = False
    """Packets never overtake each other, whatever delays they draw."""
    bandwidth_bps: float | None = None
    """Bits per second; packets wait for those before them. None: unlimited."""

    @property
    def mean_delay_ns(self) -> float:
        """Mean propagation delay, without waiting for bandwidth."""
        return 0.0 if self.delay is None else self.delay.mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An overlay link between two brokers; both directions fail together."""

    between: tuple[str, str]
    law: LinkLaw = LinkLaw()
    outages: OutageLaw | None = None
    recorded_outages: tuple[tuple[int, int], ...] = ()
    """Given (down, up) instants, ascending and apart; beside drawn ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFile:
    """A file that the scenario names; worlds are equal when they name it alike, wherever it lies."""

    name: str
    """As a scenario in another folder can name it."""
    path: Path = field(compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An attribute drawn from a list; equal weights."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What an event says, and how likely it is, relative to others."""

    topic: str
    attributes: Mapping[str, Value]
    payload_bytes: int
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What somebody was seen to publish. Profiles are equal when they stand in files of one name under one name."""

    file: NamedFile
    name: str
    rate: float = field(compare=False)
    """Events per nanosecond."""
    scv: float | None = field(compare=False)
    """Of the intervals between events, as recorded; None: too few of them."""
    every: Distribution = field(compare=False)
    """The intervals, each by itself; their mean is that of the rate."""
    contents: tuple[Content, ...] = field(compare=False, repr=False)
    dispersion: tuple[tuple[float, float], ...] = field(compare=False, repr=False)
    """Lengths of time, ascending, and the index of dispersion of counts over each; empty: not known."""
    lifetime_ns: int | None = field(compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    """A client that publishes. `every` is given, or `trace`; with a `profile` `every` and `payload` come from there."""

    id: str
    broker: str
    topics: tuple[str, ...]
    """Used round and round; empty: each event draws one by the popularity at `site`."""
    every: Distribution | None = None
    """Nanoseconds between events; the first comes after one interval."""
    trace: NamedFile | None = None
    """A Parquet table `published_ns, topic, attributes, payload_bytes`, replayed as it stands."""
    profile: Profile | None = None
    """What was recorded of somebody, to publish alike."""
    lifetime_ns: int = FOREVER
    payload: Distribution | None = None
    """Bytes; None: 0."""
    attributes: Mapping[str, Distribution | Choice] = field(default_factory=dict)
    site: str | None = None
    link: LinkLaw | None = None
    """To its broker; None: no delay, no loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscriber:
    """A client that wants events: those that `filter` holds for (canonical text, nothing left to substitute)."""

    id: str
    broker: str
    filter: str
    topics: tuple[str, ...] | None = None
    """The finite set outside which the filter cannot hold, or None where there is none."""
    deadline_ns: int = FOREVER
    deadlines: Mapping[str, int] = field(default_factory=dict)
    """By publisher, where they differ; `deadline_ns` for the others."""
    joins_ns: int | None = None
    """None: there before time 0, its interest known everywhere."""
    leaves_ns: int | None = None
    requires: float | None = None
    site: str | None = None
    link: LinkLaw | None = None
    mobility: "Mobility | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mobility:
    """How a subscriber moves; `options` are the model's keys in `scenario.mobility_tables`, as read there."""

    model: str
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Map:
    """Where the access points (brokers) stand, in metres."""

    size: tuple[float, float]
    range: float
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """What happens when a subscriber changes its access point."""

    scheme: str = "none"
    latency: Distribution | None = None
    neighbours: Mapping[str, tuple[str, ...]] | None = None
    """By broker, where a subscriber may turn up next; None: learned from where subscribers went."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A topic and how often each site's publishers draw it (weights; one entry, key "", without sites)."""

    name: str
    popularity: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The spanning tree that the events of `topics` use."""

    name: str
    links: tuple[tuple[str, str], ...]
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """How events find their way."""

    scheme: str = "tree"
    transmissions: int = 1
    ack: str = "round-trip"
    monitor_ns: int | None = None
    guards: int = 1
    """Second copies that stand by for a destination, at most."""
    covering: bool = True
    merging: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """What is done against failures."""

    mechanism: str = "none"
    renew_ns: int = 60 * SECOND
    expired: str = "drop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordering:
    """What order is promised and how it is kept."""

    guarantee: str = "none"
    precedence: str = "shallow"
    stages: int | str = "automatic"
    k: int | None = None
    tolerance: float = 0.05
    latch: str = "predictive"
    hold_ns: int | None = None
    record: int = 25
    mode: str = "reliable"
    wait_ns: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkEpisodes:
    """Every `every_ns`, each link is down for `lasting_ns` with this probability, by itself."""

    probability: float
    every_ns: int
    lasting_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash:
    """A component that stops at `at_ns` and is back `lasting_ns` later."""

    component: str
    at_ns: int
    lasting_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything that a verb needs to know, definite."""

    name: str
    seed: int
    duration_ns: int
    brokers: tuple[Broker, ...]
    links: tuple[Link, ...]
    publishers: tuple[Publisher, ...]
    subscribers: tuple[Subscriber, ...]
    topics: tuple[Topic, ...]
    """Every topic that a publisher can publish on, whether listed or counted."""
    trees: tuple[Tree, ...]
    runs: int = 1
    routing: Routing = Routing()
    reliability: Reliability = Reliability()
    ordering: Ordering = Ordering()
    episodes: LinkEpisodes | None = None
    crashes: tuple[Crash, ...] = ()
    map: Map | None = None
    """Point i is where broker i stands."""
    handoff: Handoff | None = None
    file: str = field(default="(world)", compare=False)
    """The scenario it came from, for complaints."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """What was not taken as it stood, a sentence each (brokers of an overlay file that were renamed or dropped)."""
