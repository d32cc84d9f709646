"""Are two ends of an overlay joined by something that works? Exactly for small overlays, and a lower bound for any.

Brokers and links work independently, each with its availability. The exact value comes from a decision diagram that
takes the links one after the other and remembers only how the brokers at the border are joined: its size grows with the
border, not with the number of subsets. It is meant for some 20 brokers and refuses what outgrows `STATES_MAX`.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

STATES_MAX: Final = 200_000
"""States of the diagram at one time; beyond this only the bound is there."""
NEGLIGIBLE: Final = 1e-12
"""States less likely than this are dropped; at the size that this is for, all of them together are some 10⁻⁸."""

_State: TypeAlias = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """An overlay with the probability that each part works; who is not in `brokers` always works."""

    links: Mapping[tuple[str, str], float]
    brokers: Mapping[str, float]

    def of_broker(self, name: str) -> float:
        """Probability that a broker works."""
        return self.brokers.get(name, 1.0)

    def neighbours(self) -> dict[str, list[str]]:
        """Of each broker that has any, in the order of the links."""
        found: dict[str, list[str]] = {}
        for one, other in self.links:
            found.setdefault(one, []).append(other)
            found.setdefault(other, []).append(one)
        return found


def connection(network: Network, source: str, target: str) -> float | None:
    """Probability that both ends work and are joined; None when the diagram outgrows its bound."""
    if source == target:
        return network.of_broker(source)
    links = _ordered(network, source)
    last = {name: place for place, ends in enumerate(links) for name in ends}
    if source not in last or target not in last:
        return 0.0
    diagram = _Diagram(network, (source, target))
    for place, ends in enumerate(links):
        diagram.take(ends, network.links[ends], [name for name in ends if last[name] == place])
        if len(diagram.states) > STATES_MAX:
            return None
    return diagram.joined


def disjoint_paths(network: Network, source: str, target: str) -> tuple[tuple[str, ...], ...]:
    """Paths that share no broker but their ends, shortest first, found greedily: fewest brokers each time."""
    taken: set[str] = set()
    direct = False
    found = []
    neighbours = network.neighbours()
    while (path := _shortest(neighbours, source, target, (taken, direct))) is not None:
        found.append(path)
        taken.update(path[1:-1])
        direct = direct or len(path) == 2
    return tuple(found)


def disjoint_bound(network: Network, source: str, target: str) -> float:
    """Probability that at least one of some disjoint paths works: a lower bound of `connection`."""
    if source == target:
        return network.of_broker(source)
    broken = 1.0
    for path in disjoint_paths(network, source, target):
        broken *= 1 - _inner(network, path)
    return network.of_broker(source) * network.of_broker(target) * (1 - broken)


def path_availability(network: Network, path: Sequence[str]) -> float:
    """Probability that a path works, from end to end."""
    ends = network.of_broker(path[0]) * (network.of_broker(path[-1]) if len(path) > 1 else 1.0)
    return ends * _inner(network, path)


def _inner(network: Network, path: Sequence[str]) -> float:
    """Of all of a path but its two ends."""
    works = 1.0
    for one, other in itertools.pairwise(path):
        works *= network.links[(one, other) if (one, other) in network.links else (other, one)]
    for name in path[1:-1]:
        works *= network.of_broker(name)
    return works


class _Diagram:
    """Probability of each way in which the brokers at the border are joined, given that the ends are not joined yet.

    A state is a partition of the border brokers that work; each part is a sorted tuple of numbers. A broker is drawn
    when the first of its links is taken, and forgotten after its last; the ends always stay.
    """

    def __init__(self, network: Network, ends: tuple[str, str]) -> None:
        self._network = network
        self._numbers = {ends[0]: 0, ends[1]: 1}
        self._met: set[str] = set()
        self.joined = 0.0
        both = network.of_broker(ends[0]) * network.of_broker(ends[1])
        self.states: dict[_State, float] = {((0,), (1,)): both}
        self._met.update(ends)

    def take(self, ends: tuple[str, str], works: float, leaving: Sequence[str]) -> None:
        for name in ends:
            if name not in self._met:
                self._meet(name)
        one, other = (self._numbers[name] for name in ends)
        gone = {self._numbers[name] for name in leaving} - {0, 1}
        states: dict[_State, float] = {}
        for state, share in self.states.items():
            joined = _join(state, one, other)
            if joined is state:
                _add(states, _without(state, gone), share)
                continue
            if _ends_meet(joined):
                self.joined += share * works
            elif works > 0:
                _add(states, _without(joined, gone), share * works)
            if works < 1:
                _add(states, _without(state, gone), share * (1 - works))
        self.states = {state: share for state, share in states.items() if share > NEGLIGIBLE and _alive(state)}

    def _meet(self, name: str) -> None:
        self._met.add(name)
        number = self._numbers[name] = len(self._numbers)
        works = self._network.of_broker(name)
        states: dict[_State, float] = {}
        for state, share in self.states.items():
            if works > 0:
                _add(states, (*state, (number,)), share * works)
            if works < 1:
                _add(states, state, share * (1 - works))
        self.states = states


def _add(states: dict[_State, float], state: _State, share: float) -> None:
    states[state] = states.get(state, 0.0) + share


def _join(state: _State, one: int, other: int) -> _State:
    """The state with two parts made one; the very same when nothing changes, since one of the two does not work."""
    first = next((part for part in state if one in part), None)
    second = next((part for part in state if other in part), None)
    if first is None or second is None or first is second:
        return state
    rest = [part for part in state if part is not first and part is not second]
    return tuple(sorted([*rest, tuple(sorted(first + second))]))


def _without(state: _State, gone: set[int]) -> _State:
    if not gone:
        return state
    kept = (tuple(number for number in part if number not in gone) for part in state)
    return tuple(sorted(part for part in kept if part))


def _ends_meet(state: _State) -> bool:
    return any(0 in part and 1 in part for part in state)


def _alive(state: _State) -> bool:
    """Both ends are on the border until they meet."""
    return sum(0 in part or 1 in part for part in state) == 2


def _ordered(network: Network, source: str) -> list[tuple[str, str]]:
    """Links in the order in which a search from the source meets their farther ends: the border stays small."""
    neighbours = network.neighbours()
    rank = {source: 0}
    queue = [source]
    for name in queue:
        for other in neighbours.get(name, ()):
            if other not in rank:
                rank[other] = len(rank)
                queue.append(other)
    reached = [ends for ends in network.links if ends[0] in rank]
    return sorted(reached, key=lambda ends: (max(rank[ends[0]], rank[ends[1]]), min(rank[ends[0]], rank[ends[1]])))


def _shortest(
    neighbours: Mapping[str, Sequence[str]], source: str, target: str, used: tuple[set[str], bool]
) -> tuple[str, ...] | None:
    """Fewest brokers, none that is taken; the direct link only once."""
    taken, direct = used
    ways: dict[str, tuple[str, ...]] = {source: (source,)}
    queue = [source]
    for name in queue:
        for other in neighbours.get(name, ()):
            if other in ways or other in taken or (direct and name == source and other == target):
                continue
            ways[other] = (*ways[name], other)
            if other == target:
                return ways[other]
            queue.append(other)
    return None
