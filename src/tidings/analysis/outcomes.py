"""What can become of an event that is addressed to a broker, case by case, and its delay over all cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np

from tidings.analysis.delay_law import DelayLaw, Floats

Ends: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case: it arrives, over these links one after the other, having waited for answers that did not come."""

    probability: float
    crossed: tuple[Ends, ...]
    waited_ns: float


@dataclass(frozen=True, eq=False)
class Outcomes:
    """All cases; what is missing to 1 is lost."""

    cases: Sequence[Outcome]
    sent: Mapping[Ends, float] = field(default_factory=dict)
    """Copies sent over each link, by direction: expected numbers."""

    @cached_property
    def arrives(self) -> float:
        """Probability to arrive at all."""
        return min(sum(case.probability for case in self.cases), 1.0)


@dataclass(frozen=True, eq=False, slots=True)
class Cases:
    """Cases whose random delays have one law: their probabilities, and what is constant about each."""

    shares: Floats
    constants: Floats
    """Nanoseconds, ascending."""
    law: DelayLaw


@dataclass(frozen=True, eq=False)
class MixedDelay:
    """A delay that has one of several laws; their probabilities sum to 1."""

    parts: Sequence[Cases]

    @property
    def mean(self) -> float:
        """Of the whole."""
        return sum(float(part.shares @ (part.constants + part.law.mean)) for part in self.parts)

    @property
    def times(self) -> Floats:
        """Those of the grid."""
        return self.parts[0].law.times

    def plus(self, law: DelayLaw) -> "MixedDelay":
        """The sum with an independent delay."""
        return MixedDelay([Cases(part.shares, part.constants, part.law.plus(law)) for part in self.parts])

    def within(self, limit: float) -> float:
        """P(delay ≤ limit), exactly where nothing is random but the case."""
        return float(self.within_each(np.array([limit]))[0])

    def within_each(self, limits: Floats) -> Floats:
        """The same for many limits."""
        found: Floats = np.zeros(len(limits))
        for part in self.parts:
            if part.law.atom >= 1:
                reached = np.concatenate([[0.0], np.cumsum(part.shares)])
                found += reached[np.searchsorted(part.constants, limits - part.law.offset, side="right")]
            else:
                for share, constant in zip(part.shares.tolist(), part.constants.tolist(), strict=True):
                    found += share * part.law.within_each(limits - constant)
        return np.clip(found, 0.0, 1.0)

    def mean_within(self, limit: float) -> float | None:
        """Mean delay of what is not later than the limit; None when nothing is."""
        there = total = 0.0
        for part in self.parts:
            for share, constant in zip(part.shares.tolist(), part.constants.tolist(), strict=True):
                inside = share * part.law.within(limit - constant)
                mean = part.law.mean_within(limit - constant)
                if mean is not None and inside > 0:
                    there += inside
                    total += inside * (constant + mean)
        return total / there if there > 1e-12 else None
