"""Measured beside predicted: weights, intervals, and several runs."""

import pytest

from reporting.made_reports import entry, report
from tidings.checking import AuditReport
from tidings.checking.report import summed
from tidings.reporting.comparison import compare
from tidings.reporting.forecasts import Forecast


def forecast(**shares):
    """One that somebody made."""
    return Forecast(reliability=shares, source="x")


def test_each_subscriber_is_compared():
    """Those who wanted nothing or were not predicted are left out; weights are the events wanted."""
    found = compare(report(), {"logs": forecast(**{"<s0>": 0.91, "idle": 1.0, "s1": 0.7})})
    assert [(row.subscriber, row.measured, row.predicted) for row in found.rows] == [
        ("<s0>", 0.9, 0.91),
        ("s1", 0.5, 0.7),
    ]
    assert found.measured == pytest.approx(400 / 480)
    assert found.predicted == pytest.approx((400 * 0.91 + 80 * 0.7) / 480)
    assert found.mean_error == pytest.approx((0.01 + 0.2) / 2)
    assert [row.inside for row in found.rows] == [True, False]
    assert found.inside == 1


def test_the_document():
    """Counts and shares; what is each subscriber's stands elsewhere."""
    document = compare(report(), {"logs": forecast(s1=0.7)}).to_json()
    assert document == {
        "source": "x",
        "subscribers": 1,
        "measured": 0.5,
        "predicted": 0.7,
        "error_mean": pytest.approx(0.2),
        "error_max": pytest.approx(0.2),
        "inside": 0,
    }


def test_nothing_to_compare():
    """No prediction, or nobody who wanted something."""
    assert compare(report(), {"logs": Forecast(source="x", refused="no")}) is None
    assert compare(report(), {"logs": forecast(idle=1.0)}) is None
    assert compare(report(), {}) is None


def test_over_runs_each_prediction_counts_by_what_was_wanted_then():
    """Runs may draw worlds of their own, with predictions of their own."""
    runs = {
        "seed-1": AuditReport(subscribers={"s": entry(100, 80)}),
        "seed-2": AuditReport(subscribers={"s": entry(300, 280), "t": entry(40, 40)}),
    }
    found = compare(summed(runs), {"seed-1": forecast(s=0.8), "seed-2": forecast(s=0.9, t=1.0)})
    assert {row.subscriber: row.predicted for row in found.rows} == {"s": pytest.approx(0.875), "t": 1.0}
    assert found.rows[0].measured == 0.9
