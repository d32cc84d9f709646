"""The thesis's networks of brokers and links that fail (5.7.1), as worlds.

What the thesis leaves open is decided here once: contents are numbers from 0 to 19 that are equally likely, filters their
upper bounds; availabilities are uniform between the bounds that it names; links cost no time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from tidings.scenario import World
from tidings.scenario.world import OutageLaw, Subscriber
from tidings.studies.content_setting import world_from
from tidings.vocabulary.distribution import Exponential
from tidings.vocabulary.instant import FOREVER, HOUR, SECOND
from tidings.vocabulary.streams import Streams

MECHANISMS: Final = ("periodic", "buffering", "bypass", "bypass+buffering")
PERIOD_S: Final = 60_000
LIFETIME_NS: Final = HOUR
CONTENTS: Final = 20


class Quality(NamedTuple):
    """What kind of servers brokers are: the bounds of their availability."""

    name: str
    low: float
    high: float


LOW_END: Final = Quality("low-end", 0.9, 0.95)
HIGH_END: Final = Quality("high-end", 0.99, 0.999)

_LINE: Final = """
tidings = 1
name = "line"
duration = "{days}d"
[overlay]
generate = "line"
brokers = {brokers}
availability = {availability}
period = "{period_s}s"
link = {{ delay = "0ms", availability = {availability}, period = "{period_s}s" }}
[[publisher]]
id = "p"
broker = "b0"
topic = "t"
every = "{every_s}s"
[[subscriber]]
id = "s"
broker = "b{last}"
filter = 'topic == "t"'
[reliability]
mechanism = "{mechanism}"
renew = "600s"
"""

_NET: Final = """
tidings = 1
name = "net"
seed = {seed}
duration = "{days}d"
[overlay]
{shape}
brokers = 10
link = {{ delay = "0ms" }}
[[publisher]]
count = 10
id = "p"
topic = "t"
every = "{every_s}s"
lifetime = "1h"
attributes = {{ x = {{ dist = "uniform", low = 0, high = 20 }} }}
[[subscriber]]
count = {subscribers}
id = "s"
filter = 'topic == "t" and x < $x'
vary = {{ x = [{bounds}] }}
[reliability]
mechanism = "{mechanism}"
renew = "600s"
"""
SHAPES: Final = {"tree": 'generate = "tree"', "graph": 'generate = "random"\ndegree = 4'}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A publisher and a subscriber at the ends of a line; brokers and links are alike."""

    mechanism: str = "buffering"
    brokers: int = 5
    availability: float = 0.95
    period_s: int = PERIOD_S
    days: int = 14
    every_s: int = 60

    def world(self, lifetime_ns: int = LIFETIME_NS) -> World:
        """With this lifetime of events."""
        text = _LINE.format(
            mechanism=self.mechanism,
            brokers=self.brokers,
            last=self.brokers - 1,
            availability=self.availability,
            period_s=self.period_s,
            days=self.days,
            every_s=self.every_s,
        )
        world = world_from(text)
        return replace(world, publishers=tuple(replace(one, lifetime_ns=lifetime_ns) for one in world.publishers))


@dataclass(frozen=True, slots=True, kw_only=True)
class Net:
    """Ten brokers, ten publishers, and subscribers anywhere."""

    shape: str
    quality: Quality
    mechanism: str
    seed: int
    """Of the overlay, the availabilities and who is where."""
    subscribers: int = 500
    days: int = 14
    every_s: int = 60

    def world(self) -> World:
        """The same overlay, availabilities and clients whatever the mechanism."""
        bounds = ", ".join(str(number) for number in range(1, CONTENTS + 1))
        text = _NET.format(
            mechanism=self.mechanism,
            seed=self.seed,
            days=self.days,
            shape=SHAPES[self.shape],
            every_s=self.every_s,
            subscribers=self.subscribers,
            bounds=bounds,
        )
        return failing(world_from(text), self.quality, self.shape, Streams(self.seed))


def failing(world: World, quality: Quality, shape: str, streams: Streams) -> World:
    """Brokers of this quality; links with 0.99, or in a tree with 0.9 to 0.999."""
    brokers = streams("study overlay brokers").uniform(quality.low, quality.high, len(world.brokers)).tolist()
    links = streams("study overlay links").uniform(0.9, 0.999, len(world.links)).tolist()
    links = links if shape == "tree" else [0.99] * len(world.links)
    return replace(
        world,
        brokers=tuple(replace(one, outages=outages(share)) for one, share in zip(world.brokers, brokers, strict=True)),
        links=tuple(replace(one, outages=outages(share)) for one, share in zip(world.links, links, strict=True)),
    )


def outages(availability: float, period_s: int = PERIOD_S) -> OutageLaw:
    """Of a component that is up for this share of the time, in cycles of this mean length."""
    period = period_s * SECOND
    up = round(availability * period)
    return OutageLaw(up=Exponential(float(up)), down=Exponential(float(period - up)))


def with_homes(world: World, homes: Sequence[str]) -> World:
    """Instead of the world's subscribers one that wants everything at each of these brokers."""
    subscribers = tuple(
        Subscriber(id=f"s{number}", broker=home, filter='topic == "t"') for number, home in enumerate(homes)
    )
    return replace(world, subscribers=subscribers)


def endless(line: Line) -> World:
    """The line with events that never expire."""
    return line.world(FOREVER)
