"""The thesis's map and walkers (4.5.1), as worlds.

What the thesis draws and does not say is decided here once: the five access points, and roads 300 m apart that pass them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tidings.scenario import World
from tidings.simulation.contacts import contacts
from tidings.simulation.walks import walk
from tidings.studies.content_setting import world_from
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.streams import Streams

POINTS: Final = {1: "[[500, 500]]", 5: "[[500, 500], [200, 200], [800, 200], [200, 800], [800, 800]]"}
MODELS: Final = {
    "random-waypoint": '{{ model = "random-waypoint", speed = "{speed}m/s", pause = "{pause}s" }}',
    "manhattan": '{{ model = "manhattan", speed = "{speed}m/s", pause = "{pause}s", '
    "vertical = [200, 500, 800], horizontal = [200, 500, 800] }}",
}
HANDOFFS: Final = {"basic": "none", "+broker": "reactive"}
"""As the thesis calls the two modes."""

_TEXT: Final = """
tidings = 1
name = "mobility"
duration = "{seconds}s"
[map]
size = [1000, 1000]
range = 150
points = {points}
[[publisher]]
count = 10
id = "p"
topic = ["t0", "t1", "t2", "t3"]
every = {{ dist = "exponential", mean = "{every_s}s" }}
lifetime = "{lifetime}s"
[[subscriber]]
count = {walkers}
id = "m"
filter = 'topic == $topic'
vary = {{ topic = ["t0", "t1", "t2", "t3"] }}
mobility = {mobility}
[mobility]
handoff = "{handoff}"
latency = {{ dist = "uniform", low = "0s", high = "{handoff_s}s" }}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Walkers:
    """Everybody on one map; times in seconds, speed in metres per second."""

    model: str = "random-waypoint"
    brokers: int = 5
    mode: str = "+broker"
    speed: float = 10.0
    pause: float = 0.0
    lifetime: float = 60.0
    handoff_s: float = 1.0
    walkers: int = 40
    seconds: int = 3_600
    every_s: float = 1.0

    def world(self) -> World:
        """Expanded."""
        text = _TEXT.format(
            seconds=self.seconds,
            points=POINTS[self.brokers],
            every_s=self.every_s,
            lifetime=self.lifetime,
            walkers=self.walkers,
            mobility=MODELS[self.model].format(speed=self.speed, pause=self.pause),
            handoff=HANDOFFS[self.mode],
            handoff_s=self.handoff_s,
        )
        return world_from(text)


def phases(walkers: Walkers, seed: int) -> tuple[list[float], list[float]]:
    """Seconds of whole phases of contact and of outage, of all walkers until the end; no point's range meets another's."""
    world, streams = walkers.world(), Streams(seed)
    assert world.map is not None
    found: tuple[list[float], list[float]] = ([], [])
    for one in world.subscribers:
        assert one.mobility is not None
        legs = walk(one.mobility, world.map, streams(f"walk {one.id}"))
        began: int | None = None
        was: int | None = None
        for instant, point in _until(contacts(legs, world.map.points, world.map.range), world.duration_ns):
            if began is not None:
                found[was is None].append((instant - began) / SECOND)
            # The phase in which the walk is found at the beginning is not whole.
            began = instant if instant > 0 else None
            was = point
    return found


def _until(changes: Iterator[tuple[int, int | None]], end: int) -> Iterator[tuple[int, int | None]]:
    for instant, point in changes:
        if instant > end:
            return
        yield instant, point
