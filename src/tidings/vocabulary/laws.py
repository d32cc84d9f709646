"""The laws that a scenario can name: each knows its exact moments and draws samples.

A law is a frozen value; its numbers are plain (nanoseconds where it stands for a duration) and checked when it is
made: ValueError, with a sentence that starts with the key. Drawing is seamless: `count` samples at once are the same
numbers as one by one, so no result depends on how many are drawn ahead.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Samples: TypeAlias = NDArray[np.float64]

_FAR: Final = 1e3

NUMBER_MAX: Final = 1e100
"""Bound of every parameter, so that no moment overflows."""
RANKS_MAX: Final = 1_000_000
EMPIRICAL_MAX: Final = 1_000_000
"""Most values that an empirical law holds in memory."""


@dataclass(frozen=True, slots=True)
class Constant:
    """Always `value`."""

    value: float

    def __post_init__(self) -> None:
        _number("value", self.value)

    @property
    def mean(self) -> float:
        """The value."""
        return self.value

    @property
    def variance(self) -> float:
        """None at all."""
        return 0.0

    @property
    def scv(self) -> float:
        """None at all."""
        return 0.0

    def sample(self, generator: np.random.Generator, count: int) -> Samples:  # noqa: ARG002 - the protocol's shape
        """`count` times the value; takes nothing from the generator."""
        return np.full(count, self.value, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Uniform:
    """Evenly between `low` and `high`; the two may be equal."""

    low: float
    high: float

    def __post_init__(self) -> None:
        _number("low", self.low)
        _number("high", self.high)
        if self.low > self.high:
            raise ValueError("low must not exceed high")

    @property
    def mean(self) -> float:
        """Half-way."""
        return (self.low + self.high) / 2

    @property
    def variance(self) -> float:
        """A twelfth of the squared width."""
        return (self.high - self.low) ** 2 / 12

    @property
    def scv(self) -> float:
        """Squared coefficient of variation."""
        return _scv(self)

    def sample(self, generator: np.random.Generator, count: int) -> Samples:
        """`count` draws."""
        return self.low + (self.high - self.low) * generator.random(count)


@dataclass(frozen=True, slots=True)
class Normal:
    """A normal law cut at 0: what would fall below 0 is drawn again (the truncated law, nothing heaps up at 0).

    `mu` and `sigma` are the mean and the standard deviation before the cut; `mean` and `variance` are exact for what
    is drawn, thus a little above `mu` and below `sigma` squared when `mu` is only a few `sigma`.
    """

    mu: float
    sigma: float

    def __post_init__(self) -> None:
        _not_negative("mean", self.mu)
        _not_negative("sd", self.sigma)

    @property
    def mean(self) -> float:
        """Mean after the cut."""
        return self.mu + self.sigma * self._hazard

    @property
    def variance(self) -> float:
        """Variance after the cut."""
        return self.sigma**2 * (1 - self._hazard * (self._standard + self._hazard))

    @property
    def scv(self) -> float:
        """Squared coefficient of variation, after the cut."""
        return _scv(self)

    @property
    def kept(self) -> float:
        """The share of the uncut law above 0, at least a half."""
        return 0.5 * math.erfc(-self._standard / math.sqrt(2))

    @property
    def _standard(self) -> float:
        """How many `sigma` the cut lies below `mu`, at most a thousand: there the density is 0 long since."""
        return self.mu / self.sigma if self.mu < _FAR * self.sigma else _FAR

    @property
    def _hazard(self) -> float:
        return math.exp(-0.5 * self._standard**2) / math.sqrt(2 * math.pi) / self.kept

    def sample(self, generator: np.random.Generator, count: int) -> Samples:
        """`count` draws by inversion: one uniform number each, exactly the law of drawing again."""
        from scipy.special import ndtri  # noqa: PLC0415 - slow to import, and only this law needs it

        below = np.minimum(ndtri((1.0 - generator.random(count)) * self.kept), self._standard)
        drawn: Samples = np.maximum(self.mu - self.sigma * below, 0.0)
        return drawn


@dataclass(frozen=True, slots=True)
class Exponential:
    """Memoryless with the given mean."""

    mean: float

    def __post_init__(self) -> None:
        _positive("mean", self.mean)

    @property
    def variance(self) -> float:
        """The squared mean."""
        return self.mean**2

    @property
    def scv(self) -> float:
        """Always 1."""
        return 1.0

    def sample(self, generator: np.random.Generator, count: int) -> Samples:
        """`count` draws."""
        return generator.exponential(self.mean, count)


@dataclass(frozen=True, slots=True)
class Gamma:
    """Gamma by mean and squared coefficient of variation: shape 1/scv."""

    mean: float
    scv: float

    def __post_init__(self) -> None:
        _positive("mean", self.mean)
        _positive("scv", self.scv)

    @property
    def variance(self) -> float:
        """From the two parameters."""
        return self.scv * self.mean**2

    def sample(self, generator: np.random.Generator, count: int) -> Samples:
        """`count` draws."""
        return generator.gamma(1 / self.scv, self.mean * self.scv, count)


@dataclass(frozen=True, slots=True)
class Hyperexponential:
    """One of two exponentials, chosen so that both contribute half of the mean (balanced means)."""

    mean: float
    scv: float

    def __post_init__(self) -> None:
        _positive("mean", self.mean)
        _number("scv", self.scv)
        if self.scv < 1:
            raise ValueError(f"scv = {self.scv:g} must be at least 1 for hyperexponential; below that take gamma")

    @property
    def variance(self) -> float:
        """From the two parameters."""
        return self.scv * self.mean**2

    @property
    def phases(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """(probability, mean) of the short phase, then of the long one."""
        root = math.sqrt((self.scv - 1) / (self.scv + 1))
        likely = (1 + root) / 2
        rare = 1 / ((self.scv + 1) * (1 + root))  # equals (1 - root) / 2, without the cancellation
        return (likely, self.mean / (2 * likely)), (rare, self.mean / (2 * rare))

    def sample(self, generator: np.random.Generator, count: int) -> Samples:
        """`count` draws, two uniform numbers each."""
        (_, short), (rare, long) = self.phases
        pairs = generator.random((count, 2))
        means: Samples = np.where(pairs[:, 0] < rare, long, short)
        return -means * np.log1p(-pairs[:, 1])


@dataclass(frozen=True)
class Zipf:
    """The whole numbers 1 … `values`, drawn with weight v^-`exponent`."""

    values: int
    exponent: float

    def __post_init__(self) -> None:
        if not 1 <= self.values <= RANKS_MAX or self.values != int(self.values):
            raise ValueError(f"values = {self.values} must be a whole number from 1 to {RANKS_MAX}")
        _not_negative("exponent", self.exponent)

    @cached_property
    def probabilities(self) -> Samples:
        """Of 1, 2, … in order; they sum to 1."""
        weights = Power(self.exponent).weights(self.values)
        shares: Samples = weights / weights.sum()
        return shares

    @cached_property
    def _cumulative(self) -> Samples:
        return np.cumsum(self.probabilities)

    @cached_property
    def mean(self) -> float:
        """Mean of the drawn numbers."""
        return float(self.probabilities @ np.arange(1, self.values + 1))

    @cached_property
    def variance(self) -> float:
        """Variance of the drawn numbers."""
        return float(self.probabilities @ (np.arange(1, self.values + 1) - self.mean) ** 2)

    @property
    def scv(self) -> float:
        """Squared coefficient of variation."""
        return _scv(self)

    def sample(self, generator: np.random.Generator, count: int) -> Samples:
        """`count` draws, whole numbers as floats."""
        ranks = np.searchsorted(self._cumulative, generator.random(count), side="right") + 1
        return np.minimum(ranks, self.values).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Power:
    """A popularity: rank r has weight r^-`exponent`. How many ranks there are, the place of use says."""

    exponent: float

    def __post_init__(self) -> None:
        _not_negative("exponent", self.exponent)

    def weights(self, ranks: int) -> Samples:
        """Weights of the ranks 1 … `ranks`, not normed."""
        return np.arange(1, ranks + 1, dtype=np.float64) ** -self.exponent

    def over(self, ranks: int) -> Zipf:
        """The law of the rank that is drawn."""
        return Zipf(ranks, self.exponent)


@dataclass(frozen=True, eq=False)
class Empirical:
    """Values measured elsewhere, each drawn with equal weight; `values` are sorted, at most `EMPIRICAL_MAX`."""

    file: str
    """Where they came from; written back as it was given."""
    values: Samples = field(repr=False)

    @classmethod
    def of(cls, file: str, values: Sequence[float] | Samples) -> "Empirical":
        """Checks, copies and sorts the values."""
        if not 1 <= len(values) <= EMPIRICAL_MAX:
            raise ValueError(f"file {file} holds {len(values)} values; 1 to {EMPIRICAL_MAX} would be right")
        ordered = np.sort(np.asarray(values, dtype=np.float64))
        if not np.isfinite(ordered).all() or np.abs(ordered).max() > NUMBER_MAX:
            raise ValueError(f"file {file} holds a value that is not a finite number")
        ordered.setflags(write=False)
        return cls(file, ordered)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Empirical):
            return NotImplemented
        return self.file == other.file and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash((self.file, len(self.values)))

    @cached_property
    def mean(self) -> float:
        """Mean of the values."""
        return float(self.values.mean())

    @cached_property
    def variance(self) -> float:
        """Variance of the values as they stand (divided by their number)."""
        return float(self.values.var())

    @property
    def scv(self) -> float:
        """Squared coefficient of variation."""
        return _scv(self)

    def sample(self, generator: np.random.Generator, count: int) -> Samples:
        """`count` draws with replacement."""
        places = (generator.random(count) * len(self.values)).astype(np.int64)
        return self.values[places]


def _number(key: str, value: float) -> None:
    if not math.isfinite(value) or abs(value) > NUMBER_MAX:
        raise ValueError(f"{key} = {value} must be a finite number, at most {NUMBER_MAX:g}")


def _not_negative(key: str, value: float) -> None:
    _number(key, value)
    if value < 0:
        raise ValueError(f"{key} = {value:g} must not be negative")


def _positive(key: str, value: float) -> None:
    _number(key, value)
    if value <= 0:
        raise ValueError(f"{key} = {value:g} must be greater than 0")


def _scv(law: Uniform | Normal | Zipf | Empirical) -> float:
    """Variance over squared mean; 0 for what never varies, infinite where the mean is 0."""
    if law.variance == 0:
        return 0.0
    return law.variance / law.mean**2 if law.mean != 0 else math.inf
