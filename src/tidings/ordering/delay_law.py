"""The law of the difference of two delays over the same hops.

A delay is a constant and a sum of exponential times, one for each of k hops; the difference of two such delays is a
sum of k Laplace variables, one with each hop's mean time as its scale. The paper that this follows (Malekpour et al.)
takes two of equal scale for any k: `TwoLaplace`. `LaplaceSum` is exact for every k: the difference X − Y exceeds t when
X is still under way as Y ends, and then takes more than t from the phase that it is in.

Both are symmetric about 0. Scales and differences have one unit, which the caller chooses.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from tidings.errors import InputError
from tidings.ordering.lambert import lambert_lower
from tidings.ordering.phases import Floats, check_positive, transitions


class DelayLaw(Protocol):
    """What the latch asks of a law; hashable, as quantiles are remembered by law."""

    def __hash__(self) -> int: ...

    @property
    def scales(self) -> tuple[float, ...]:
        """Mean time of each hop."""

    @property
    def mean_absolute(self) -> float:
        """Mean of the difference without its sign."""

    def upper_quantile(self, tail: float) -> float:
        """What the difference exceeds with probability `tail`, 0 < tail < 1."""

    def survival(self, differences: Floats) -> Floats:
        """Probability to exceed each of `differences`."""


@dataclass(frozen=True, slots=True)
class TwoLaplace:
    """The sum of two Laplace variables of one scale, in closed form."""

    scale: float

    def __post_init__(self) -> None:
        check_positive("scale", (self.scale,))

    @property
    def scales(self) -> tuple[float, ...]:
        """Twice the one scale."""
        return (self.scale, self.scale)

    @property
    def mean_absolute(self) -> float:
        """One and a half scales."""
        return 1.5 * self.scale

    @property
    def variance(self) -> float:
        """Four squared scales."""
        return 4.0 * self.scale**2

    def density(self, differences: Floats) -> Floats:
        """Density at each difference."""
        size = np.abs(differences) / self.scale
        return (1.0 + size) * np.exp(-size) / (4.0 * self.scale)

    def survival(self, differences: Floats) -> Floats:
        """Probability to exceed each difference."""
        size = np.abs(differences) / self.scale
        beyond = (2.0 + size) * np.exp(-size) / 4.0
        return np.where(np.asarray(differences) < 0, 1.0 - beyond, beyond)

    def quantile(self, probability: float) -> float:
        """F⁻¹: what the difference stays below with this probability, 0 < p < 1."""
        return _by_symmetry(self, probability)

    def upper_quantile(self, tail: float) -> float:
        """F⁻¹(1 − tail), without the digits that 1 − tail would lose."""
        check_probability("tail", tail)
        if tail > 0.5:
            return -self.upper_quantile(1.0 - tail)
        # F⁻¹(p) = −b·(W₋₁(4e⁻²(p − 1)) + 2) for ½ ≤ p < 1; as printed in the paper it has the other sign.
        return -self.scale * (lambert_lower(-4.0 * math.exp(-2.0) * tail) + 2.0)


@dataclass(frozen=True)
class LaplaceSum:
    """The sum of k independent Laplace variables with these scales: exact, whatever they are."""

    scales: tuple[float, ...]

    def __post_init__(self) -> None:
        check_positive("scales", self.scales)

    @property
    def mean_absolute(self) -> float:
        """Twice the mean of what lies above 0."""
        return 2.0 * math.fsum(share * sum(self.scales[phase:]) for phase, share in enumerate(self._ahead))

    @property
    def variance(self) -> float:
        """Twice the sum of the squared scales."""
        return 2.0 * math.fsum(scale**2 for scale in self.scales)

    @cached_property
    def _rates(self) -> tuple[float, ...]:
        return tuple(1.0 / scale for scale in self.scales)

    @cached_property
    def _ahead(self) -> tuple[float, ...]:
        """How likely X is in each phase when Y ends; together ½."""
        hops = len(self.scales)
        race = np.zeros((hops + 1, hops + 1))
        race[0, 0] = 1.0
        for ours, mine in enumerate(self.scales):
            for theirs, other in enumerate(self.scales):
                race[ours + 1, theirs] += race[ours, theirs] * other / (mine + other)
                race[ours, theirs + 1] += race[ours, theirs] * mine / (mine + other)
        return tuple(race[:hops, hops].tolist())

    @cached_property
    def _terms(self) -> Floats | None:
        """For equal scales the coefficients cₘ of P(S > b·u) = e⁻ᵘ Σ cₘ uᵐ/m!; None for different ones."""
        if min(self.scales) < max(self.scales):
            return None
        return np.cumsum(self._ahead)[::-1].copy()

    def density(self, differences: Floats) -> Floats:
        """Density at each difference."""
        size = np.abs(np.atleast_1d(np.asarray(differences, dtype=np.float64)))
        if self._terms is not None:
            # Minus the derivative of the survival, term by term: cₘ − cₘ₊₁ is one of the shares ahead.
            scale = self.scales[0]
            return _poisson_sum(size / scale, np.array(self._ahead[::-1])) / scale
        paths = np.asarray(self._ahead) @ transitions(self._rates, size)
        return paths[:, -1] * self._rates[-1]

    def survival(self, differences: Floats) -> Floats:
        """Probability to exceed each difference."""
        given = np.atleast_1d(np.asarray(differences, dtype=np.float64))
        size = np.abs(given)
        if self._terms is not None:
            beyond = _poisson_sum(size / self.scales[0], self._terms)
        else:
            beyond = (np.asarray(self._ahead) @ transitions(self._rates, size)).sum(axis=1)
        return np.where(given < 0, 1.0 - beyond, beyond)

    def quantile(self, probability: float) -> float:
        """F⁻¹: what the sum stays below with this probability, 0 < p < 1."""
        return _by_symmetry(self, probability)

    def upper_quantile(self, tail: float) -> float:
        """What the sum exceeds with probability `tail`, 0 < tail < 1."""
        check_probability("tail", tail)
        if tail > 0.5:
            return -self.upper_quantile(1.0 - tail)
        # The density is log-concave, thus the survival as well: Newton's first step on its logarithm goes beyond the
        # root, and all others come back to it from above. The first that does not come down any more has arrived.
        at = self._step(0.0, tail)
        while (closer := self._step(at, tail)) < at:
            at = closer
        return at

    def _step(self, at: float, tail: float) -> float:
        here = np.array([at])
        beyond = float(self.survival(here)[0])
        return max(0.0, at + beyond / float(self.density(here)[0]) * math.log(beyond / tail))


def check_probability(what: str, value: float) -> None:
    """InputError unless 0 < value < 1; NaN is neither."""
    if not 0.0 < value < 1.0:
        raise InputError(f"{what} = {value} must lie between 0 and 1, both excluded")


def _by_symmetry(law: DelayLaw, probability: float) -> float:
    check_probability("probability", probability)
    if probability < 0.5:
        return -law.upper_quantile(probability)
    return law.upper_quantile(1.0 - probability)


def _poisson_sum(size: Floats, coefficients: Floats) -> Floats:
    """Σ cₘ e⁻ᵘ uᵐ/m! at each u, by Horner's rule."""
    total = np.zeros_like(size)
    for index in range(len(coefficients) - 1, 0, -1):
        total = (total + coefficients[index]) * size / index
    result: Floats = (total + coefficients[0]) * np.exp(-size)
    return result
