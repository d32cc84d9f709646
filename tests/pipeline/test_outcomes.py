"""Fates of wanted events, against the plain audit."""

import numpy as np
import pytest

from tidings.checking.outcomes import QUANTILES, outcomes
from tidings.pipeline.outcomes import COUNTS, quantiles


def test_counts_are_those_of_the_plain_audit(audited):
    """For every subscriber; every kind of fate occurs."""
    history = audited.history
    for client, outcome in outcomes(history).items():
        report = audited.report.subscribers[history.clients[client]]
        assert {name: getattr(report, name) for name in COUNTS} == {name: getattr(outcome, name) for name in COUNTS}
        assert (report.delay_ns, report.late_by_ns) == (outcome.delay_ns, outcome.late_by_ns)
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
