"""The bare form of an overlay, before laws are put on it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

BROKERS_MAX: Final = 100_000
MESH_MAX: Final = 2_000
"""Most brokers that are linked each with each: two million links."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Brokers and links; delays only where the form itself says them."""

    brokers: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    """Each pair once, in the order of the brokers, no broker to itself."""
    delays_ns: tuple[float, ...] | None = None
    """One for each link, whole nanoseconds; None: the scenario's link law says them."""
    sites: Mapping[str, str] = field(default_factory=dict)
    """Site by broker; empty: no sites."""


def shape_of(count: int, pairs: list[tuple[int, int]]) -> Shape:
    """Brokers `b0`, `b1`, … and the given links between their numbers, sorted."""
    names = tuple(f"b{place}" for place in range(count))
    ordered = sorted((min(pair), max(pair)) for pair in pairs)
    return Shape(brokers=names, links=tuple((names[one], names[other]) for one, other in ordered))
