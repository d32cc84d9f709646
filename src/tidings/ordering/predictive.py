"""The quantile of the next delay difference when the scale is only known from the last n.

The plain quantile puts the estimated scale in for the true one and is exceeded too often: 0.0578 instead of 0.05 of
the time for n = 25. Here the quantile is a multiple of the *measured* mean M of |x|, chosen so that P(X > factor · M)
is the tolerance, over the chance in X and in M.

Differences of consecutive delays are not independent: neighbours share a delay, so that the mean of n of them
spreads as if they were fewer. With independent differences 25 samples give 0.0551 at 0.05. The law of M is taken as the gamma
law with its exact mean and exact variance, the covariance of neighbours included.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

import numpy as np

from tidings.errors import InputError
from tidings.ordering.delay_law import DelayLaw, check_probability
from tidings.ordering.phases import Floats, first_rows

SAMPLES_MIN: Final = 5
"""With fewer samples there is no quantile worth its name."""

_NODES: Final = 64
_DOUBLINGS: Final = 13
_FAR: Final = 30.0
"""How many times the largest scale the grid for the covariance reaches beyond the mean."""


@lru_cache(maxsize=4096)
def predictive_factor(law: DelayLaw, samples: int, tolerance: float, *, overlapping: bool = True) -> float:
    """By how much to multiply the mean of `samples` absolute differences, for a new one to exceed it with `tolerance`.

    Only the shape of `law` matters, not its unit. `overlapping` says that the differences are those of consecutive
    delays. By simulation, for tolerances from 0.001 to 0.05 and 1 to 8 hops, the new one exceeds it with between 0.94
    and 1.01 times the tolerance for 25 samples, and between 0.45 and 1.05 times for `SAMPLES_MIN`: on the safe side.
    """
    check_probability("tolerance", tolerance)
    if samples < SAMPLES_MIN:
        raise InputError(f"samples = {samples}; a predictive quantile needs {SAMPLES_MIN} or more")
    if tolerance >= 0.5:
        return 0.0
    means, weights = _gamma_nodes(samples / spread(law, samples, overlapping=overlapping))
    unit = law.mean_absolute

    def exceeded(factor: float) -> float:
        return float(weights @ law.survival(factor * unit * means))

    return _crossing(exceeded, tolerance, law.upper_quantile(tolerance) / unit)


@lru_cache(maxsize=4096)
def plain_factor(law: DelayLaw, tolerance: float) -> float:
    """The same multiple when the measured mean is taken for the true one, as the paper does."""
    return max(0.0, law.upper_quantile(tolerance)) / law.mean_absolute


def spread(law: DelayLaw, samples: int, *, overlapping: bool) -> float:
    """Variance of the sum of `samples` absolute differences, over `samples` and the squared mean of one."""
    variance, shared = _moments(law)
    pairs = 2.0 * (samples - 1) / samples if overlapping else 0.0
    return variance + pairs * shared


@lru_cache(maxsize=256)
def pair_tolerance(law: DelayLaw, tolerance: float) -> float:
    """How rarely one event may outrun one before it, so that no event is outrun by *any* with more than `tolerance`.

    An event is overtaken when the next one shown is more than the reach faster; those between the two, if there are
    any, are then overtaken as well. Over all numbers of them between, that is at most E[G/(1 − G)] with
    G = P(a delay exceeds the reach and the fast one's delay).
    """
    check_probability("tolerance", tolerance)
    times, mass, longer = _grid(law)

    def overtaken(reach: float) -> float:
        slower = np.interp(reach + times, times, longer, right=0.0)
        return float(mass @ (slower / (1.0 - slower)))

    if tolerance >= 0.5:
        return tolerance
    start = law.upper_quantile(tolerance) / law.mean_absolute
    reach = _crossing(overtaken, tolerance, max(start, float(times[0])))
    return min(tolerance, float(law.survival(np.array([reach * law.mean_absolute]))[0]))


@lru_cache(maxsize=256)
def _moments(law: DelayLaw) -> tuple[float, float]:
    """Variance of |x| and covariance of neighbours, for a mean of 1.

    Neighbours |d − d′| and |d − d″| are independent given the delay d that they share: their covariance is the variance
    of h(d) = E|d − d′|, whose derivative is 2F(d) − 1.
    """
    variance = 2.0 * sum((scale / law.mean_absolute) ** 2 for scale in law.scales) - 1.0
    times, mass, longer = _grid(law)
    slope = 1.0 - 2.0 * longer
    distance = (np.cumsum(slope) - slope / 2.0) * (times[1] - times[0])
    centred = distance - mass @ distance
    return variance, float(mass @ centred**2)


@lru_cache(maxsize=256)
def _grid(law: DelayLaw) -> tuple[Floats, Floats, Floats]:
    """One delay by its law: instants, the chance of each, the chance to take longer. Unit: the mean absolute difference."""
    scales = [scale / law.mean_absolute for scale in law.scales]
    step = (sum(scales) + _FAR * max(scales)) / (1 << _DOUBLINGS)
    rows = first_rows([1.0 / scale for scale in scales], step, _DOUBLINGS)
    mass = rows[:, -1] / rows[:, -1].sum()
    times: Floats = (np.arange(len(mass), dtype=np.float64) + 0.5) * step
    return times, mass, rows.sum(axis=1)


def _crossing(falling: Callable[[float], float], level: float, high: float) -> float:
    """Where a falling function comes down to `level`, from the side below it; `high` > 0 is a first guess."""
    low = 0.0
    while falling(high) > level:
        low, high = high, 2.0 * high
    while high - low > 1e-10 * high:
        middle = (low + high) / 2.0
        low, high = (middle, high) if falling(middle) > level else (low, middle)
    # Linear algebra differs in its last digits from machine to machine; runs must not.
    return float(f"{high:.8g}")


def _gamma_nodes(shape: float) -> tuple[Floats, Floats]:
    """Gauss's nodes and weights for averages over the gamma law with mean 1 and this shape."""
    # Golub and Welsch: weights come out normed, and a shape of many thousands overflows nothing.
    index = np.arange(_NODES, dtype=np.float64)
    beside = np.sqrt(index[1:] * (index[1:] + shape - 1.0))
    nodes, vectors = np.linalg.eigh(np.diag(2.0 * index + shape) + np.diag(beside, 1) + np.diag(beside, -1))
    weights: Floats = vectors[0] ** 2
    return nodes / shape, weights
