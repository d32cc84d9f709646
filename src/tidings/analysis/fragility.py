"""What hurts most when it fails: each broker and link in turn taken away for good."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from tidings.analysis.components import availability
from tidings.analysis.service_level import ServiceLevel, service_level, tried_max
from tidings.scenario.world import OutageLaw, World
from tidings.vocabulary.distribution import Constant
from tidings.vocabulary.instant import SECOND

PARTS_MAX: Final = 100
"""Of more brokers and links only the busiest are tried."""
Part: TypeAlias = str | tuple[str, str]
_NEVER: Final = OutageLaw(up=Constant(0.0), down=Constant(float(SECOND)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragile:
    """One broker or link."""

    component: str
    """A broker, or a link as `a>b`."""
    availability: float
    """Share of time that it works."""
    without: float
    """Mean reliability while it is down for good."""
    loss: float
    """How much less that is than with it as it is."""
    reason: str

    @property
    def expected_loss(self) -> float:
        """Of mean reliability, by the time that it is down."""
        return self.loss * (1 - self.availability)

    def to_json(self) -> dict[str, Any]:
        """As `plan --json` prints it."""
        return {
            "component": self.component,
            "availability": self.availability,
            "without": self.without,
            "loss": self.loss,
            "expected_loss": self.expected_loss,
            "reason": self.reason,
        }


def fragile_parts(level: ServiceLevel) -> tuple[Fragile, ...]:
    """What costs most first: by the time that it is down and what is lost then, where anything fails at all."""
    found = [_without(level, part, rate) for part, rate in _busiest(level).items()]
    fails = any(one.availability < 1 for one in found)
    return tuple(sorted(found, key=lambda one: -(one.expected_loss if fails else one.loss)))


def _busiest(level: ServiceLevel) -> Mapping[Part, float]:
    """Brokers and links with their rates, both directions of a link together."""
    traffic = level.predictor.traffic
    rates: dict[Part, float] = {one.id: traffic.arriving.get(one.id, 0.0) for one in level.world.brokers}
    for link in level.world.links:
        one, other = link.between
        rates[one, other] = traffic.over.get((one, other), 0.0) + traffic.over.get((other, one), 0.0)
    kept = sorted(rates.items(), key=lambda item: -item[1])[: tried_max(level.world, PARTS_MAX)]
    return dict(kept)


def _without(level: ServiceLevel, part: Part, rate: float) -> Fragile:
    failures = level.predictor.failures
    one = failures.brokers[part] if isinstance(part, str) else failures.links[part]
    name = part if isinstance(part, str) else f"{part[0]}>{part[1]}"
    kind = "broker" if isinstance(part, str) else "link"
    mean, without = level.mean, service_level(taken_away(level.world, part), level.predictor.roaming).mean
    passing = f"{rate * SECOND:.4g} events/s pass it"
    return Fragile(
        component=name,
        availability=availability(one),
        without=without,
        loss=mean - without,
        reason=f"without {kind} {name} {without:.4f} of what is wanted comes on time, in the mean, instead of {mean:.4f}: {passing}",
    )


def taken_away(world: World, part: Part) -> World:
    """With this broker or link down for good."""
    brokers = tuple(replace(one, outages=_NEVER) if one.id == part else one for one in world.brokers)
    links = tuple(replace(one, outages=_NEVER) if one.between == part else one for one in world.links)
    return replace(world, brokers=brokers, links=links)
