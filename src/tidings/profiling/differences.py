"""How much later one event of a publisher is under way than the one before: what probabilistic FIFO learns."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from tidings.profiling.moments import moments


def differences(showings: DataFrame) -> DataFrame:
    """One row for each publisher and subscriber: the scale b = 2/(3n)·Σ|x| of the differences x of successive delays."""
    own = Window.partitionBy("publisher", "subscriber").orderBy("number")
    size = fn.abs(fn.col("delay_ns") - fn.lag("delay_ns").over(own))
    return (
        showings.withColumn("size", size)
        .groupBy("publisher", "subscriber")
        .agg(
            fn.count("*").alias("shown"),
            fn.count("size").alias("differences"),
            (moments(fn.col("size")).mean * 2 / 3).alias("scale_ns"),
            fn.max("size").alias("largest_ns"),
        )
        .orderBy("publisher", "subscriber")
    )
