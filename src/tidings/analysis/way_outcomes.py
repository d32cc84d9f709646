"""What becomes of an event whose ways are written into it where it starts: one, two, or the one that will not fail."""

import heapq
import itertools
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from tidings.analysis.crossing import Crossing
from tidings.analysis.outcomes import Ends, Outcome, Outcomes

Way: TypeAlias = tuple[str, ...]
"""All brokers of it, both ends included."""
Crossings: TypeAlias = Mapping[Ends, Crossing]

NEGLIGIBLE: Final = 2e-6


def way_outcomes(ways: Sequence[Way], crossings: Crossings) -> Outcomes:
    """A copy on each of one or two ways: the quicker one that gets through counts."""
    hops = sorted((_hops(way) for way in ways), key=lambda way: sum(crossings[ends].delay_ns for ends in way))
    found, sent = [], dict[Ends, float]()
    for place, way in enumerate(hops):
        through = _through(way, crossings)
        if place:
            through -= _through(tuple(dict.fromkeys([*hops[0], *way])), crossings)
        found.append(Outcome(max(through, 0.0), way, 0.0))
        reached = 1.0
        for ends in way:
            sent[ends] = sent.get(ends, 0.0) + reached
            reached *= _passes(crossings[ends])
    return Outcomes([one for one in found if one.probability > 0], sent)


def oracle_outcomes(origin: str, destination: str, crossings: Crossings) -> Outcomes:
    """The quickest way over what works, whatever that is: followed case by case as far as it is likely enough."""
    found: list[Outcome] = []
    sent: dict[Ends, float] = {}
    left: list[tuple[float, frozenset[frozenset[str]], frozenset[frozenset[str]]]] = [(1.0, frozenset(), frozenset())]
    while left:
        probability, down, up = left.pop()
        way = _quickest(origin, destination, crossings, down) if probability > NEGLIGIBLE else None
        if way is None:
            continue
        for ends in way:
            pair = frozenset(ends)
            works = 1.0 if pair in up else crossings[ends].works
            if works < 1:
                left.append((probability * (1 - works), down | {pair}, up))
            probability, up = probability * works, up | {pair}
        for ends in way:
            sent[ends] = sent.get(ends, 0.0) + probability
        kept = probability
        for ends in way:
            kept *= 1 - crossings[ends].loss
        found.append(Outcome(kept, way, 0.0))
    return Outcomes(found, sent)


def _hops(way: Way) -> tuple[Ends, ...]:
    return tuple(itertools.pairwise(way))


def _passes(one: Crossing) -> float:
    return one.works * (1 - one.loss)


def _through(way: Sequence[Ends], crossings: Crossings) -> float:
    passed = 1.0
    for ends in way:
        passed *= _passes(crossings[ends])
    return passed


def _quickest(
    origin: str, destination: str, crossings: Crossings, down: frozenset[frozenset[str]]
) -> tuple[Ends, ...] | None:
    neighbours: dict[str, list[tuple[str, float]]] = {}
    for (here, there), one in crossings.items():
        if frozenset((here, there)) not in down and one.works > 0:
            neighbours.setdefault(here, []).append((there, one.delay_ns))
    border: list[tuple[float, Way]] = [(0.0, (origin,))]
    reached: set[str] = set()
    while border:
        delay, way = heapq.heappop(border)
        if way[-1] == destination:
            return _hops(way)
        if way[-1] in reached:
            continue
        reached.add(way[-1])
        for there, more in neighbours.get(way[-1], ()):
            if there not in reached:
                heapq.heappush(border, (delay + more, (*way, there)))
    return None
