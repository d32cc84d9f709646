"""What one more link is worth."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from tidings.analysis.service_level import ServiceLevel, service_level, tried_max
from tidings.scenario.replanning import with_link
from tidings.scenario.world import Link, World

PAIRS_MAX: Final = 200
"""Of more pairs those farthest apart are tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneLink:
    """One more link between two brokers."""

    between: tuple[str, str]
    mean: float
    """Mean reliability with it."""
    gain: float
    met: int
    """How many more get what they require; below 0 where fewer do."""
    reason: str

    def to_json(self) -> dict[str, Any]:
        """As `plan --json` prints it."""
        between = list(self.between)
        return {"between": between, "mean": self.mean, "gain": self.gain, "met": self.met, "reason": self.reason}


def best_links(level: ServiceLevel) -> tuple[OneLink, ...]:
    """The most useful first; the new link is like the middle one of those that there are, by delay."""
    if not level.world.links:
        return ()
    like = _middle(level.world)
    found = [_with(level, Link(between=pair, law=like.law, outages=like.outages)) for pair in _pairs(level)]
    return tuple(sorted(found, key=lambda one: (-one.gain, one.between)))


def _middle(world: World) -> Link:
    return sorted(world.links, key=lambda link: link.law.mean_delay_ns)[len(world.links) // 2]


def _pairs(level: ServiceLevel) -> list[tuple[str, str]]:
    """Brokers that no link joins, farthest apart first."""
    most = tried_max(level.world, PAIRS_MAX)
    joined = {frozenset(link.between) for link in level.world.links}
    names = [one.id for one in level.world.brokers]
    pairs = [pair for pair in combinations(names, 2) if frozenset(pair) not in joined]
    distance = _distances(level.world) if len(pairs) > most else {}
    return sorted(pairs, key=lambda pair: -distance.get(pair, 0.0))[:most]


def _distances(world: World) -> dict[tuple[str, str], float]:
    """Sums of mean delays, along the links that take least."""
    names = [one.id for one in world.brokers]
    places = {name: place for place, name in enumerate(names)}
    ends = [(places[one], places[other]) for one, other in (link.between for link in world.links)]
    delays = [max(link.law.mean_delay_ns, 1.0) for link in world.links]
    rows, columns = zip(*ends, strict=True)
    table = shortest_path(csr_array((delays, (rows, columns)), shape=(len(names), len(names))), directed=False)
    return dict(_entries(names, table))


def _entries(names: list[str], table: Any) -> Iterator[tuple[tuple[str, str], float]]:
    for (one, name), (other, far) in combinations(enumerate(names), 2):
        yield (name, far), float(table[one, other])


def _with(level: ServiceLevel, link: Link) -> OneLink:
    found = service_level(with_link(level.world, link), level.predictor.roaming)
    one, other = link.between
    gain, met = found.mean - level.mean, len(level.unmet) - len(found.unmet)
    return OneLink(
        between=link.between,
        mean=found.mean,
        gain=gain,
        met=met,
        reason=f"a link {one}>{other} brings {found.mean:.4f} on time, in the mean, instead of {level.mean:.4f}; {_how(level, found)}",
    )


def _how(before: ServiceLevel, after: ServiceLevel) -> str:
    """Shorter ways or emptier brokers."""
    hops = [sum(len(flow.needs) - 1 for flow in level.predictor.flows) for level in (before, after)]
    busiest = [max(wait.station.load for wait in level.predictor.waits.values()) for level in (before, after)]
    return f"steps of all flows {hops[0]} to {hops[1]}, highest load {busiest[0]:.4g} to {busiest[1]:.4g}"
