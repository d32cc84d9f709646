"""Events addressed to brokers: what becomes of them on their way under every scheme but `tree`."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, cast, get_args

import numpy as np

from tidings.analysis.crossing import Crossing, crossings, expected_links
from tidings.analysis.delay_law import DelayLaw, TimeGrid, delay_of, no_delay
from tidings.analysis.failures import Failures
from tidings.analysis.flows import Flow, Traffic
from tidings.analysis.interest import share_of
from tidings.analysis.list_outcomes import Lists, list_outcomes
from tidings.analysis.outcomes import Cases, Ends, MixedDelay, Outcomes
from tidings.analysis.way_outcomes import oracle_outcomes, way_outcomes
from tidings.routing.link_quality import LinkQuality
from tidings.routing.list_plans import Picture
from tidings.routing.way_plans import Scheme, WayPlans
from tidings.scenario.world import World
from tidings.vocabulary.distribution import Distribution
from tidings.vocabulary.instant import FOREVER, SECOND

_PAUSES_NS: Final = 3.1 * SECOND
"""A broker that nobody takes an event from waits and tries again, five times: so long altogether."""


@dataclass(frozen=True)
class Addressed:
    """Of one world."""

    world: World
    failures: Failures

    def outcomes(self, publisher: str, origin: str, destination: str) -> Outcomes:
        """Of an event of a publisher that its broker has."""
        key = publisher if self.world.routing.scheme == "dcrd" else "", origin, destination
        if key not in self._known:
            self._known[key] = self._find(publisher, origin, destination)
        return self._known[key]

    def delay(self, grid: TimeGrid, found: Outcomes) -> MixedDelay:
        """Of what arrives."""
        total = found.arrives
        if total <= 0:
            return MixedDelay([Cases(np.ones(1), np.zeros(1), no_delay(grid))])
        groups: dict[tuple[Ends, ...], list[tuple[float, float]]] = {}
        for case in found.cases:
            random = tuple(sorted(ends for ends in case.crossed if self._law(ends) is not None))
            constant = sum(self._crossings[ends].delay_ns for ends in case.crossed if self._law(ends) is None)
            groups.setdefault(random, []).append((constant + case.waited_ns, case.probability / total))
        parts = []
        for random, cases in groups.items():
            law = no_delay(grid)
            for ends in random:
                law = law.plus(self._on(grid, ends))
            constants, shares = (np.array(column) for column in zip(*sorted(cases), strict=True))
            parts.append(Cases(shares, constants, law))
        return MixedDelay(parts)

    def traffic(self, flows: Sequence[Flow], entering: Mapping[str, float]) -> Traffic:
        """Copies everywhere: those for several brokers behind one link are one copy, and share what becomes of it."""
        arriving: dict[str, float] = {}
        over: dict[Ends, float] = {}
        by_flow = []
        for flow in flows:
            here = flow.rate * entering[flow.source.example.id]
            rates = {flow.source.broker: here}
            for ends, share in self._used(flow).items():
                over[ends] = over.get(ends, 0.0) + here * share
                one = self._crossings[ends]
                rates[ends[1]] = rates.get(ends[1], 0.0) + here * share * one.works * (1 - one.loss)
            for broker, rate in rates.items():
                arriving[broker] = arriving.get(broker, 0.0) + rate
            by_flow.append(rates)
        return Traffic(arriving, over, over, by_flow)

    def _used(self, flow: Flow) -> dict[Ends, float]:
        """Copies over each link for each event: at least once for what any of the brokers behind it wants."""
        unused: dict[Ends, float] = {}
        for broker, wanted in flow.interest.unions.items():
            share = share_of(flow.interest.contents, wanted)
            if broker == flow.source.broker or share <= 0:
                continue
            for ends, copies in self.outcomes(flow.source.example.id, flow.source.broker, broker).sent.items():
                unused[ends] = unused.get(ends, 1.0) * (1 - share * min(copies, 1.0))
        return {ends: 1 - left for ends, left in unused.items()}

    def _find(self, publisher: str, origin: str, destination: str) -> Outcomes:
        scheme = self.world.routing.scheme
        if scheme == "oracle":
            return oracle_outcomes(origin, destination, self._crossings)
        if scheme in get_args(Scheme):
            ways = self._plans(origin).ways(self._links, [destination]).get(destination, ())
            return way_outcomes([(origin, *way) for way in ways], self._crossings)
        lists = self._picture.lists(origin, publisher, destination)
        return list_outcomes(
            origin,
            destination,
            Lists(
                order=lambda here: lists.order(here, destination),
                crossing=self._crossings,
                transmissions=self.world.routing.transmissions,
                stranded_ns=self._stranded_ns,
            ),
        )

    @cached_property
    def _stranded_ns(self) -> float | None:
        """What failed is back after a repair, in the mean; None when nobody waits so long, or it is no matter of waiting."""
        parts = [one for one in [*self.failures.links.values(), *self.failures.brokers.values()] if one is not None]
        repairs = [one.down_mean if one.up_mean > 0 else math.inf for one in parts]
        longest = max(repairs, default=0.0)
        return longest if 0 < longest <= _PAUSES_NS else None

    @cached_property
    def _known(self) -> dict[tuple[str, str, str], Outcomes]:
        return {}

    @cached_property
    def _crossings(self) -> dict[Ends, Crossing]:
        return crossings(self.world, self.failures)

    @cached_property
    def _links(self) -> Mapping[Ends, LinkQuality]:
        return expected_links(self.world, self.failures)

    @cached_property
    def _picture(self) -> Picture:
        brokers = [one.id for one in self.world.brokers]
        return Picture(brokers, self._links, most_impatient(self.world), self.world.routing.transmissions)

    @cached_property
    def _planned(self) -> dict[str, WayPlans]:
        return {}

    def _plans(self, origin: str) -> WayPlans:
        if origin not in self._planned:
            brokers = [one.id for one in self.world.brokers]
            self._planned[origin] = WayPlans(cast("Scheme", self.world.routing.scheme), brokers, origin)
        return self._planned[origin]

    @cached_property
    def _laws(self) -> dict[Ends, Distribution | None]:
        return {
            ends: link.law.delay if link.law.delay is not None and link.law.delay.variance > 0 else None
            for link in self.world.links
            for ends in (link.between, link.between[::-1])
        }

    def _law(self, ends: Ends) -> Distribution | None:
        return self._laws[ends]

    @cached_property
    def _delays(self) -> dict[tuple[TimeGrid, Ends], DelayLaw]:
        return {}

    def _on(self, grid: TimeGrid, ends: Ends) -> DelayLaw:
        law = self._laws[ends]
        assert law is not None
        if (grid, ends) not in self._delays:
            self._delays[grid, ends] = delay_of(grid, law)
        return self._delays[grid, ends]


def most_impatient(world: World) -> dict[str, dict[str, int]]:
    """By publisher and broker, within what time the most impatient client there wants its events; absent: any."""
    found: dict[str, dict[str, int]] = {one.id: {} for one in world.publishers}
    for publisher in world.publishers:
        at = found[publisher.id]
        for one in world.subscribers:
            deadline = min(one.deadlines.get(publisher.id, one.deadline_ns), publisher.lifetime_ns)
            if deadline < FOREVER:
                at[one.broker] = min(deadline, at.get(one.broker, deadline))
    return found
