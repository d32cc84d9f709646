"""Orders of stages, from the highest rank to the lowest. The order alone decides the shape of the tree.

`shallow` looks for a tree of little depth, the longest wait that order can cost: several known heuristics, the best of
them kept, and every order tried where few stages hang together. `by_site` looks for few messages between sites first: what is
published often stands high and need not leave its site, what is rare climbs to it. `by_identifier` is what the
published deployment does, and `by_relation` what an operator says.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise, permutations
from typing import Final, TypeAlias

from tidings.errors import InputError
from tidings.ordering.elimination import EliminationTree, StageGraph, eliminate, members
from tidings.ordering.natural_order import natural_key
from tidings.ordering.orders import by_degree, by_dissection, by_least_degree, by_least_height, pieces

TRIED_STAGES_MAX: Final = 5
"""Where no more stages than this hang together, every order is tried."""

SEARCHED_STAGES_MAX: Final = 12
"""Where more stages than this hang together, the heuristics' best order is taken as it is."""


@dataclass(frozen=True, slots=True)
class Climb:
    """Requests of one kind: from which stage, which stages must all be on the way, and how often."""

    stage: int
    needs: int
    """The stages of the sequencing group, as bits by position in the graph."""
    weight: float


_Heuristic: TypeAlias = Callable[[Sequence[int]], list[int]]
_Order: TypeAlias = tuple[str, ...]
_Cost: TypeAlias = Callable[[_Order], tuple[float, ...]]

_HEURISTICS: Final[tuple[_Heuristic, ...]] = (by_least_height, by_least_degree, by_dissection, by_degree)


def by_identifier(topics_of: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """By the smallest topic of each stage, the smallest highest."""
    return tuple(sorted(topics_of, key=lambda stage: min(natural_key(topic) for topic in topics_of[stage])))


def shallow(graph: StageGraph, climbs: Sequence[Climb] = ()) -> tuple[str, ...]:
    """An order whose tree is shallow; among equally deep ones, one on which `climbs` take few steps."""
    order: list[str] = []
    for part, own in _parts(graph, climbs):

        def cost(tried: _Order, part: StageGraph = part, own: Sequence[Climb] = own) -> tuple[float, ...]:
            tree = eliminate(part, tried)
            return tree.depth, sum(climb.weight * (len(way(tree, part, climb)) - 1) for climb in own)

        order += _best([_named(part, heuristic(part.neighbours)) for heuristic in _HEURISTICS], cost)
    return tuple(order)


def by_site(graph: StageGraph, sites: Mapping[str, str], climbs: Sequence[Climb] = ()) -> tuple[str, ...]:
    """An order on which `climbs` go from site to site seldom; among equal ones a shallow one.

    Begun from a shallow order, from heavy stages on top, and from what ties sites together on top.
    """
    order: list[str] = []
    for part, own in _parts(graph, climbs):

        def cost(tried: _Order, part: StageGraph = part, own: Sequence[Climb] = own) -> tuple[float, ...]:
            tree = eliminate(part, tried)
            ways = ((climb.weight, [sites[stage] for stage in way(tree, part, climb)]) for climb in own)
            return sum(weight * crossings_of(visited) for weight, visited in ways), tree.depth

        starts = [shallow(part, own), _heavy_first(part, own), _ties_first(part, sites, own)]
        order += _best(starts, cost)
    return tuple(order)


def by_relation(stages: Sequence[str], above: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """An order in which the first of each pair stands above the second; otherwise as in `stages`.

    Raises InputError for unknown stages and for a relation that goes round in a circle.
    """
    sorter: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(stages, ()))
    for high, low in above:
        for stage in (high, low):
            if stage not in stages:
                raise InputError(f"the precedence names {stage}, which is no stage; there are {', '.join(stages)}")
        sorter.add(low, high)
    try:
        sorter.prepare()
    except CycleError as problem:
        circle = " above ".join(problem.args[1])
        raise InputError(f"the precedence goes round in a circle: {circle}; leave one of these out") from None
    place = {stage: position for position, stage in enumerate(stages)}
    order: list[str] = []
    ready: list[str] = []
    while sorter.is_active():
        ready = sorted([*ready, *sorter.get_ready()], key=place.__getitem__)
        order.append(ready.pop(0))
        sorter.done(order[-1])
    return tuple(order)


def way(tree: EliminationTree, graph: StageGraph, climb: Climb) -> list[str]:
    """The stages from the climb's own up to the highest that it needs, both included."""
    start = graph.stages[climb.stage]
    needed = [start, *(graph.stages[place] for place in members(climb.needs))]
    highest = min(needed, key=lambda stage: tree.depths[tree.rank[stage]])
    visited = [start]
    above = tree.ancestors(start)
    while visited[-1] != highest:
        visited.append(next(above))
    return visited


def crossings_of(sites: Sequence[str]) -> int:
    """Messages between sites for one request that visits stages at these sites, the completed timestamp included."""
    up = sum(here != there for here, there in pairwise(sites))
    return up + (sites[0] != sites[-1])


def improved(order: _Order, cost: _Cost) -> _Order:
    """Move one at a time to another rank as long as that makes the order cheaper."""
    best, least, again = order, cost(order), True
    while again:
        again = False
        for stage in order:
            rest = [other for other in best if other != stage]
            for rank in range(len(best)):
                tried = (*rest[:rank], stage, *rest[rank:])
                found = cost(tried)
                if found < least:
                    best, least, again = tried, found, True
    return best


def _best(starts: Sequence[_Order], cost: _Cost) -> _Order:
    """The order of least cost: of all where stages are few, of the starts where they are many.

    In between the best start is improved.
    """
    if len(starts[0]) <= TRIED_STAGES_MAX:
        return min(permutations(sorted(starts[0], key=natural_key)), key=cost)
    best = min(starts, key=cost)
    return improved(best, cost) if len(best) <= SEARCHED_STAGES_MAX else best


def _heavy_first(graph: StageGraph, climbs: Sequence[Climb]) -> _Order:
    weights = [0.0] * len(graph.stages)
    for climb in climbs:
        weights[climb.stage] += climb.weight
    return _named(graph, sorted(range(len(weights)), key=lambda place: -weights[place]))


def _ties_first(graph: StageGraph, sites: Mapping[str, str], climbs: Sequence[Climb]) -> _Order:
    """Stages without which no overlap joins two sites, site by site; then the rest of each site, shallow."""
    lifted = _separators(graph, sites)
    named = dict.fromkeys(sites[stage] for stage in graph.stages)
    order: list[str] = []
    for bit in (1, 0):
        for site in named:
            chosen = [
                place for place, stage in enumerate(graph.stages) if sites[stage] == site and lifted >> place & 1 == bit
            ]
            order += shallow(*_part(graph, chosen, climbs))
    return tuple(order)


def _separators(graph: StageGraph, sites: Mapping[str, str]) -> int:
    """Stages that between them are on every overlap between two sites, those with most such overlaps first; as bits."""
    of_site: dict[str, int] = {}
    for place, stage in enumerate(graph.stages):
        of_site[sites[stage]] = of_site.get(sites[stage], 0) | 1 << place
    across = [mask & ~of_site[sites[stage]] for stage, mask in zip(graph.stages, graph.neighbours, strict=True)]
    lifted = 0
    while any(across):
        chosen = max(range(len(across)), key=lambda place: across[place].bit_count())
        lifted |= 1 << chosen
        across[chosen] = 0
        across = [mask & ~(1 << chosen) for mask in across]
    return lifted


def _named(graph: StageGraph, places: Iterable[int]) -> _Order:
    return tuple(graph.stages[place] for place in places)


def _parts(graph: StageGraph, climbs: Sequence[Climb]) -> list[tuple[StageGraph, list[Climb]]]:
    """What hangs together, each part as a graph of its own with its climbs."""
    everything = (1 << len(graph.stages)) - 1
    return [_part(graph, list(members(piece)), climbs) for piece in pieces(graph.neighbours, everything)]


def _part(graph: StageGraph, chosen: Sequence[int], climbs: Sequence[Climb]) -> tuple[StageGraph, list[Climb]]:
    """The graph of the chosen stages alone, and the climbs that begin there."""
    new = {place: position for position, place in enumerate(chosen)}

    def renumbered(mask: int) -> int:
        return sum(1 << new[place] for place in members(mask) if place in new)

    part = StageGraph(_named(graph, chosen), tuple(renumbered(graph.neighbours[place]) for place in chosen))
    own = [climb for climb in climbs if climb.stage in new]
    return part, [Climb(new[climb.stage], renumbered(climb.needs), climb.weight) for climb in own]
