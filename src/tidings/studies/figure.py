"""What a study shows: figures of numbers beside those of the paper, and of curves."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Value: TypeAlias = float | int | str | None
Style: TypeAlias = Literal["line", "steps", "points", "bars", "ranges"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One number: what the paper says of it (None: nothing) and what came out here."""

    what: str
    paper: Value
    ours: Value
    low: float | None = None
    """Lower end of the 95 % interval of ours; None where there is none."""
    high: float | None = None

    def document(self) -> dict[str, Value]:
        """As in JSON; the interval only where there is one."""
        row: dict[str, Value] = {"what": self.what, "paper": self.paper, "ours": self.ours}
        return row if self.low is None else {**row, "low": self.low, "high": self.high}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of a paper, or one of ours."""

    name: str
    """Short, unique within its study: `fig3`."""
    title: str
    findings: tuple[Finding, ...]
    plots: tuple[Plot, ...] = ()

    def document(self) -> list[dict[str, Any]]:
        """The findings as in JSON."""
        return [finding.document() for finding in self.findings]
