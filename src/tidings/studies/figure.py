"""What a study shows: figures of numbers beside those of the paper, and of curves."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from tidings.plots.plot import Curve, Plot

__all__ = ["Curve", "Figure", "Finding", "Plot", "Value"]

Value: TypeAlias = float | int | str | None


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
