"""What a latch of probabilistic FIFO adds to a delay: an event is held while an earlier one of its publisher may still come.

An event with delay d is shown at t when none of those before it is missing then, or when each that is has been waited for as
long as the reach says. Of events that matter with rate λ, one published u before is missing at t with S(t + u), and is
waited for while u < reach − (t − d). Were publications Poisson and delays independent, nothing is waited for with
exp(−λ ∫ S(t + u) du), u from 0 to reach − (t − d). Nothing is ever held past the subscriber's deadline.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

import numpy as np

from tidings.analysis.delay_law import Floats
from tidings.ordering.reach import reach_of
from tidings.ordering.samples import Samples
from tidings.scenario.world import Ordering

_POINTS: Final = 256


class Delay(Protocol):
    """What is asked of a delay."""

    @property
    def times(self) -> Floats:
        """Ascending, where it is looked at."""

    @property
    def mean(self) -> float:
        """Of the whole."""

    def within(self, limit: float) -> float:
        """P(delay ≤ limit)."""

    def within_each(self, limits: Floats) -> Floats:
        """The same for many limits."""

    def mean_within(self, limit: float) -> float | None:
        """Of what is not later than the limit; None when nothing is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latch:
    """How one subscriber holds back what one publisher says."""

    ordering: Ordering
    rate: float
    """Of the publisher's events that it wants, per nanosecond."""
    arrives: float
    """The share of them that ever comes: what is lost is waited for too."""
    limit: float
    """Lifetime or deadline: nothing is held past it."""


@dataclass(frozen=True, eq=False)
class LatchedDelay:
    """A delay until an event is shown, `inner` until it is there."""

    inner: Delay
    latch: Latch

    @property
    def times(self) -> Floats:
        """Those of the delay until it is there."""
        return self.inner.times

    @property
    def mean(self) -> float:
        """Of the whole."""
        return self.inner.mean + self._added(np.inf)

    def within(self, limit: float) -> float:
        """P(shown by the limit): by the deadline everything is shown that is there."""
        return float(self.within_each(np.array([limit]))[0])

    def within_each(self, limits: Floats) -> Floats:
        """The same for many limits."""
        there = self.inner.within_each(limits)
        held = np.minimum(np.interp(limits, self._grid, self._shown), there)
        return np.where(limits < self.latch.limit, held, there)

    def mean_within(self, limit: float) -> float | None:
        """Mean delay of what is there by the limit; None when nothing is."""
        there, mean = self.inner.within(limit), self.inner.mean_within(limit)
        return None if mean is None or there <= 0 else mean + self._added(limit) / there

    @cached_property
    def reach(self) -> float:
        """How long after its publication an event is waited for, at most."""
        ordering = self.latch.ordering
        rule = reach_of(ordering.latch, ordering.tolerance)
        if rule is None:
            return float(ordering.hold_ns or 0)
        samples = Samples(rule.size)
        for difference in self._differences(rule.size).tolist():
            samples.add(round(difference))
        return float(rule.reach_ns(samples) or 0)

    @cached_property
    def _grid(self) -> Floats:
        """Evenly from 0 to where nothing more is held, or there."""
        times = self.inner.times
        there = self.inner.within_each(times)
        most = float(times[np.searchsorted(there, 0.9999 * there[-1])]) if there[-1] > 0 else float(times[-1])
        return np.linspace(0.0, max(most, float(times[1])) * 1.5, _POINTS)

    @cached_property
    def _there(self) -> Floats:
        return self.inner.within_each(self._grid)

    def _differences(self, count: int) -> Floats:
        """Sizes of the difference of two delays, as many as are measured, evenly spread over their law."""
        total = float(self._there[-1])
        if total <= 0:
            return np.zeros(count)
        shares = (np.arange(_POINTS) + 0.5) / _POINTS * total
        delays = np.interp(shares, self._there, self._grid)
        if self.inner.within(float(delays.mean()) + 1) - self.inner.within(float(delays.mean()) - 1) >= total - 1e-9:
            return np.zeros(count)
        sizes = np.sort(np.abs(delays[:, None] - delays[None, :]), axis=None)
        places = ((np.arange(count) + 0.5) / count * len(sizes)).astype(np.int64)
        return sizes[places]

    @cached_property
    def _shown(self) -> Floats:
        """Probability to be shown by each time of the grid, were there no deadline."""
        grid, there, reach = self._grid, self._there, self.reach
        if reach <= 0 or self.latch.rate <= 0:
            return there
        missing = 1 - self.latch.arrives * there
        gone = np.concatenate([[0.0], np.cumsum((missing[1:] + missing[:-1]) / 2)]) * (grid[1] - grid[0])
        beyond = np.maximum(grid + reach - grid[-1], 0.0) * missing[-1]
        until = np.interp(grid + reach, grid, gone) + beyond
        masses = np.diff(np.concatenate([[0.0], there]))
        waited = np.exp(-self.latch.rate * np.maximum(until[:, None] - gone[None, :], 0.0))
        arrived = grid[:, None] <= grid[None, :]
        shown: Floats = masses @ (waited * arrived)
        return shown

    def _added(self, limit: float) -> float:
        """By how much the mean of what is there by the limit grows, times how much that is."""
        until = np.minimum(self._grid, min(limit, self.latch.limit))
        return float(np.trapezoid(np.maximum(self._there - np.minimum(self._shown, self._there), 0.0), until))
