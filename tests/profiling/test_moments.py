"""Moments from exact sums."""

import numpy as np
import pytest
from pyspark.sql import functions as fn

from tidings.profiling.moments import moments


def test_mean_variance_scv(spark):
    """As NumPy has them, nulls left out; of nothing and of zeros there is no scv."""
    rows = [("a", one) for one in (10_000, 20_000, 60_000, None)] + [("b", 0), ("b", 0), ("c", None)]
    found = moments(fn.col("x"), per=1_000)
    table = spark.createDataFrame(rows, "k string, x bigint").groupBy("k")
    by = {
        row["k"]: row
        for row in table.agg(found.mean.alias("m"), found.variance.alias("v"), found.scv.alias("s")).collect()
    }
    values = np.array([10_000, 20_000, 60_000])
    assert by["a"]["m"] == values.mean()
    assert by["a"]["v"] == pytest.approx(values.var())
    assert by["a"]["s"] == pytest.approx(values.var() / values.mean() ** 2)
    assert (by["b"]["m"], by["b"]["v"], by["b"]["s"]) == (0.0, 0.0, None)
    assert (by["c"]["m"], by["c"]["s"]) == (None, None)


def test_large_numbers_stay_exact(spark):
    """Sums beyond what a double holds."""
    table = spark.createDataFrame([(2**60 + 1,), (2**60 + 3,)], "x bigint")
    found = moments(fn.col("x"), per=1_000)
    assert table.agg(found.mean).head()[0] == 2.0**60
    assert table.agg(found.variance).head()[0] >= 0
