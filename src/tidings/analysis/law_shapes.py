"""What calculations need of a law beyond its moments: tails, their integrals, Laplace transforms, quantiles, third moments.

All functions take the laws of `tidings.vocabulary.distribution` and times in the law's own unit.
"""

import math
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tidings.vocabulary.distribution import (
    Constant,
    Distribution,
    Empirical,
    Exponential,
    Gamma,
    Hyperexponential,
    Normal,
    Uniform,
    Zipf,
)

Floats: TypeAlias = NDArray[np.float64]


def survival(law: Distribution, times: Floats) -> Floats:
    """P(X > t) for each time."""
    found: Floats = _SHAPES[type(law)][0](law, np.asarray(times, np.float64))
    return found


def excess(law: Distribution, times: Floats) -> Floats:
    """E[(X − t)⁺] for each time: the integral of the survival from t on; for laws that are not negative."""
    at = np.asarray(times, np.float64)
    inside: Floats = _SHAPES[type(law)][1](law, np.maximum(at, 0.0))
    return np.where(at < 0, law.mean - at, inside)


def transform(law: Distribution, rate: float) -> float:
    """E[exp(−rate · X)]."""
    return float(transforms(law, np.array([rate]))[0])


def transforms(law: Distribution, rates: Floats) -> Floats:
    """The same for each rate."""
    found: Floats = _SHAPES[type(law)][2](law, rates)
    return found


def quantile(law: Distribution, shares: Floats) -> Floats:
    """The time that is not exceeded with each probability (strictly between 0 and 1)."""
    found: Floats = _SHAPES[type(law)][3](law, np.asarray(shares, np.float64))
    return found


def third_moment(law: Distribution) -> float:
    """E[X³]."""
    return float(_THIRD_MOMENTS[type(law)](law))


# ---- one after the other: survival, excess, transform, quantile


def _uniform_excess(law: Uniform, times: Floats) -> Floats:
    width = law.high - law.low
    inside = np.clip(law.high - times, 0.0, width) ** 2 / (2 * width) if width > 0 else 0.0
    return inside + np.maximum(law.low - times, 0.0)


def _uniform_transform(law: Uniform, rates: Floats) -> Floats:
    spread = np.maximum(rates * (law.high - law.low), 1e-12)
    found: Floats = np.exp(-rates * law.low) * -np.expm1(-spread) / spread
    return found


def _gamma(law: Gamma) -> tuple[float, float]:
    """Shape and scale."""
    return 1 / law.scv, law.mean * law.scv


def _gamma_excess(law: Gamma, times: Floats) -> Floats:
    shape, scale = _gamma(law)
    beyond: Floats = law.mean * special.gammaincc(shape + 1, times / scale)
    tail: Floats = special.gammaincc(shape, times / scale)
    return beyond - times * tail


def _gamma_transform(law: Gamma, rates: Floats) -> Floats:
    shape, scale = _gamma(law)
    found: Floats = (1 + scale * rates) ** -shape
    return found


def _mixed(law: Hyperexponential, of_phase: Callable[[float], Any]) -> Any:
    return sum(weight * of_phase(mean) for weight, mean in law.phases)


def _hyperexponential_quantile(law: Hyperexponential, shares: Floats) -> Floats:
    """Bisection: the two phases do not invert together."""
    low = np.zeros_like(shares)
    high = np.full_like(shares, max(mean for _, mean in law.phases)) * -np.log1p(-shares)
    for _ in range(60):
        middle = (low + high) / 2
        below = 1 - survival(law, middle) < shares
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return high


def _normal_survival(law: Normal, times: Floats) -> Floats:
    if law.sigma == 0:
        return np.where(times < law.mu, 1.0, 0.0)
    tail: Floats = special.ndtr((law.mu - times) / law.sigma) / law.kept
    return np.where(times < 0, 1.0, tail)


def _normal_excess(law: Normal, times: Floats) -> Floats:
    if law.sigma == 0:
        return np.maximum(law.mu - times, 0.0)
    score = (times - law.mu) / law.sigma
    density = np.exp(-0.5 * score**2) / math.sqrt(2 * math.pi)
    tail: Floats = special.ndtr(-score)
    return np.maximum(law.sigma * (density - score * tail) / law.kept, 0.0)


def _normal_transform(law: Normal, rates: Floats) -> Floats:
    if law.sigma == 0:
        return np.exp(-rates * law.mu)
    shifted = special.log_ndtr(law.mu / law.sigma - law.sigma * rates)
    found: Floats = np.exp(-law.mu * rates + (law.sigma * rates) ** 2 / 2 + shifted) / law.kept
    return found


def _normal_quantile(law: Normal, shares: Floats) -> Floats:
    below: Floats = special.ndtri((1 - shares) * law.kept)
    found: Floats = np.maximum(law.mu - law.sigma * below, 0.0)
    return found


def _normal_third(law: Normal) -> float:
    """By the recursion of a normal law cut at 0."""
    return law.mu * (law.variance + law.mean**2) + 2 * law.sigma**2 * law.mean


def _empirical_survival(law: Empirical, times: Floats) -> Floats:
    return 1 - np.searchsorted(law.values, times, side="right") / len(law.values)


def _empirical_excess(law: Empirical, times: Floats) -> Floats:
    sums = np.concatenate([np.cumsum(law.values[::-1])[::-1], [0.0]])
    first = np.searchsorted(law.values, times, side="right")
    return (sums[first] - times * (len(law.values) - first)) / len(law.values)


def _empirical_quantile(law: Empirical, shares: Floats) -> Floats:
    return law.values[np.minimum((shares * len(law.values)).astype(np.int64), len(law.values) - 1)]


def _zipf_survival(law: Zipf, times: Floats) -> Floats:
    cumulative = np.concatenate([[0.0], np.cumsum(law.probabilities)])
    return 1 - cumulative[np.clip(np.floor(times), 0, law.values).astype(np.int64)]


def _zipf_excess(law: Zipf, times: Floats) -> Floats:
    ranks = np.arange(1, law.values + 1)
    return np.array([float(law.probabilities @ np.maximum(ranks - time, 0.0)) for time in times.ravel()]).reshape(
        times.shape
    )


def _zipf_transform(law: Zipf, rates: Floats) -> Floats:
    found: Floats = np.exp(-np.multiply.outer(rates, np.arange(1, law.values + 1))) @ law.probabilities
    return found


def _zipf_quantile(law: Zipf, shares: Floats) -> Floats:
    ranks = np.searchsorted(np.cumsum(law.probabilities), shares, side="right") + 1
    return np.minimum(ranks, law.values).astype(np.float64)


_SHAPES: Final[dict[type, tuple[Callable[[Any, Any], Any], ...]]] = {
    Constant: (
        lambda law, times: np.where(times < law.value, 1.0, 0.0),
        lambda law, times: np.maximum(law.value - times, 0.0),
        lambda law, rates: np.exp(-rates * law.value),
        lambda law, shares: np.full_like(shares, law.value),
    ),
    Uniform: (
        lambda law, times: np.clip((law.high - times) / max(law.high - law.low, 1e-300), 0.0, 1.0),
        _uniform_excess,
        _uniform_transform,
        lambda law, shares: law.low + (law.high - law.low) * shares,
    ),
    Exponential: (
        lambda law, times: np.exp(-np.maximum(times, 0.0) / law.mean),
        lambda law, times: law.mean * np.exp(-times / law.mean),
        lambda law, rates: 1 / (1 + rates * law.mean),
        lambda law, shares: -law.mean * np.log1p(-shares),
    ),
    Gamma: (
        lambda law, times: special.gammaincc(_gamma(law)[0], np.maximum(times, 0.0) / _gamma(law)[1]),
        _gamma_excess,
        _gamma_transform,
        lambda law, shares: _gamma(law)[1] * special.gammaincinv(_gamma(law)[0], shares),
    ),
    Hyperexponential: (
        lambda law, times: _mixed(law, lambda mean: np.exp(-np.maximum(times, 0.0) / mean)),
        lambda law, times: _mixed(law, lambda mean: mean * np.exp(-times / mean)),
        lambda law, rates: _mixed(law, lambda mean: 1 / (1 + rates * mean)),
        _hyperexponential_quantile,
    ),
    Normal: (_normal_survival, _normal_excess, _normal_transform, _normal_quantile),
    Empirical: (
        _empirical_survival,
        _empirical_excess,
        lambda law, rates: np.exp(-np.multiply.outer(rates, law.values)).mean(axis=-1),
        _empirical_quantile,
    ),
    Zipf: (_zipf_survival, _zipf_excess, _zipf_transform, _zipf_quantile),
}

_THIRD_MOMENTS: Final[dict[type, Callable[[Any], Any]]] = {
    Constant: lambda law: law.value**3,
    Uniform: lambda law: (law.high + law.low) * (law.high**2 + law.low**2) / 4,
    Exponential: lambda law: 6 * law.mean**3,
    Gamma: lambda law: law.mean**3 * (1 + law.scv) * (1 + 2 * law.scv),
    Hyperexponential: lambda law: _mixed(law, lambda mean: 6 * mean**3),
    Normal: _normal_third,
    Empirical: lambda law: (law.values**3).mean(),
    Zipf: lambda law: law.probabilities @ np.arange(1, law.values + 1) ** 3.0,
}
