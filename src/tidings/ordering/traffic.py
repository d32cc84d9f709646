"""How often each topic is published on, and from which site: what a plan weighs its choices with."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tidings.errors import InputError
from tidings.ordering.natural_order import natural_key


@dataclass(frozen=True, slots=True)
class Traffic:
    """Shares of all publications, by topic (in the order given) and site. They sum to 1."""

    sites: tuple[str, ...]
    """In the order of their identifiers; the one site "" where sites are not told apart."""
    shares: tuple[tuple[float, ...], ...]
    totals: tuple[float, ...] = field(init=False)
    """Every topic's share."""
    homes: tuple[int, ...] = field(init=False)
    """For every topic the site that publishes most on it; the first of equals."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "totals", tuple(math.fsum(row) for row in self.shares))
        object.__setattr__(self, "homes", tuple(max(range(len(row)), key=row.__getitem__) for row in self.shares))

    def heaviest(self, topics: Sequence[int]) -> int:
        """The site that publishes most on all of `topics`; the first of equals."""
        sums = [math.fsum(self.shares[topic][site] for topic in topics) for site in range(len(self.sites))]
        return max(range(len(sums)), key=sums.__getitem__)


def traffic_of(topics: Sequence[str], popularity: Mapping[str, Mapping[str, float]] | None) -> Traffic:
    """Shares from weights by topic and site; None, or nothing but zeros: all topics alike, sites not told apart.

    Raises InputError for unknown topics and for weights that are negative or not finite.
    """
    given = popularity or {}
    known = dict.fromkeys(topics)
    for topic, weights in given.items():
        if topic not in known:
            raise InputError(f"popularity is given for {topic}, which is not among the {len(known)} topics")
        for site, weight in weights.items():
            if not (math.isfinite(weight) and weight >= 0):
                raise InputError(f"popularity of {topic} at {site!r} is {weight}; a finite number from 0 is right")
    total = math.fsum(weight for weights in given.values() for weight in weights.values())
    if not total:
        return Traffic(("",), ((1 / len(known),),) * len(known) if known else ())
    named = {site: None for weights in given.values() for site in weights}
    sites = tuple(sorted(named, key=natural_key))
    rows = ((given.get(topic, {}).get(site, 0.0) / total for site in sites) for topic in topics)
    return Traffic(sites, tuple(tuple(row) for row in rows))
