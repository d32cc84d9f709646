"""How well a whole world is served: what plans compare."""

from dataclasses import dataclass
from typing import Final

from tidings.analysis.blame import Blame
from tidings.analysis.path_delays import link_load
from tidings.analysis.predicting import Ground, PredictOptions, Predictor, payloads_of
from tidings.analysis.roaming import Roaming
from tidings.scenario.world import Subscriber, World

_ADDRESSED_MAX: Final = 20


@dataclass(frozen=True)
class ServiceLevel:
    """Of one world, by one prediction."""

    world: World
    predictor: Predictor

    @property
    def mean(self) -> float:
        """Mean reliability over all subscribers; 1 without any."""
        shares = [self.predictor.audience.reliability(one) for one in self.world.subscribers]
        return sum(shares) / len(shares) if shares else 1.0

    @property
    def unmet(self) -> tuple[Subscriber, ...]:
        """Who gets less than it requires, the one that misses most first."""
        lacking = {
            one.id: one.requires - self.predictor.audience.reliability(one)
            for one in self.world.subscribers
            if one.requires is not None
        }
        found = [one for one in self.world.subscribers if lacking.get(one.id, 0.0) > 0]
        return tuple(sorted(found, key=lambda one: -lacking[one.id]))

    @property
    def overloaded(self) -> tuple[str, ...]:
        """Brokers, then links (`a>b`), that get more than they can carry."""
        predictor = self.predictor
        payloads = payloads_of(predictor.flows)
        links = [
            f"{step[0]}>{step[1]}"
            for step, rate in predictor.traffic.over.items()
            if link_load(predictor.trees.links[step].law, rate, payloads) >= 1
        ]
        return (*(name for name, wait in predictor.waits.items() if wait.station.load >= 1), *links)

    @property
    def holds(self) -> bool:
        """True when nothing is overloaded and everybody gets what it requires."""
        return not self.overloaded and not self.unmet

    def complaint(self) -> str:
        """What does not hold, and why."""
        if self.overloaded:
            return f"{self.overloaded[0]} gets more than it can carry"
        one, *others = self.unmet
        more = f" and {len(others)} more below theirs" if others else ""
        share = self.predictor.audience.reliability(one)
        cause = Blame(self.predictor).cause(one)
        return f"{one.id} gets {share:.4f} of the {one.requires:.4f} that it requires{more}: {cause}"


def service_level(world: World, roaming: Roaming | None = None) -> ServiceLevel:
    """Of a world; `roaming` is known where the same subscribers move among the same brokers."""
    options = PredictOptions()
    ground = Ground(world, options, roaming=roaming)
    return ServiceLevel(world, Predictor(world, options, ground=ground))


def tried_max(world: World, most: int) -> int:
    """How many changes of a world are tried: fewer where each prediction follows every case of what works."""
    return most if world.routing.scheme == "tree" else min(most, _ADDRESSED_MAX)
