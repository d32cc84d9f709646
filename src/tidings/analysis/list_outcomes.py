"""What becomes of an event under sending lists (DCRD, III-D), by following every case as far as it is likely enough.

A broker tries the neighbours of its list one after the other, each for as long as an answer is awaited; when none is left the
event goes back to whom it came from. Whether a link works is drawn when it is first tried, and then known: what is down stays so
while one event is under way. An event for which nobody is left to try waits; it arrives when what failed is back, if its
broker is patient enough.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from tidings.analysis.crossing import Crossing
from tidings.analysis.outcomes import Ends, Outcome, Outcomes

NEGLIGIBLE: Final = 2e-6
"""Cases less likely than this are not followed: they count as stranded."""

Order: TypeAlias = Callable[[str], tuple[str, ...]]
"""Whom a broker tries, best first."""


@dataclass(frozen=True, slots=True)
class _Case:
    """How far one event has come."""

    probability: float
    here: str
    path: tuple[str, ...] = ()
    """The walk by which it came here."""
    tried: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By broker: neighbours that did not answer, or gave it back."""
    known: Mapping[frozenset[str], bool] = field(default_factory=dict)
    crossed: tuple[Ends, ...] = ()
    waited_ns: float = 0.0

    def next_hop(self, order: tuple[str, ...]) -> str | None:
        """As a broker chooses it: the next of its list, else whoever stands in the walk before it; None: nobody is left."""
        tried = self.tried.get(self.here, ())
        for name in order:
            if name not in tried and name not in self.path:
                return name
        place = self.path.index(self.here) if self.here in self.path else len(self.path)
        upstream = self.path[place - 1] if place else None
        return None if upstream in tried else upstream


@dataclass(frozen=True, slots=True)
class Lists:
    """The sending lists of all brokers for one destination, and what each link is good for."""

    order: Order
    crossing: Mapping[Ends, Crossing]
    transmissions: int
    stranded_ns: float | None
    """How long an event waits that nobody can be sent; None: it is given up."""


def list_outcomes(origin: str, destination: str, lists: Lists) -> Outcomes:
    """Every case that is likely enough."""
    found: list[Outcome] = []
    sent: dict[Ends, float] = {}
    left = [_Case(1.0, origin)]
    while left:
        case = left.pop()
        if case.here == destination:
            found.append(Outcome(case.probability, case.crossed, case.waited_ns))
            continue
        hop = case.next_hop(lists.order(case.here)) if case.probability > NEGLIGIBLE else None
        if hop is not None:
            left += _tried(case, hop, lists, sent)
        elif lists.stranded_ns is not None:
            found.append(Outcome(case.probability, case.crossed, case.waited_ns + lists.stranded_ns))
    return Outcomes(found, sent)


def _tried(case: _Case, hop: str, lists: Lists, sent: dict[Ends, float]) -> list[_Case]:
    """What comes of sending it to one neighbour: it is there after one, two … transmissions, or not at all."""
    ends = case.here, hop
    link, pair = lists.crossing[ends], frozenset(ends)
    state = case.known.get(pair)
    works = link.works if state is None else float(state)
    known = {**case.known, pair: True}
    path = (*case.path, case.here)
    gone, waited, found = case.probability * works, case.waited_ns, []
    sent[ends] = sent.get(ends, 0.0) + case.probability * (1 - works) * lists.transmissions
    back = hop in case.path
    there = {**case.tried, hop: (*case.tried.get(hop, ()), case.here)} if back else case.tried
    for _ in range(lists.transmissions):
        sent[ends] += gone
        arrived = gone * (1 - link.loss)
        if arrived > 0:
            found.append(_Case(arrived, hop, path, there, known, (*case.crossed, ends), waited))
        gone -= arrived
        waited += link.patience_ns
    lost = case.probability * (1 - works) + gone
    if lost > 0:
        tried = {**case.tried, case.here: (*case.tried.get(case.here, ()), hop)}
        found.append(replace(case, probability=lost, tried=tried, known={**case.known, pair: False}, waited_ns=waited))
    return found
