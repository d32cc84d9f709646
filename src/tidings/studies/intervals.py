"""95 % intervals of what was measured."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, stdtrit

from tidings.studies.figure import Finding, Value

CONFIDENCE: Final = 0.95


def mean_interval(values: Sequence[float] | NDArray[np.float64]) -> tuple[float, float, float]:
    """Mean of independent values and the ends of its interval, by Student; fewer than two give no width."""
    found = np.asarray(values, np.float64)
    mean = float(found.mean())
    if len(found) < 2:
        return mean, mean, mean
    half = float(stdtrit(len(found) - 1, (1 + CONFIDENCE) / 2)) * float(found.std(ddof=1)) / math.sqrt(len(found))
    return mean, mean - half, mean + half


def share_interval(hits: int, trials: int) -> tuple[float, float, float]:
    """A share of independent trials and the ends of its interval, by Clopper and Pearson: exact, and never too short."""
    assert 0 <= hits <= trials, f"{hits} of {trials}"
    if trials == 0:
        return math.nan, 0.0, 1.0
    tail = (1 - CONFIDENCE) / 2
    low = 0.0 if hits == 0 else float(betaincinv(hits, trials - hits + 1, tail))
    high = 1.0 if hits == trials else float(betaincinv(hits + 1, trials - hits, 1 - tail))
    return hits / trials, low, high


def finding_of_mean(what: str, paper: Value, values: Sequence[float] | NDArray[np.float64]) -> Finding:
    """The mean of independent values as a finding; a single one has no interval."""
    mean, low, high = mean_interval(values)
    return Finding(what, paper, mean) if len(values) < 2 else Finding(what, paper, mean, low, high)


def finding_of_share(what: str, paper: Value, hits: int, trials: int) -> Finding:
    """A share as a finding."""
    return Finding(what, paper, *share_interval(hits, trials))
