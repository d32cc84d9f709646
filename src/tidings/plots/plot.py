"""What a plot shows: curves over common axes, as plain values."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Style: TypeAlias = Literal["line", "steps", "points", "bars", "ranges"]


@dataclass(frozen=True, slots=True)
class Curve:
    """Points that belong together; x and y have one length."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    style: Style = "line"
    low: tuple[float, ...] = ()
    """With `high` of one length with y: a range around each point."""
    high: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        assert len(self.x) == len(self.y), f"{self.name}: {len(self.x)} x and {len(self.y)} y"
        assert len(self.low) == len(self.high), f"{self.name}: {len(self.low)} low and {len(self.high)} high"
        assert len(self.low) in (0, len(self.y)), f"{self.name}: {len(self.low)} ranges and {len(self.y)} y"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """Curves over common axes."""

    title: str
    x: str
    """What the horizontal axis shows, with its unit."""
    y: str
    curves: tuple[Curve, ...]
    x_log: bool = False
    y_log: bool = False
    categories: tuple[str, ...] = ()
    """Words under x = 0, 1, 2 …, instead of numbers."""
