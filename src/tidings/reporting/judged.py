"""One folder as a report knows it: what was found, what is broken, what had been predicted, what it looked like."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tidings.checking import AuditReport
from tidings.reporting.comparison import Comparison
from tidings.reporting.overlay_map import OverlayMap

ORDER_COUNTS: Final = ("fifo_inversions", "order_conflicts", "order_cycles", "causal_inversions")
_PROMISED: Final[Mapping[str, Sequence[str]]] = {"fifo": ("fifo_inversions",), "total": ("order_conflicts",)}
"""By guarantee, the counts that it is about; of the others all."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One run, or several of one scenario."""

    name: str
    report: AuditReport
    broken: Sequence[str] = ()
    guarantee: str = "none"
    comparison: Comparison | None = None
    not_predicted: str | None = None
    """Why there is nothing to compare with."""
    judged_by: str = "plain"
    overlay: OverlayMap | None = None
    notes: Sequence[str] = field(default_factory=tuple)

    def order(self) -> Mapping[str, int]:
        """The counts that say how well order was kept."""
        return {name: getattr(self.report, name) for name in ORDER_COUNTS}

    def violations(self, guarantee: str) -> int:
        """How often what `guarantee` is about was not so, whether it was promised or not."""
        return sum(getattr(self.report, name) for name in _PROMISED.get(guarantee, ORDER_COUNTS))

    def delay_s(self, share: float) -> float | None:
        """The delay that `share` of the first showings did not exceed, to a sixteenth."""
        total = sum(self.report.delays.values())
        passed = 0
        for least, count in sorted(self.report.delays.items()):
            passed += count
            if passed >= share * total:
                return least / 1e9
        return None

    def document(self) -> dict[str, Any]:
        """What `audit --json` prints of it."""
        found = self.report.to_json()
        if self.comparison is not None:
            for row in self.comparison.rows:
                found["subscribers"][row.subscriber]["predicted"] = row.predicted
        return {
            **found,
            "prediction": None if self.comparison is None else self.comparison.to_json(),
            "not_predicted": self.not_predicted,
            "broken": list(self.broken),
            "judged_by": self.judged_by,
        }


def prevented(judged: Sequence[Judged]) -> tuple[Judged, Judged] | None:
    """The first folder without an order and the first with one, when both are there."""
    without = next((one for one in judged if one.guarantee == "none"), None)
    ordered = next((one for one in judged if one.guarantee != "none"), None)
    return None if without is None or ordered is None else (without, ordered)
