"""One delay on several grids of times, the finest first: milliseconds on the network and hours in a buffer, in one law."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from tidings.analysis.delay_law import DelayLaw, Floats, TimeGrid, constant_delay

_STEP: Final = 32.0
"""Each grid reaches so many times farther than the one before."""


def horizons(near: float, far: float) -> tuple[float, ...]:
    """Where the grids end, from the time scale of the network to the longest that matters."""
    found = [far]
    while found[-1] > near:
        found.append(max(found[-1] / _STEP, min(near, found[-1])))
        if found[-1] <= near:
            break
    return tuple(reversed(found))


@dataclass(frozen=True)
class ScaledDelay:
    """The same delay as laws on grids with ascending horizons."""

    laws: tuple[DelayLaw, ...]

    @property
    def mean(self) -> float:
        """Of the whole."""
        return self.laws[-1].mean

    @cached_property
    def times(self) -> Floats:
        """All grids' times, each grid's beyond the end of the one before."""
        found = [self.laws[0].grid.times]
        for before, law in zip(self.laws, self.laws[1:], strict=False):
            found.append(law.grid.times[law.grid.times > before.grid.horizon])
        return np.concatenate(found)

    def plus(self, other: "ScaledDelay") -> "ScaledDelay":
        """The sum of two independent delays."""
        return ScaledDelay(tuple(one.plus(two) for one, two in zip(self.laws, other.laws, strict=True)))

    def within(self, limit: float) -> float:
        """P(delay ≤ limit), from the finest grid that reaches so far."""
        return self._for(limit).within(limit)

    def within_each(self, limits: Floats) -> Floats:
        """The same for many limits."""
        found: Floats = np.zeros_like(limits)
        left = np.ones(limits.shape, np.bool_)
        for law in self.laws[:-1]:
            here = left & (limits <= law.grid.horizon + law.offset)
            found[here] = law.within_each(limits[here])
            left &= ~here
        found[left] = self.laws[-1].within_each(limits[left])
        return found

    def mean_within(self, limit: float) -> float | None:
        """Mean delay of what is not later than the limit; None when nothing is."""
        return self._for(limit).mean_within(limit)

    def _for(self, limit: float) -> DelayLaw:
        return next((law for law in self.laws if limit <= law.grid.horizon + law.offset), self.laws[-1])


def waiting_sometimes(law: DelayLaw, share: float) -> DelayLaw:
    """No delay with probability `share`, else this one given that it is one."""
    if law.atom >= 1 - 1e-15:
        return constant_delay(law.grid, 0.0)
    waits = (law.spectrum - law.atom) / (1 - law.atom)
    if share >= 1:
        return constant_delay(law.grid, 0.0)
    often = (1 - share) / (1 - law.atom)
    mean, square = often * law.mean, often * (law.variance + law.mean**2)
    return DelayLaw(law.grid, share + (1 - share) * waits, share, 0.0, mean, square - mean**2)


def grids(near: float, far: float) -> Sequence[TimeGrid]:
    """Of all horizons."""
    return [TimeGrid(horizon) for horizon in horizons(near, far)]
