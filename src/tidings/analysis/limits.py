"""How far it goes: the largest load, and the slowest brokers, with which everybody is still served."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from tidings.analysis.broker_waits import scaled
from tidings.analysis.roaming import Roaming
from tidings.analysis.service_level import ServiceLevel, service_level
from tidings.scenario.world import World

FACTOR_MAX: Final = 1024.0
"""Neither more nor less than by this factor."""
_CLOSE: Final = 1.005


@dataclass(frozen=True, slots=True)
class Limit:
    """The largest factor with which everything holds; None: with none, or whatever the factor."""

    factor: float | None
    reason: str

    def to_json(self) -> dict[str, Any]:
        """As `plan --json` prints it."""
        return {"factor": self.factor, "reason": self.reason}


def largest_load(world: World, roaming: Roaming | None = None) -> Limit:
    """By which factor all publishers may publish more often."""
    fixed = next((one.id for one in world.publishers if one.every is None or one.profile is not None), None)
    if fixed is not None:
        return Limit(None, f"{fixed} publishes as it was recorded, which no factor changes")
    if not world.publishers:
        return Limit(None, "nobody publishes")
    return _largest(lambda factor: service_level(busier(world, factor), roaming), "as many events")


def slowest_brokers(world: World, roaming: Roaming | None = None) -> Limit:
    """By which factor all brokers may work longer on each event; below 1 they have to be faster."""
    if all(one.service is None or one.service.law.mean <= 0 for one in world.brokers):
        return Limit(None, "no broker takes any time")
    return _largest(lambda factor: service_level(slower(world, factor), roaming), "the time for each event")


def busier(world: World, factor: float) -> World:
    """With so many times the events."""
    publishers = tuple(
        one if one.every is None else replace(one, every=scaled(one.every, 1 / factor)) for one in world.publishers
    )
    return replace(world, publishers=publishers)


def slower(world: World, factor: float) -> World:
    """With brokers that work so many times as long."""
    brokers = tuple(
        one if one.service is None else replace(one, service=replace(one.service, law=scaled(one.service.law, factor)))
        for one in world.brokers
    )
    return replace(world, brokers=brokers)


def _largest(level_with: Callable[[float], ServiceLevel], what: str) -> Limit:
    low = high = 1.0
    while not level_with(low).holds:
        high, low = low, low / 2
        if low < 1 / FACTOR_MAX:
            return Limit(None, f"not even with a thousandth of that: {level_with(low).complaint()}")
    while high <= low:
        high = 2 * low
        if high > FACTOR_MAX:
            return Limit(None, f"everything still holds with {FACTOR_MAX:,.0f} times {what}")
        if level_with(high).holds:
            low = high
    while high / low > _CLOSE:
        middle = (low * high) ** 0.5
        if level_with(middle).holds:
            low = middle
        else:
            high = middle
    return Limit(low, f"with {high:.3f} times {what} {level_with(high).complaint()}")
