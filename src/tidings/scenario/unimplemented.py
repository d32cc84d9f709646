"""The one list of what the contract knows and a verb does not do yet. It only ever gets shorter."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tidings.errors import NotImplementedYet
from tidings.scenario.promise_tables import ACROSS_TOPICS
from tidings.scenario.world import World


@dataclass(frozen=True, slots=True)
class Gap:
    """A key of which a verb implements less than the contract knows."""

    verb: str
    key: str
    implemented: str
    missing: Callable[[World], object]
    """The value that is not implemented, None where there is nothing to complain about."""


def refuse(world: World, verb: str) -> None:
    """Raise NotImplementedYet, with key, value and what is implemented, if `verb` cannot do all of `world` yet."""
    for gap in GAPS:
        value = gap.missing(world) if gap.verb == verb else None
        if value is not None:
            raise NotImplementedYet(
                world.file, gap.key, value, f"not implemented yet in {verb}, which does {gap.implemented}"
            )


def _unless(value: object, *implemented: object) -> object:
    return None if value in implemented else value


def _only(value: object, *missing: object) -> object:
    return value if value in missing else None


def _kept_elsewhere(world: World) -> object:
    kept = world.routing.scheme != "tree" and world.reliability.mechanism != "none"
    return world.reliability.mechanism if kept else None


def _working_elsewhere(world: World) -> object:
    if world.routing.scheme == "tree":
        return None
    return next((one.id for one in world.brokers if one.service is not None and one.service.law.mean > 0), None)


def _narrow_elsewhere(world: World) -> object:
    if world.routing.scheme == "tree":
        return None
    return next((one.law.bandwidth_bps for one in world.links if one.law.bandwidth_bps is not None), None)


def _ordered_elsewhere(world: World) -> object:
    """An order's names have ways along trees."""
    across = world.ordering.guarantee in ACROSS_TOPICS and world.routing.scheme != "tree"
    return world.ordering.guarantee if across else None


def _mobile_elsewhere(world: World) -> object:
    """Hand-off is done around brokers that route along trees."""
    if world.routing.scheme == "tree":
        return None
    return next((one.mobility.model for one in world.subscribers if one.mobility is not None), None)


def _mobile_in_order(world: World) -> object:
    """An order's messages are for names at one broker."""
    if world.ordering.guarantee not in ACROSS_TOPICS:
        return None
    return next((one.mobility.model for one in world.subscribers if one.mobility is not None), None)


def _unreliable(world: World) -> object:
    return (
        world.ordering.mode if world.ordering.guarantee in ACROSS_TOPICS and world.ordering.mode != "reliable" else None
    )


GAPS: Final = (
    Gap("predict", "routing.scheme", "all but this", lambda world: _only(world.routing.scheme, "dcrd+")),
    Gap("predict", "reliability.mechanism", '"none" with this scheme', _kept_elsewhere),
    Gap("predict", "broker.service", "brokers that take no time with this scheme", _working_elsewhere),
    Gap("predict", "link.bandwidth", "links without a limit with this scheme", _narrow_elsewhere),
    Gap("predict", "subscriber.mobility", 'roaming under routing.scheme = "tree" without buffering', _mobile_elsewhere),
    Gap(
        "predict",
        "ordering.guarantee",
        '"none" and "fifo"',
        lambda world: _unless(world.ordering.guarantee, "none", "fifo"),
    ),
    Gap("simulate", "reliability.mechanism", '"none" with this scheme', _kept_elsewhere),
    Gap("simulate", "ordering.guarantee", '"none" and "fifo" with this scheme', _ordered_elsewhere),
    Gap("simulate", "subscriber.mobility", "an order across topics for subscribers that stay", _mobile_in_order),
    Gap("simulate", "ordering.mode", '"reliable"', _unreliable),
    Gap("simulate", "subscriber.mobility", 'roaming under routing.scheme = "tree"', _mobile_elsewhere),
)
