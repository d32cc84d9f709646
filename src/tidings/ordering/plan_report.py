"""What a plan costs, beside what no plan can avoid. All shares are of publications."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tidings.ordering.overlap import OverlapGraph
from tidings.ordering.precedence import crossings_of
from tidings.ordering.traffic import Traffic


@dataclass(frozen=True, slots=True, kw_only=True)
class StageLoad:
    """What one stage has to do."""

    own: float
    """Share of the publications that it numbers, logs and publishes."""
    handled: float
    """Share whose requests it sees: its own and those that pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReport:
    """Latency, messages and load of a plan. Means weigh topics with what is published on them."""

    depth: int
    """Stages on the longest way up in any tree."""
    depth_bound: int
    """No order of these stages gives a lesser depth."""
    path_mean: float
    """Stages that a request visits, its own included."""
    path_max: int
    entries_mean: float
    """Entries of a timestamp: the plain mean over topics."""
    entries_published: float
    """The same as a mean over publications."""
    crossings: float
    """Messages between sites per publication: to the topic's stage, up the tree, and back from the highest stage."""
    crossings_bound: float
    """No partition and no order, whatever they put where, needs fewer."""
    load: Mapping[str, StageLoad]
    """By stage, from the highest rank to the lowest."""


def crossings(traffic: Traffic, paths: Sequence[Sequence[str]], site_of: Mapping[str, str]) -> float:
    """Messages between sites per publication, with the path (stages) of every topic."""
    place = {site: position for position, site in enumerate(traffic.sites)}
    found = []
    for row, path in zip(traffic.shares, paths, strict=True):
        total = math.fsum(row)
        found += [total - row[place[site_of[path[0]]]], total * crossings_of([site_of[stage] for stage in path])]
    return math.fsum(found)


def crossings_bound(overlap: OverlapGraph, traffic: Traffic) -> float:
    """A lower bound on `crossings` for every partition and order.

    Each publication from outside its topic's home crosses once. Of two overlapping topics with different homes one must
    give way: its stage is not at its home, or its requests climb to another site and come back. Either costs at least
    the gap between the topic's two strongest sites. The least sum of gaps that covers all such overlaps is a weighted
    vertex cover; packing weight onto overlaps, never more on a topic than its gap, bounds it from below.
    """
    homes = traffic.homes
    away = math.fsum(math.fsum(row) - max(row) for row in traffic.shares)
    gaps = [max(row) - sorted(row)[-2] if len(row) > 1 else 0.0 for row in traffic.shares]
    packed = 0.0
    for one, other in overlap.edges():
        if homes[one] != homes[other]:
            least = min(gaps[one], gaps[other])
            gaps[one] -= least
            gaps[other] -= least
            packed += least
    return away + packed


def loads(stages: Sequence[str], paths: Sequence[Sequence[str]], totals: Sequence[float]) -> dict[str, StageLoad]:
    """The load of every stage."""
    own, handled = dict.fromkeys(stages, 0.0), dict.fromkeys(stages, 0.0)
    for path, total in zip(paths, totals, strict=True):
        own[path[0]] += total
        for stage in path:
            handled[stage] += total
    return {stage: StageLoad(own=own[stage], handled=handled[stage]) for stage in stages}
