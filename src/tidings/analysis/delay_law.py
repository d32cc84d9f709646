"""Laws of delays on a grid of times, made for adding up many independent delays and asking how many are in time.

A law keeps what is constant apart (exactly), its probability of no delay at all (exactly), and the rest as masses on a
grid that ends at a horizon: what is beyond the horizon is late anyway. Masses are kept as their damped Fourier
transform, so that adding delays is a product; the damping holds what wraps around below 10⁻⁸. Parts that depend on each
other are added as if they did not, and the sum is then stretched about its mean to the variance that it has.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidings.analysis.law_shapes import excess, survival
from tidings.vocabulary.distribution import Constant, Distribution

Floats: TypeAlias = NDArray[np.float64]
Spectrum: TypeAlias = NDArray[np.complex128]

_WRAPPED: Final = 1e-8
POINTS: Final = 1_024


@dataclass(frozen=True)
class TimeGrid:
    """Times 0, step, 2 · step … up to the horizon."""

    horizon: float
    points: int = POINTS

    @property
    def step(self) -> float:
        """Between neighbouring times."""
        return self.horizon / self.points

    @cached_property
    def times(self) -> Floats:
        """All times of the grid, the horizon included."""
        return np.arange(self.points + 1, dtype=np.float64) * self.step

    @cached_property
    def powers(self) -> Floats:
        """What masses are multiplied by before they are transformed."""
        return _WRAPPED ** (np.arange(self.points + 1) / self.size)

    @property
    def size(self) -> int:
        """Points of the transform: twice the grid, so that nothing wraps into it undamped."""
        return 2 * self.points

    def spectrum(self, masses: Floats) -> Spectrum:
        """Of masses at the times of the grid."""
        return np.fft.rfft(masses * self.powers, self.size)

    def masses(self, spectrum: Spectrum) -> Floats:
        """At the times of the grid, back from their transform."""
        found: Floats = np.fft.irfft(spectrum, self.size)[: self.points + 1] / self.powers
        return np.maximum(found, 0.0)


@dataclass(frozen=True, eq=False)
class DelayLaw:
    """A delay: `offset`, plus a random part whose masses have this spectrum, `atom` of them at exactly 0."""

    grid: TimeGrid
    spectrum: Spectrum = field(repr=False)
    atom: float
    offset: float
    mean: float
    """Of the whole, beyond the horizon too; infinite behind a queue without a steady state."""
    variance: float = 0.0
    """Of the parts, as if they were independent."""
    covariance: float = 0.0
    """What dependence between parts adds to that, below 0 where one makes up for the other."""

    def plus(self, other: "DelayLaw") -> "DelayLaw":
        """The sum of two independent delays."""
        return DelayLaw(
            self.grid,
            self.spectrum * other.spectrum,
            self.atom * other.atom,
            self.offset + other.offset,
            self.mean + other.mean,
            self.variance + other.variance,
            self.covariance + other.covariance,
        )

    @property
    def times(self) -> Floats:
        """Those of the grid."""
        return self.grid.times

    @cached_property
    def _spread(self) -> float:
        """How much farther from its mean than the sum of independent parts; held within a factor of two."""
        if self.covariance == 0 or not math.isfinite(self.mean) or self.variance <= 0:
            return 1.0
        return math.sqrt(min(max(1 + self.covariance / self.variance, 0.25), 4.0))

    @cached_property
    def _random(self) -> Floats:
        """Masses of the random part; the atom is left out of the first."""
        masses = self.grid.masses(self.spectrum)
        masses[0] = max(masses[0] - self.atom, 0.0)
        return masses

    @cached_property
    def _reached(self) -> Floats:
        """Probability up to each time of the grid: of what stands at a point half, since it stands for both sides."""
        found = self.atom + np.cumsum(self._random) - self._random / 2
        found[0] = self.atom  # what the first point stands for is all behind it
        return found

    def within(self, limit: float) -> float:
        """P(delay ≤ limit). A limit beyond the horizon counts as the horizon."""
        return float(self.within_each(np.array([limit]))[0])

    def within_each(self, limits: Floats) -> Floats:
        """The same for many limits."""
        left = self._as_independent(limits) - self.offset
        found: Floats = np.interp(left, self.grid.times, self._reached)
        return np.where(left < 0, 0.0, np.clip(found, self.atom, 1.0))

    def mean_within(self, limit: float) -> float | None:
        """Mean delay of what is not later than the limit; None when nothing is."""
        left = float(self._as_independent(np.array([limit]))[0]) - self.offset
        if left < 0:
            return None
        times, masses = self.grid.times, self._random
        share = np.clip((left - times) / self.grid.step + 0.5, 0.0, 1.0)
        there = float(share @ masses) + self.atom
        if there <= 1e-12:
            return None
        independent = self.offset + float((share * masses) @ times) / there
        return independent if self._spread == 1.0 else self.mean + (independent - self.mean) * self._spread

    def _as_independent(self, limits: Floats) -> Floats:
        """Limits for the sum of independent parts that are as likely to be kept."""
        return limits if self._spread == 1.0 else self.mean + (limits - self.mean) / self._spread


def no_delay(grid: TimeGrid) -> DelayLaw:
    """Always 0."""
    return constant_delay(grid, 0.0)


def constant_delay(grid: TimeGrid, value: float) -> DelayLaw:
    """Always the same."""
    return DelayLaw(grid, np.ones(grid.size // 2 + 1, np.complex128), 1.0, value, value)


def delay_of(grid: TimeGrid, law: Distribution) -> DelayLaw:
    """A law of the scenario, on the grid."""
    if isinstance(law, Constant) or law.variance == 0:
        return constant_delay(grid, law.mean)
    atom = float(1 - survival(law, np.zeros(1))[0])
    return DelayLaw(grid, grid.spectrum(masses_of(grid, law)), atom, 0.0, law.mean, law.variance)


def masses_of(grid: TimeGrid, law: Distribution) -> Floats:
    """Of a law that is not negative; what lies between two times is shared so that its mean stays."""
    tails = excess(law, np.concatenate([[-grid.step], grid.times, [grid.horizon + grid.step]]))
    return np.maximum((tails[:-2] - 2 * tails[1:-1] + tails[2:]) / grid.step, 0.0)


def mixture(grid: TimeGrid, masses: Floats, atom: float, mean: float, variance: float) -> DelayLaw:
    """A delay given by its masses, the atom in the first of them, and by its moments, beyond the horizon too."""
    return DelayLaw(grid, grid.spectrum(masses), atom, 0.0, mean, variance)


def never(grid: TimeGrid) -> DelayLaw:
    """A delay that has no end, as behind a queue that grows for ever."""
    return DelayLaw(grid, np.zeros(grid.size // 2 + 1, np.complex128), 0.0, 0.0, math.inf, math.inf)
