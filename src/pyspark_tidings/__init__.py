"""Makes Spark know the format `tidings` by itself: it looks into every installed package whose name begins with `pyspark_`."""

from tidings.pipeline.data_source import TidingsSource as DefaultSource

__all__ = ["DefaultSource"]
