"""On which machines sequencing nodes are: the published heuristic, and one that settles where ways are short.

Machines are numbered, and each holds one node at most; `Delays` gives the delays from one of them to all. Delays are
looked up for machines in use alone, so that ten thousand machines cost little.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Delays: TypeAlias = Callable[[int], Floats]
"""From one machine to every machine, the same both ways."""

SWEEPS_MAX: Final = 8


@dataclass(frozen=True, slots=True)
class Journey:
    """How the messages of one group travel."""

    nodes: tuple[int, ...]
    """Visited in this order."""
    members: tuple[int, ...]
    """The machines where its members are: everybody sends, everybody receives."""


def beside(journeys: Sequence[Journey], delays: Delays, draw: np.random.Generator) -> dict[int, int]:
    """As published, group by group: one node at random where none has its place; then those nearest on the way to one
    that has, each on the free machine nearest to that one.
    """
    at: dict[int, int] = {}
    taken: list[int] = []
    for journey in journeys:
        nodes = journey.nodes
        if all(node not in at for node in nodes):
            at[nodes[int(draw.integers(len(nodes)))]] = _free(draw.random(len(delays(0))), taken)
        while missing := [step for step, node in enumerate(nodes) if node not in at]:
            placed = [step for step, node in enumerate(nodes) if node in at]
            _, step, known = min((abs(one - other), one, other) for one in missing for other in placed)
            at[nodes[step]] = _free(delays(at[nodes[known]]), taken)
    return at


def settled(journeys: Sequence[Journey], delays: Delays, *, sweeps_max: int = SWEEPS_MAX) -> dict[int, int]:
    """Every node where the messages of all groups lose least time, the others where they are; until none moves.

    A group counts with its pairs of sender and receiver. All begin in the middle of everybody; every node moves
    `sweeps_max` times at most.
    """
    ends, between = _pulls(journeys, delays)
    at: dict[int, int] = {}
    taken: list[int] = []
    middle: Floats = sum(ends.values(), np.zeros(len(delays(0))))
    for node in ends:
        at[node] = _free(middle, taken)
    for _ in range(sweeps_max):
        before = dict(at)
        for node, pull in ends.items():
            taken.remove(at[node])
            cost = pull + sum(weight * delays(at[other]) for other, weight in between.get(node, {}).items())
            at[node] = _free(cost, taken)
        if at == before:
            break
    return at


def _pulls(journeys: Sequence[Journey], delays: Delays) -> tuple[dict[int, Floats], dict[int, dict[int, int]]]:
    """What draws each node towards members (by machine), and towards other nodes (by node)."""
    ends: dict[int, Floats] = {}
    between: dict[int, dict[int, int]] = {}
    for journey in journeys:
        nodes, count = journey.nodes, len(journey.members)
        pairs = count * (count - 1)
        for node in nodes:
            ends.setdefault(node, np.zeros(len(delays(0))))
        mean = np.mean([delays(machine) for machine in journey.members], axis=0)
        for node in (nodes[0], nodes[-1]):
            ends[node] += pairs * mean
        for one, other in (*pairwise(nodes), *pairwise(nodes[::-1])):
            towards = between.setdefault(one, {})
            towards[other] = towards.get(other, 0) + pairs
    return ends, between


def _free(cost: Floats, taken: list[int]) -> int:
    """Take the machine of least cost that is free."""
    cost = cost.copy()
    cost[taken] = np.inf
    taken.append(int(cost.argmin()))
    return taken[-1]
