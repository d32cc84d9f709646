"""The plots of a report: what is judged is what is drawn."""

from dataclasses import replace

from reporting.made_reports import entry, judged, report
from tidings.checking import AuditReport
from tidings.reporting.figures import POINTS_MAX, plots_of, thinned
from tidings.reporting.judged import Judged

ONE = judged("off")
TWO = replace(judged("on", report()), comparison=None, guarantee="fifo")


def by_title(plots, word):
    """The one whose title holds a word."""
    (found,) = [plot for plot in plots if word in plot.title]
    return found


def test_every_plot_is_there():
    """Predictions of the one that has any; order, delays and time of both."""
    plots = plots_of([ONE, TWO])
    assert [plot.title.split(":")[0] for plot in plots] == [
        "Measured against predicted reliability",
        "How far predictions are off",
        "Violations of order",
        "Delay from published to shown",
        "On time over the run",
    ]
    assert [curve.name for curve in by_title(plots, "Delay").curves] == ["off", "on"]


def test_points_carry_their_intervals():
    """Measured against predicted, each with its range."""
    _, points = by_title(plots_of([ONE]), "against").curves
    assert set(zip(points.x, points.y, strict=True)) == {(0.9, 0.9), (0.9, 0.5)}
    assert all(low < y < high for low, y, high in zip(points.low, points.y, points.high, strict=True))


def test_errors_are_a_distribution():
    """In points, ascending to all subscribers."""
    (curve,) = by_title(plots_of([ONE]), "far").curves
    assert [round(x, 9) for x in curve.x] == [0.0, 40.0]
    assert curve.y == (0.5, 1.0)


def test_violations_stand_side_by_side():
    """A bar for each count and folder."""
    off, on = by_title(plots_of([ONE, TWO]), "Violations").curves
    assert (off.y, on.y) == ((7.0, 3.0, 0.0, 0.0), (0.0,) * 4)
    assert not [plot for plot in plots_of([TWO]) if "Violations" in plot.title]


def test_delays_are_cumulative():
    """In milliseconds."""
    curve = by_title(plots_of([ONE]), "Delay").curves[0]
    assert curve.x == (1.0, 2.0, 4.0)
    assert curve.y == (0.75, 0.9875, 1.0)


def test_shares_over_time_are_over_all_subscribers():
    """By part of the run."""
    (curve,) = by_title(plots_of([ONE]), "over the run").curves
    assert curve.x == (12.5, 37.5, 62.5, 87.5)
    assert curve.y == (100 / 120,) * 4


def test_nothing_judged_nothing_drawn():
    """An empty run has no plots."""
    assert plots_of([Judged(name="x", report=AuditReport())]) == []


def test_many_points_are_thinned():
    """To a bounded number, ends included; few stay as they are."""
    rows = list(range(10_000))
    kept = thinned(rows)
    assert (len(kept), kept[0], kept[-1]) == (POINTS_MAX, 0, 9_999)
    assert thinned(rows[:5]) == rows[:5]
    many = AuditReport(subscribers={f"s{one}": entry(40, 20) for one in range(2 * POINTS_MAX)})
    assert len(by_title(plots_of([Judged(name="x", report=many)]), "over").curves[0].x) == 4
