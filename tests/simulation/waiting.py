"""Waiting times of one simulated queue, and how sure their means are."""

import math
from dataclasses import dataclass

import numpy as np

from simulation.worlds import make_world, publisher, run, serving
from tidings.vocabulary.instant import SECOND

BATCHES = 25
SECONDS = float(SECOND)
TABLES = ("publications", "deliveries", "interests")


@dataclass(frozen=True)
class Estimate:
    """A mean and its standard error, by batch means."""

    mean: float
    error: float

    def off(self, truth, error=0.0):
        """How many standard errors the truth is away; `error` is its own where it is an estimate, too."""
        return abs(self.mean - truth) / math.hypot(self.error, error)


def batch_means(values):
    """The mean of a series whose neighbours are alike: batches are long enough to be as good as independent."""
    usable = values[: len(values) // BATCHES * BATCHES]
    means = usable.reshape(BATCHES, -1).mean(axis=1)
    return Estimate(float(means.mean()), float(means.std(ddof=1)) / BATCHES**0.5)


def sojourns(folder, *, every, service, events, seed=1):
    """Seconds from published to shown at a single broker, in the order published; the first tenth is left out."""
    world = make_world(
        [serving("a", service)],
        publishers=[publisher(every=every)],
        duration_ns=round(events * every.mean),
        seed=seed,
    )
    found = run(world, folder, tables=TABLES)
    published = dict(found.rows("publications", "event", "published_ns"))
    shown = sorted(found.rows("deliveries", "event", "delivered_ns"))
    assert len(shown) == len(published), "an infinite lifetime loses nothing"
    delays = np.array([delivered - published[event] for event, delivered in shown], np.float64)
    return delays[len(delays) // 10 :] / SECONDS
