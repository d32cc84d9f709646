"""A plan: how far the network goes as it is, what hurts it most, and what one more link would help."""

from dataclasses import dataclass
from typing import Any, Final

from tidings.analysis.fragility import Fragile, fragile_parts
from tidings.analysis.limits import Limit, largest_load, slowest_brokers
from tidings.analysis.one_link import OneLink, best_links
from tidings.analysis.service_level import service_level
from tidings.scenario.unimplemented import refuse
from tidings.scenario.world import World

HOLDS: Final = "nothing is overloaded, and everybody gets what it requires"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Answers to four questions."""

    mean: float
    """Mean reliability as it is."""
    holds: bool
    state: str
    """Whether everything holds, and what does not."""
    load: Limit
    service: Limit
    fragile: tuple[Fragile, ...]
    links: tuple[OneLink, ...]

    def to_json(self) -> dict[str, Any]:
        """The document of `plan --json`."""
        return {
            "mean": self.mean,
            "holds": self.holds,
            "state": self.state,
            "load": self.load.to_json(),
            "service": self.service.to_json(),
            "fragile": [one.to_json() for one in self.fragile],
            "links": [one.to_json() for one in self.links],
        }


def plan(world: World) -> Plan:
    """Of a world, by prediction. Raises NotImplementedYet for what cannot be predicted."""
    refuse(world, "predict")
    level = service_level(world)
    return Plan(
        mean=level.mean,
        holds=level.holds,
        state=HOLDS if level.holds else level.complaint(),
        load=largest_load(world, level.predictor.roaming),
        service=slowest_brokers(world, level.predictor.roaming),
        fragile=fragile_parts(level),
        links=best_links(level),
    )
