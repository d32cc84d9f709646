"""Fates of wanted events, against the plain audit."""

import numpy as np
import pytest

from tidings.checking.delays import class_of
from tidings.checking.outcomes import QUANTILES, outcomes
from tidings.pipeline.outcomes import COUNTS, delay_classes, quantiles


def test_counts_are_those_of_the_plain_audit(audited):
    """For every subscriber; every kind of fate occurs."""
    history = audited.history
    for client, outcome in outcomes(history).items():
        report = audited.report.subscribers[history.clients[client]]
        assert {name: getattr(report, name) for name in COUNTS} == {name: getattr(outcome, name) for name in COUNTS}
        assert (report.delay_ns, report.late_by_ns) == (outcome.delay_ns, outcome.late_by_ns)
        assert report.batches == outcome.batches
    assert all(audited.report.total(name) > 0 for name in COUNTS)


@pytest.mark.parametrize("size", [1, 2, 3, 10, 70, 100, 101, 700, 1_000])
def test_quantiles_are_those_of_numpy(spark, size):
    """Values that occur, whatever rounding does to the places."""
    values = [((one * 7919) % 1009) for one in range(size)]
    frame = spark.createDataFrame([(1, value) for value in values] + [(2, None)], "client bigint, delay_ns bigint")
    (row,) = quantiles(frame, "delay_ns").collect()
    assert row["client"] == 1
    assert row["delay_ns"] == [int(one) for one in np.quantile(values, QUANTILES, method="inverted_cdf")]


def test_every_showing_is_judged_once(audited):
    """What came is first; late ones came and know by how much."""
    rows = audited.rows("judged")
    assert len(rows) == audited.folder.table("deliveries").num_rows
    for row in rows:
        assert row["first"] or not row["came"]
        assert (row["delay_ns"] is not None) == row["came"]
        assert (row["late_by_ns"] is not None) == row["late"]
        assert row["came"] or not row["late"]


def test_delays_fall_into_the_classes_of_the_plain_audit(spark):
    """Also at powers of two, at 0, before 0, and at the largest number."""
    delays = [-5, 0, 1, 15, 16, 31, 32, 33, 1_000, 2**31 - 1, 2**31, 2**62, 2**63 - 1]
    rows = [(delay, 0, True, True) for delay in delays] + [(5, 0, False, True), (5, 0, True, False)]
    frame = spark.createDataFrame(rows, "delivered_ns bigint, published_ns bigint, first boolean, published boolean")
    found = {row["least"]: row["count"] for row in delay_classes(frame).collect()}
    classes, counts = np.unique(class_of(np.array(delays)), return_counts=True)
    assert found == dict(zip(classes.tolist(), counts.tolist(), strict=True))
