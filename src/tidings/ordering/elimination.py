"""The elimination tree of a graph of stages: one way up for every request, and every overlap on it.

Known from sparse Cholesky factorisation. Stages are eliminated from the lowest rank to the highest; eliminating one
joins all its remaining neighbours to each other (*fill-in*), and its parent is the lowest of them. Every edge of the
graph then joins a stage to one of its ancestors, so that two requests that must be put in order meet on their ways up.

Sets of stages are bits of an int: bit r is the stage of rank r, 0 the highest. A thousand stages are a short int.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tidings.errors import InputError
from tidings.ordering.overlap import OverlapGraph


@dataclass(frozen=True, slots=True)
class StageGraph:
    """Stages, and for each the set (bits by position in `stages`) of those that it overlaps with."""

    stages: tuple[str, ...]
    neighbours: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EliminationTree:
    """Stages from the highest rank to the lowest, and what stands above each. A forest where the graph falls apart."""

    stages: tuple[str, ...]
    parents: tuple[int | None, ...]
    """By rank; a parent has the lower rank number. None: a root."""
    fill: int
    """How many pairs were joined by elimination alone."""
    depths: tuple[int, ...] = field(init=False)
    """Stages from each one to its root, both counted."""
    rank: Mapping[str, int] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        depths: list[int] = []
        for parent in self.parents:
            depths.append(1 if parent is None else depths[parent] + 1)
        object.__setattr__(self, "depths", tuple(depths))
        object.__setattr__(self, "rank", {stage: rank for rank, stage in enumerate(self.stages)})

    @property
    def depth(self) -> int:
        """Stages on the longest way up."""
        return max(self.depths, default=0)

    def parent(self, stage: str) -> str | None:
        """The next stage on the way up."""
        above = self.parents[self.rank[stage]]
        return None if above is None else self.stages[above]

    def ancestors(self, stage: str) -> Iterator[str]:
        """All stages above, from the parent to the root."""
        above = self.parents[self.rank[stage]]
        while above is not None:
            yield self.stages[above]
            above = self.parents[above]


def eliminate(graph: StageGraph, order: Sequence[str]) -> EliminationTree:
    """The tree of `graph` under `order`, from the highest rank to the lowest.

    Raises InputError when `order` leaves a stage out, names one twice or an unknown one.
    """
    position = {stage: place for place, stage in enumerate(graph.stages)}
    check_order(order, position)
    rank_of = [0] * len(order)
    for rank, stage in enumerate(order):
        rank_of[position[stage]] = rank
    above = [_higher(graph.neighbours[position[stage]], rank_of, rank) for rank, stage in enumerate(order)]
    edges = sum(mask.bit_count() for mask in above)
    parents: list[int | None] = [None] * len(order)
    for rank in range(len(order) - 1, -1, -1):
        if above[rank]:
            parent = above[rank].bit_length() - 1
            parents[rank] = parent
            above[parent] |= above[rank] ^ (1 << parent)
    return EliminationTree(tuple(order), tuple(parents), sum(mask.bit_count() for mask in above) - edges)


def check_order(order: Sequence[str], stages: Mapping[str, object]) -> None:
    """Raise InputError unless `order` names each of `stages` once."""
    seen: dict[str, None] = {}
    for stage in order:
        if stage not in stages:
            raise InputError(f"the precedence names {stage}, which is no stage; there are {', '.join(stages)}")
        if stage in seen:
            raise InputError(f"the precedence names stage {stage} twice; once is right")
        seen[stage] = None
    for stage in stages:
        if stage not in seen:
            raise InputError(f"the precedence leaves out stage {stage}; every stage must have its place")


def stage_graph(
    overlap: OverlapGraph, topics: Sequence[int], stage_of: Sequence[int], names: Sequence[str]
) -> StageGraph:
    """The stages of `topics` (indices), joined when a topic of one overlaps with a topic of the other.

    Args:
        overlap: of the topics.
        topics: a component, or all.
        stage_of: for every topic of `overlap` its stage, as an index into `names`.
        names: of all stages; those without a topic among `topics` are left out.
    """
    present = dict.fromkeys(sorted(stage_of[topic] for topic in topics))
    bit = {stage: 1 << place for place, stage in enumerate(present)}
    masks = dict.fromkeys(present, 0)
    for topic in topics:
        for other in overlap.neighbours[topic]:
            masks[stage_of[topic]] |= bit[stage_of[other]]
    return StageGraph(tuple(names[stage] for stage in present), tuple(masks[stage] & ~bit[stage] for stage in present))


def members(mask: int) -> Iterator[int]:
    """The bits of a set, ascending."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _higher(mask: int, rank_of: Sequence[int], rank: int) -> int:
    """The members of `mask` of higher rank, as a set by rank."""
    return sum(1 << rank_of[place] for place in members(mask) if rank_of[place] < rank)
