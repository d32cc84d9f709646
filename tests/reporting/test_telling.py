"""The few numbers that say most."""

from dataclasses import replace

from reporting.made_reports import judged, report
from tidings.checking import AuditReport
from tidings.reporting.judged import Judged
from tidings.reporting.telling import telling


def test_five_numbers_of_a_pair():
    """On time, the prediction, what order prevented, its price, and who is worst off."""
    off, on = judged("off"), replace(judged("on", report()), guarantee="fifo", comparison=None)
    assert [str(one) for one in telling([off, on])] == [
        "on time: 83.33% (predicted 90.00%, of 480 wanted events)",
        "prediction off by: 20.00 points (mean over 2 subscribers; 1 measured intervals hold it)",
        "violations of fifo order: 7 → 0 (off, then on)",
        "delay, median / 99 %: 1 / 4 ms → 1 / 4 ms (off, then on)",
        "worst served: s1, 50.00% (predicted 90.00%)",
    ]


def test_without_a_prediction():
    """The same of what there is."""
    assert [str(one) for one in telling([replace(judged(), comparison=None)])] == [
        "on time: 83.33% (of 480 wanted events, logs)",
        "violations of order: 10 (logs)",
        "delay, median / 99 %: 1 / 4 ms (logs)",
        "worst served: s1, 50.00%",
    ]


def test_nothing_happened():
    """Only the order is said to hold."""
    assert [one.what for one in telling([Judged(name="x", report=AuditReport())])] == ["violations of order"]
