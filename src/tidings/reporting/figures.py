"""The plots of a report, from what was judged; as many points as a page can carry, however many there are."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from tidings.plots.plot import Curve, Plot
from tidings.reporting.comparison import Comparison, Row
from tidings.reporting.judged import ORDER_COUNTS, Judged

Item = TypeVar("Item")
POINTS_MAX: Final = 400
"""Of a plot; of more, every so manieth stands for the others."""


def plots_of(judged: Sequence[Judged]) -> list[Plot]:
    """Every plot that there is something to show in."""
    compared = [one for one in judged if one.comparison is not None]
    found = [plot for one in compared for plot in _predicted(one.name, one.comparison)]
    if any(sum(one.order().values()) for one in judged):
        found.append(_order(judged))
    if any(one.report.delays for one in judged):
        found.append(_delays(judged))
    return [*found, *_over_time(judged)]


def _predicted(name: str, comparison: Comparison | None) -> Iterator[Plot]:
    if comparison is None:
        return
    rows = thinned(sorted(comparison.rows, key=lambda row: (row.predicted, row.subscriber)))
    ends = _ends(rows)
    yield Plot(
        title=f"Measured against predicted reliability: {name}",
        x="predicted",
        y="measured, 95 % interval",
        curves=(
            Curve("as predicted", ends, ends),
            Curve(
                f"a subscriber ({len(rows):,} of {len(comparison.rows):,})",
                tuple(row.predicted for row in rows),
                tuple(row.measured for row in rows),
                "points",
                tuple(row.low for row in rows),
                tuple(row.high for row in rows),
            ),
        ),
    )
    errors = sorted(row.error * 100 for row in comparison.rows)
    steps = thinned([(error, (place + 1) / len(errors)) for place, error in enumerate(errors)])
    yield Plot(
        title=f"How far predictions are off: {name}",
        x="difference, points of reliability",
        y="share of subscribers",
        curves=(Curve("subscribers", tuple(x for x, _ in steps), tuple(y for _, y in steps), "steps"),),
    )


def _ends(rows: Sequence[Row]) -> tuple[float, float]:
    values = [value for row in rows for value in (row.predicted, row.measured)]
    return min(values), max(values)


def _order(judged: Sequence[Judged]) -> Plot:
    places = tuple(float(place) for place in range(len(ORDER_COUNTS)))
    return Plot(
        title="Violations of order",
        x="",
        y="count",
        categories=tuple(name.replace("_inversions", "").replace("order_", "") for name in ORDER_COUNTS),
        curves=tuple(Curve(one.name, places, tuple(map(float, one.order().values())), "bars") for one in judged),
    )


def _delays(judged: Sequence[Judged]) -> Plot:
    return Plot(
        title="Delay from published to shown",
        x="milliseconds",
        y="share of first showings",
        x_log=True,
        curves=tuple(_delay_curve(one) for one in judged if one.report.delays),
    )


def _delay_curve(one: Judged) -> Curve:
    total = sum(one.report.delays.values())
    passed, x, y = 0, [], []
    for least, count in sorted(one.report.delays.items()):
        passed += count
        x.append(max(least, 1_000) / 1e6)
        y.append(passed / total)
    return Curve(one.name, tuple(x), tuple(y), "steps")


def _over_time(judged: Sequence[Judged]) -> Iterator[Plot]:
    curves = []
    for one in judged:
        parts = [entry.batches for entry in one.report.subscribers.values() if entry.batches]
        sums = [[sum(counts) for counts in zip(*batch, strict=True)] for batch in zip(*parts, strict=False)]
        known = [(place, wanted, on_time) for place, (wanted, on_time) in enumerate(sums) if wanted]
        places = tuple((place + 0.5) / len(sums) * 100 for place, _, _ in known)
        curves.append(Curve(one.name, places, tuple(on_time / wanted for _, wanted, on_time in known)))
    if any(curve.x for curve in curves):
        yield Plot(
            title="On time over the run",
            x="part of the run, %",
            y="share of wanted events on time",
            curves=tuple(curves),
        )


def thinned(rows: Sequence[Item]) -> Sequence[Item]:
    """All rows, or evenly chosen ones with the first and the last among them."""
    if len(rows) <= POINTS_MAX:
        return rows
    return [rows[round(place * (len(rows) - 1) / (POINTS_MAX - 1))] for place in range(POINTS_MAX)]
