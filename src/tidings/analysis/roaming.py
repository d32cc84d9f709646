"""Subscribers that move: how much of their time they belong to which broker, and what waits for them there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from tidings.analysis.begun_presence import Begun, begun_presence
from tidings.analysis.coverage import Floats
from tidings.analysis.delay_law import DelayLaw, TimeGrid, mixture
from tidings.analysis.phase_laws import steady
from tidings.analysis.presence import Latency, Presence, mixed, steady_presence
from tidings.analysis.timeline import Timeline, known_presence
from tidings.analysis.walk_graph import WalkGraph
from tidings.analysis.walk_models import walks_of
from tidings.scenario.world import Subscriber, World
from tidings.vocabulary.distribution import Constant
from tidings.vocabulary.instant import DAY, MINUTE
from tidings.vocabulary.overlay import Overlay

Models: TypeAlias = Sequence[tuple[float, Timeline | Begun | Presence]]

_NEARLY_ALL: Final = 0.999
_WIDER: Final = 4.0


@dataclass(frozen=True)
class Roaming:
    """All who roam in a world."""

    world: World

    @property
    def keeps(self) -> bool:
        """True when events wait for those who are out of reach; else they are lost to them."""
        return self.world.handoff is not None and self.world.handoff.scheme != "none"

    @property
    def any(self) -> bool:
        """True when anybody roams."""
        return any(one.mobility is not None for one in self.world.subscribers)

    @property
    def farthest(self) -> float:
        """The longest reach of all."""
        return max(self.reach(one) for one in self.world.subscribers if one.mobility is not None)

    def places(self, subscriber: Subscriber) -> Mapping[str, float]:
        """Share of the time that each broker takes events for a subscriber."""
        if subscriber.mobility is None:
            return {subscriber.broker: 1.0}
        here = self.presence(subscriber)
        shares = here.attached + here.away if self.keeps else here.attached
        return {
            broker.id: share for broker, share in zip(self.world.brokers, shares.tolist(), strict=True) if share > 0
        }

    def comes(self, subscriber: Subscriber) -> bool:
        """True when it is ever attached."""
        return bool(self.presence(subscriber).attached.any())

    def wait(self, subscriber: Subscriber, broker: str, grid: TimeGrid, ever: float = 1.0) -> DelayLaw:
        """From the arrival of an event at the broker until the subscriber is attached, given that this is `ever` so.

        What takes longer than the grid is missing, and so is what never ends when that is not told.
        """
        here, number = self.presence(subscriber), self._numbers[broker]
        attached, away = float(here.attached[number]), float(here.away[number])
        masses = self._waits(subscriber, grid) * (away / float(here.away.sum()) if away > 0 else 0.0)
        masses, atom = masses / ((attached + away) * ever), attached / ((attached + away) * ever)
        total = float(masses.sum()) + atom
        mean = float(masses @ grid.times) / total if total > 0 else 0.0
        square = float(masses @ grid.times**2) / total if total > 0 else 0.0
        masses[0] += atom
        return mixture(grid, masses, atom, mean, max(square - mean**2, 0.0))

    def ever(self, subscriber: Subscriber, broker: str) -> float:
        """Of what comes to the broker for it, what it is there for sooner or later."""
        here, number = self.presence(subscriber), self._numbers[broker]
        attached, away = float(here.attached[number]), float(here.away[number])
        returns = here.returns / float(here.away.sum()) if away > 0 else 1.0
        return (attached + away * returns) / (attached + away)

    def reach(self, subscriber: Subscriber) -> float:
        """A time by which hardly anything waits that will not wait for ever."""
        here = self.presence(subscriber)
        if id(here) not in self._reaches:
            reach = float(MINUTE)
            while reach < DAY and self._waits(subscriber, TimeGrid(reach)).sum() < _NEARLY_ALL * here.returns:
                reach *= _WIDER
            self._reaches[id(here)] = min(reach, float(DAY))
        return self._reaches[id(here)]

    def presence(self, subscriber: Subscriber) -> Presence:
        """Of one subscriber; those alike are worked out once."""
        key = self._key(subscriber)
        if key not in self._known:
            self._known[key] = self._find(subscriber)
        return self._known[key]

    # ---- found once

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {broker.id: number for number, broker in enumerate(self.world.brokers)}

    @cached_property
    def _known(self) -> dict[object, Presence]:
        return {}

    @cached_property
    def _models(self) -> dict[str, Models]:
        return {}

    @cached_property
    def _reaches(self) -> dict[int, float]:
        return {}

    @cached_property
    def _waiting(self) -> dict[object, Floats]:
        return {}

    def _key(self, subscriber: Subscriber) -> object:
        return repr(subscriber.mobility), subscriber.broker

    def _waits(self, subscriber: Subscriber, grid: TimeGrid) -> Floats:
        here = self.presence(subscriber)
        key = id(here), grid
        if key not in self._waiting:
            self._waiting[key] = here.waits(grid)
        return self._waiting[key]

    def _find(self, subscriber: Subscriber) -> Presence:
        return mixed([(weight, self._of_walk(walk, subscriber)) for weight, walk in self._walks(subscriber)])

    def _walks(self, subscriber: Subscriber) -> Models:
        """Of a model; those that have no beginning are the same for everybody."""
        assert subscriber.mobility is not None
        assert self.world.map is not None
        key = repr(subscriber.mobility)
        if key not in self._models:
            lives = max((one.lifetime_ns for one in self.world.publishers), default=0)
            until = float(self.world.duration_ns + min(lives, DAY))
            points = len(self.world.brokers)
            self._models[key] = [
                (weight, steady_presence(steady(walk), points, self._latency) if isinstance(walk, WalkGraph) else walk)
                for weight, walk in walks_of(subscriber.mobility, self.world.map, until)
            ]
        return self._models[key]

    def _of_walk(self, walk: Timeline | Begun | Presence, subscriber: Subscriber) -> Presence:
        if isinstance(walk, Presence):
            return walk
        points = len(self.world.brokers)
        window = float(self.world.duration_ns), self._numbers[subscriber.broker]
        if isinstance(walk, Timeline):
            return known_presence(walk, points, self._latency, window)
        return begun_presence(walk, points, self._latency, window)

    @cached_property
    def _latency(self) -> Latency:
        handoff = self.world.handoff
        law = Constant(0.0) if handoff is None or handoff.latency is None else handoff.latency
        ahead = handoff is not None and handoff.scheme == "proactive"
        return Latency(law, 0.0 if ahead else self._round_trip)

    @property
    def _round_trip(self) -> float:
        """In the mean, to another broker and back: any of them is as likely as any other."""
        names = tuple(broker.id for broker in self.world.brokers)
        delays = tuple(link.law.mean_delay_ns for link in self.world.links)
        distances = Overlay(names, tuple(link.between for link in self.world.links), delays).distance_matrix()
        joined = distances[np.isfinite(distances)]
        return 2 * float(joined.mean()) if joined.size else 0.0
