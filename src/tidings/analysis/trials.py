"""Predictions of one world with other subscribers in it: what deciding whom to admit, and where, is made of.

Nobody gains when somebody joins: more subscribers are more load. So whoever is not served well enough as a mere listener
will not be when there, and a set that cannot be served is not served with more in it. All that decides relies on this.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from tidings.analysis.predicting import Ground, PredictOptions, Predictor, share_of_time
from tidings.scenario.world import Subscriber, World

_RECENT_MAX: Final = 4


@dataclass(frozen=True)
class Trial:
    """The world with some of its subscribers there."""

    members: Sequence[Subscriber]
    predictor: Predictor

    def reliability(self, subscriber: Subscriber) -> float:
        """Of a member; of anybody else what a listener would get, who adds to no load: it will not be more."""
        return self.predictor.audience.reliability(subscriber)

    def serves(self, subscriber: Subscriber) -> bool:
        """True when it gets what it requires; who requires nothing always does."""
        return subscriber.requires is None or self.reliability(subscriber) >= subscriber.requires

    @cached_property
    def unserved(self) -> tuple[Subscriber, ...]:
        """Members that get less than they require."""
        return tuple(one for one in self.members if not self.serves(one))

    @property
    def holds(self) -> bool:
        """True when every member gets what it requires."""
        return all(self.serves(one) for one in self.members)


class Trials:
    """One world's trials; all verdicts are remembered, but few predictions, since each takes megabytes."""

    def __init__(self, world: World, options: PredictOptions | None = None, *, ground: Ground | None = None) -> None:
        self.world = world
        self._options = options or PredictOptions()
        self.ground = Ground(world, self._options) if ground is None else ground.joined(world)
        self._verdicts: dict[frozenset[str], bool] = {}
        self._recent: dict[tuple[frozenset[str], float | None], Trial] = {}
        self.predictions = 0
        """How many were made."""

    def of(self, members: Iterable[str], subscriptions: float | None = None) -> Trial:
        """With only these there; `subscriptions` is how many brokers know, where that is another number."""
        key = frozenset(members), subscriptions
        found = self._recent.pop(key, None)
        if found is None:
            there = tuple(one for one in self.world.subscribers if one.id in key[0])
            found = self.among(there, subscriptions)
        self._recent[key] = found
        if len(self._recent) > _RECENT_MAX:
            del self._recent[next(iter(self._recent))]
        return found

    def holds(self, members: Iterable[str]) -> bool:
        """Whether all of them get what they require."""
        there = frozenset(members)
        if there not in self._verdicts:
            self._verdicts[there] = self.of(there).holds
        return self._verdicts[there]

    def among(self, members: Sequence[Subscriber], subscriptions: float | None = None) -> Trial:
        """With these; they may be at other brokers than in the world, as long as their filters are of it."""
        self.predictions += 1
        world = replace(self.world, subscribers=tuple(members))
        return Trial(members, Predictor(world, self._options, ground=self.ground, subscriptions=subscriptions))

    @cached_property
    def by_id(self) -> Mapping[str, Subscriber]:
        """The world's subscribers."""
        return {one.id: one for one in self.world.subscribers}

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """By subscriber, the share of the run that it is there."""
        return {one.id: share_of_time(one, self.world.duration_ns) for one in self.world.subscribers}
