"""Links by what was measured over them: expected delay α, delivery ratio γ, and the law of the delay."""

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from tidings.profiling.moments import moments

QUANTILES: Final = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)


def links(delays: DataFrame) -> DataFrame:
    """One row for each pair of ends, in either direction: they share a link.

    `delay_ns` is the mean one-way delay (α), `delivery` the share of packets that arrived (γ; 1 where no losses were
    recorded), `deviation_ns` the standard deviation, within what was averaged as well as between.
    """
    ends = delays.select(
        fn.least("one", "other").alias("one"),
        fn.greatest("one", "other").alias("other"),
        "delay_ns",
        "deviation_ns",
        "lost",
    ).where("one != other")
    delay = moments(fn.col("delay_ns"))
    within = (fn.sum(fn.col("deviation_ns").cast("decimal(20,0)") * fn.col("deviation_ns")) / fn.count("*")).cast(
        "double"
    )
    return (
        ends.groupBy("one", "other")
        .agg(
            fn.count("*").alias("packets"),
            fn.count("delay_ns").alias("measured"),
            (1 - fn.count_if("lost") / fn.count("*")).alias("delivery"),
            delay.mean.alias("delay_ns"),
            fn.sqrt(delay.variance + within).alias("deviation_ns"),
            fn.percentile("delay_ns", list(QUANTILES)).alias("quantile_ns"),
        )
        .orderBy("one", "other")
    )
