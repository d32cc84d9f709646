"""Means and variances that do not depend on the order in which rows are added: sums of whole numbers are exact."""

from typing import Final, NamedTuple

from pyspark.sql import Column
from pyspark.sql import functions as fn

_WHOLE: Final = "decimal(20,0)"


class Moments(NamedTuple):
    """Of a column of whole numbers, null left out; null without any."""

    mean: Column
    variance: Column

    @property
    def scv(self) -> Column:
        """Squared coefficient of variation; null where all are 0."""
        return fn.when(self.mean > 0, self.variance / (self.mean * self.mean))


def moments(value: Column, per: int = 1) -> Moments:
    """Of a column; the variance of `value / per`, rounded down: that keeps squares of long times within 38 digits."""
    whole = value.cast(_WHOLE)
    parts = fn.floor(value / per).cast(_WHOLE) if per > 1 else whole
    count = fn.count(value)
    mean, part, square = ((fn.sum(one) / count).cast("double") for one in (whole, parts, parts * parts))
    return Moments(mean, fn.greatest(square - part * part, fn.lit(0.0)) * (per * per))
