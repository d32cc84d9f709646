"""Small worlds with five sites, shared by the tests of study total."""

from functools import cache

import numpy as np

from tidings.studies.total_deployed import RATES, Sized, WorldJob, Worlds, deployed
from tidings.studies.total_setting import READINGS, SHAPES, SiteWorld, site_world
from tidings.vocabulary.streams import Streams


@cache
def drawn(shape: int = 0, reading: str = "shares", topics_each: int = 10) -> SiteWorld:
    """One world."""
    return site_world(SHAPES[shape], reading, topics_each, Streams(1)("world"))


def hand_made(*wanted: tuple[int, ...]) -> SiteWorld:
    """Clients with these topics; site s publishes on topics of its own block alone, all alike."""
    has = np.zeros((len(wanted), 1_000), np.bool_)
    for client, topics in enumerate(wanted):
        has[client, list(topics)] = True
    publishes = np.zeros((5, 1_000))
    for site in range(5):
        publishes[site, 200 * site : 200 * (site + 1)] = 1 / 1_000
    return SiteWorld(publishes, has)


@cache
def looked_at() -> tuple[Worlds, Sized]:
    """Every shape and reading once, for a short time."""

    def job(shape, reading, topics_each, rates):
        return WorldJob(shape=shape, reading=reading, topics_each=topics_each, rates=rates, seconds=0.1, seed=1, draw=0)

    worlds = {(one, kind): [deployed(job(one, kind, 10, RATES))] for kind in READINGS for one in SHAPES}
    sized = {(one, kind, 20): [deployed(job(one, kind, 20, (5_000.0,)))] for kind in READINGS for one in SHAPES}
    return worlds, sized
