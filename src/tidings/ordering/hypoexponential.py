"""The law of a delay over several hops: a sum of exponential times, one for each hop, and its fit to measured delays.

The fit is the expectation-maximisation of Asmussen, Nerman and Olsson (1996) for phase-type laws, specialised to a
chain. Given that the whole took s, phase i is expected to have taken mᵢ · fᵢ(s) / f(s), with mᵢ its mean so far, f the
density of the chain and fᵢ that of the chain with phase i doubled; the next mᵢ is the average of that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tidings.errors import InputError
from tidings.ordering.phases import Floats, check_positive, first_rows, transitions

ROUNDS_MAX: Final = 2_000
_DOUBLINGS: Final = 12
_TINY: Final = 1e-300


@dataclass(frozen=True, slots=True)
class Hypoexponential:
    """A sum of independent exponential times with these rates (equal ones may be among them), in any order."""

    rates: tuple[float, ...]

    def __post_init__(self) -> None:
        check_positive("rates", self.rates)

    @property
    def mean(self) -> float:
        """Sum of the phases' means."""
        return sum(1 / rate for rate in self.rates)

    @property
    def variance(self) -> float:
        """Sum of the phases' variances."""
        return sum(rate**-2 for rate in self.rates)

    def density(self, times: Sequence[float] | Floats) -> Floats:
        """Density at each time; 0 below 0."""
        at = _clock(times)
        last = transitions(self.rates, np.maximum(at, 0.0))[:, 0, -1] * self.rates[-1]
        return np.where(at < 0, 0.0, last)

    def survival(self, times: Sequence[float] | Floats) -> Floats:
        """Probability to take longer than each time; exact far out in the tail, too."""
        at = _clock(times)
        return np.where(at < 0, 1.0, transitions(self.rates, np.maximum(at, 0.0))[:, 0, :].sum(axis=1))

    def distribution(self, times: Sequence[float] | Floats) -> Floats:
        """F: probability to take at most each time."""
        return 1.0 - self.survival(times)


@dataclass(frozen=True, slots=True)
class Fit:
    """What came out of a fit."""

    law: Hypoexponential
    """Rates from the highest to the lowest: their order is not in the data."""
    log_likelihood: float
    """Of the samples under `law`."""
    rounds: int
    """How often the estimate was improved; `ROUNDS_MAX` says that it was still moving."""


def fit(samples: Sequence[float] | Floats, phases: int, *, gain: float = 1e-9) -> Fit:
    """The chain of `phases` phases under which the samples are likeliest, as far as one start finds it.

    What is constant in the delays has to be taken off before. Samples are read on a grid of 4,096 steps from 0 to the
    largest of them. Stops when a round gains less than `gain` of log-likelihood per sample; later rounds never
    lose any.
    """
    given = _clock(samples)
    if len(given) < 2 or given.min() < 0 or not given.max() > 0:
        raise InputError("a fit needs two delays or more, none negative and not all 0")
    if not 1 <= phases <= 32:
        raise InputError(f"phases = {phases} must be a whole number from 1 to 32")
    # Samples count from their own mean on: rates of any unit come out alike.
    unit = float(given.mean())
    step, weights = _histogram(given / unit)
    # Different from each other at the start: equal means would stay equal for ever.
    means: Floats = np.arange(1.0, phases + 1.0, dtype=np.float64) * (2.0 / (phases * (phases + 1)))
    likelihood, better = _improve(means, step, weights)
    rounds, gained = 0, np.inf
    while gained >= gain and rounds < ROUNDS_MAX:
        before, means = likelihood, better
        likelihood, better = _improve(means, step, weights)
        rounds, gained = rounds + 1, likelihood - before
    law = Hypoexponential(tuple(sorted((1 / (float(mean) * unit) for mean in means), reverse=True)))
    return Fit(law, len(given) * (likelihood - float(np.log(unit))), rounds)


def _improve(means: Floats, step: float, weights: Floats) -> tuple[float, Floats]:
    """Log-likelihood per sample under `means`, and the means that are better."""
    rates = [1 / float(mean) for mean in means]
    density = np.maximum(_on_grid(rates, step), _TINY)
    better = [
        mean * float(weights @ (_on_grid([rate, *rates], step) / density))
        for mean, rate in zip(means, rates, strict=True)
    ]
    return float(weights @ np.log(density)), np.array(better)


def _on_grid(rates: Sequence[float], step: float) -> Floats:
    density: Floats = first_rows(rates, step, _DOUBLINGS)[:, -1] * rates[-1]
    return density


def _histogram(samples: Floats) -> tuple[float, Floats]:
    """Step of the grid (j + ½)·step and the share of the samples at each point: each is divided between its two."""
    points = 1 << _DOUBLINGS
    step = float(samples.max()) / (points - 1)
    place = np.clip(samples / step - 0.5, 0.0, points - 2.0)
    left = place.astype(np.int64)
    right_share = place - left
    weights = np.bincount(left, 1 - right_share, points) + np.bincount(left + 1, right_share, points)
    return step, weights / len(samples)


def _clock(times: Sequence[float] | Floats) -> Floats:
    at = np.asarray(times, dtype=np.float64)
    if at.ndim != 1 or not np.isfinite(at).all():
        raise InputError("times must be a sequence of finite numbers")
    return at
