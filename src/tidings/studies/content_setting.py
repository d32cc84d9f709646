"""The thesis's synthetic setting (3.4.1, Table 3.2), and its small one for admission (3.4.3), as worlds.

What the thesis leaves open is decided here once. Link delays come from Planetlab there, and are uniform from 20 to 120 ms
here; of its 21 attributes two are told apart, with 20 values each; filters are upper bounds of both. Services of brokers
grow by 1 ms with each subscription.
"""

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tidings.scenario import World, expand, load_scenario
from tidings.scenario.world import Service
from tidings.vocabulary.distribution import Constant, Distribution, Exponential, Uniform
from tidings.vocabulary.instant import SECOND

INTERVALS: Final = ("exponential", "deterministic", "uniform")
SERVICES: Final = ("exponential", "uniform")

_TEXT: Final = """
tidings = 1
name = "content"
seed = {seed}
duration = "10000s"
[overlay]
generate = "tree"
brokers = {brokers}
link = {{ delay = {{ dist = "uniform", low = "20ms", high = "120ms" }}, loss = 0.001 }}
[[publisher]]
count = 8
id = "p"
topic = ["t0", "t1", "t2", "t3"]
every = "1s"
lifetime = "1s"
attributes = {{ x = {{ dist = "zipf", values = 20, exponent = 1.0 }}, y = {{ dist = "zipf", values = 20, exponent = 1.0 }} }}
[[subscriber]]
count = {subscribers}
id = "s"
filter = 'topic == $topic and x <= $x and y <= $y'
requires = 0.9
[subscriber.vary]
topic = ["t0", "t1", "t2", "t3"]
x = {{ dist = "zipf", values = 20, exponent = 1.0 }}
y = {{ dist = "zipf", values = 20, exponent = 1.0 }}
[reliability]
expired = "carry"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One world of the thesis's kind."""

    seed: int
    """Of the overlay and of who wants what."""
    intervals: str = "exponential"
    services: str = "exponential"
    service_ms: float = 1.0
    """For each subscription."""
    lifetime_s: float = 1.0
    brokers: int = 20
    subscribers: int = 100
    seconds: int = 10_000


def world_of(setting: Setting) -> World:
    """Expanded; the same seed gives the same overlay, whatever the laws."""
    text = _TEXT.format(seed=setting.seed, brokers=setting.brokers, subscribers=setting.subscribers)
    every = law_of(setting.intervals, float(SECOND))
    service = Service(law=law_of(setting.services, setting.service_ms * SECOND / 1000), per_subscription=True)
    world = world_from(text)
    return replace(
        world,
        duration_ns=setting.seconds * SECOND,
        publishers=tuple(
            replace(one, every=every, lifetime_ns=round(setting.lifetime_s * SECOND)) for one in world.publishers
        ),
        brokers=tuple(replace(one, service=service) for one in world.brokers),
    )


def world_from(text: str, folder: Path | None = None) -> World:
    """Of a scenario's text; files that it names lie in `folder`."""
    if folder is None:
        with tempfile.TemporaryDirectory() as made:
            return world_from(text, Path(made))
    path = folder / "content.toml"
    path.write_text(text, "utf-8")
    return expand(load_scenario(path))


def law_of(name: str, mean: float) -> Distribution:
    """Exponential, deterministic, or uniform between 0 and twice the mean."""
    if name == "exponential":
        return Exponential(mean)
    return Constant(mean) if name == "deterministic" else Uniform(0.0, 2 * mean)
