"""How far one delay may exceed another, as a receiver knows it from what it has measured.

A *reach* is the time after which a missing event is given up, counted from its departure, seen from an event that
departed later and is there. Each kind answers the same question from the same samples, and says None as long as it
has too few of them.
"""

import math
from dataclasses import dataclass
from typing import Final, Protocol

from tidings.errors import InputError
from tidings.ordering.delay_law import DelayLaw, TwoLaplace, check_probability
from tidings.ordering.estimators import bernstein_bound, chebyshev_bound
from tidings.ordering.phases import PHASES_MAX
from tidings.ordering.predictive import SAMPLES_MIN, pair_tolerance, plain_factor, predictive_factor
from tidings.ordering.samples import Samples

PAPERS_LAW: Final = TwoLaplace(1.0)
"""The shape that is taken for any number of hops when none is known."""


class Reach(Protocol):
    """One way to answer; `size` is how many samples it wants to see."""

    @property
    def size(self) -> int:
        """Samples to keep."""

    def reach_ns(self, samples: Samples) -> int | None:
        """The reach, rounded up; None when the samples are too few."""


@dataclass(frozen=True, slots=True)
class PredictiveReach:
    """The quantile of the law's shape that accounts for the estimate's own error: the default.

    `tolerance` is per event, against all that come after it; the paper's is per pair, and a little smaller a promise.
    """

    law: DelayLaw
    tolerance: float
    size: int = 25

    def __post_init__(self) -> None:
        check_probability("tolerance", self.tolerance)
        _check_size(self.size, SAMPLES_MIN)

    def reach_ns(self, samples: Samples) -> int | None:
        """The measured mean times a factor that depends on how many were measured."""
        count = len(samples)
        if count < SAMPLES_MIN:
            return None
        tolerance = pair_tolerance(self.law, self.tolerance)
        return math.ceil(samples.total_ns / count * predictive_factor(self.law, count, tolerance))


@dataclass(frozen=True, slots=True)
class PlainReach:
    """The quantile with the estimated scale in place of the true one, as in the paper: exceeded too often."""

    law: DelayLaw
    tolerance: float
    size: int = 25

    def __post_init__(self) -> None:
        check_probability("tolerance", self.tolerance)
        _check_size(self.size, 1)

    def reach_ns(self, samples: Samples) -> int | None:
        """The measured mean times a constant factor."""
        if not len(samples):
            return None
        return math.ceil(samples.total_ns / len(samples) * plain_factor(self.law, self.tolerance))


@dataclass(frozen=True, slots=True)
class EmpiricalReach:
    """A measured difference itself, by rank: the one to trust under heavy tails. Needs only that the law is symmetric.

    For n samples that could as well come in any other order, the next one exceeds in size the r-th smallest with
    probability (n + 1 − r)/(n + 1), and half of that above it.
    """

    tolerance: float
    size: int = 25
    """At least; a small tolerance needs more, see `needed`."""
    until: Reach | None = None
    """What to go by while the samples are too few; None: nothing."""

    def __post_init__(self) -> None:
        check_probability("tolerance", self.tolerance)
        _check_size(self.size, 1)
        # Four times what the largest sample alone would need: its rank would be a poor guess of a far quantile.
        object.__setattr__(self, "size", max(self.size, 4 * self.needed))

    @property
    def needed(self) -> int:
        """Samples below which even the largest is not far enough out."""
        return max(1, math.ceil(0.5 / self.tolerance) - 1)

    def reach_ns(self, samples: Samples) -> int | None:
        """The sample of the smallest rank that is far enough out."""
        count = len(samples)
        if count < self.needed:
            return None if self.until is None else self.until.reach_ns(samples)
        rank = math.ceil((1.0 - 2.0 * self.tolerance) * (count + 1))
        return 0 if rank < 1 else samples.ranked_ns(min(rank, count))


@dataclass(frozen=True, slots=True)
class ChebyshevReach:
    """Chebyshev's bound with the measured mean square for the variance: any symmetric law that has one, wide."""

    tolerance: float
    size: int = 25

    def __post_init__(self) -> None:
        check_probability("tolerance", self.tolerance)
        _check_size(self.size, SAMPLES_MIN)

    def reach_ns(self, samples: Samples) -> int | None:
        """σ/√(2·tolerance)."""
        if len(samples) < SAMPLES_MIN:
            return None
        return math.ceil(chebyshev_bound(self.tolerance, samples.squares_ns2 / len(samples)))


@dataclass(frozen=True, slots=True)
class BernsteinReach:
    """Bernstein's bound for a known number of hops with exponential times of about one mean."""

    tolerance: float
    hops: int
    size: int = 25

    def __post_init__(self) -> None:
        check_probability("tolerance", self.tolerance)
        if not 1 <= self.hops <= PHASES_MAX:
            raise InputError(f"hops = {self.hops} must be a whole number from 1 to {PHASES_MAX}")
        _check_size(self.size, SAMPLES_MIN)

    def reach_ns(self, samples: Samples) -> int | None:
        """From the measured mean square, shared evenly among the hops: 2b² of variance for each."""
        if len(samples) < SAMPLES_MIN:
            return None
        variance = samples.squares_ns2 / len(samples)
        return math.ceil(bernstein_bound(self.tolerance, variance, math.sqrt(variance / (2.0 * self.hops))))


def reach_of(latch: str, tolerance: float, *, law: DelayLaw = PAPERS_LAW) -> Reach | None:
    """The reach of a latch by its name in scenarios; None for `constant`, which has none."""
    if latch == "predictive":
        return PredictiveReach(law, tolerance)
    if latch == "plain":
        return PlainReach(law, tolerance)
    if latch == "empirical":
        return EmpiricalReach(tolerance, until=PredictiveReach(law, tolerance))
    if latch == "constant":
        return None
    raise InputError(f'latch = "{latch}"; predictive, plain, empirical or constant would be right')


def _check_size(size: int, smallest: int) -> None:
    if size < smallest:
        raise InputError(f"samples = {size}; this latch needs to keep {smallest} or more")
