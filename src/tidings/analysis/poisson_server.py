"""One server with Poisson arrivals, looked at over time: how long it remembers an arrival, and how it spaces departures.

All of it is exact, from the Laplace transform B of a busy period, the root of B(s) = S(s + λ(1 − B(s))) with S that of a
service.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from tidings.analysis.laplace import Floats, inverted, rates_for
from tidings.analysis.law_shapes import quantile, transforms
from tidings.vocabulary.distribution import Distribution, Empirical

_STEPS: Final = 80
_CLOSE: Final = 1e-13
_POINTS: Final = 64
_REMEMBERED: Final = 20
"""Relaxation times after which nothing is left of an arrival."""
_VALUES_MAX: Final = 256
"""Recorded services beyond so many are taken by as many of their quantiles."""


@dataclass(frozen=True)
class PoissonServer:
    """Arrivals per unit of time, the law of a service, and the ascending times at which it is asked for."""

    rate: float
    service: Distribution
    times: Floats

    @property
    def load(self) -> float:
        """Below 1."""
        return self.rate * self.service.mean

    @cached_property
    def work_kept(self) -> Floats:
        """Of an extra arrival's work, the share that is still to its account later on.

        Its service, less the time for which the server would otherwise have been idle.
        """
        lost = (1 - self.load) * (1 - self._busy) / (self._rates * self.service.mean)
        return self._over_time((1 - lost) / self._rates, later=0.0)

    @cached_property
    def busy_kept(self) -> Floats:
        """How much likelier an extra arrival makes it to find the server busy later on; 1 at once."""
        return self._over_time((1 - self._busy) / self._rates, later=0.0)

    @cached_property
    def spacing(self) -> Floats:
        """Index of dispersion of the departures, less 1 (that of Poisson departures).

        With h(s) the transform of the rate of departures after a departure, the variance of their counts has the
        transform λ/s² + 2λ(h(s) − λ/s)/s².
        """
        return 2 * self._over_time((self._departures - self.rate / self._rates) / self._rates**2) / self.times

    @cached_property
    def bunching(self) -> Floats:
        """Up to each time, the integral of E[T; a departure that long before] − E[T] · (rate of departures then).

        T is the time that somebody spent here who leaves now. Who leaves behind n others has spent the time in which n have
        come, so the first term follows from how many are left behind at a departure after a departure.
        """
        mean = self.service.mean * (1 + self.load * (1 + self.service.scv) / (2 * (1 - self.load)))
        return self._over_time((self._left_behind / self.rate - mean * self._departures) / self._rates)

    # ---- transforms

    @property
    def _left_behind(self) -> Floats:
        """After a departure, the rate of departures times how many they leave behind."""
        rates, served, near = self._rates, self._served, 1e-5 * self._rates
        while_served = self.rate * (self._of_service(rates - near) - self._of_service(rates + near)) / (2 * near)
        others = self.load + self.load**2 * (1 + self.service.scv) / (2 * (1 - self.load))
        come = self._nobody_left * (self.rate * served - rates * while_served) / (rates + self.rate)
        both = (1 + self._departures) * (while_served - 1)
        return (1 + others + come + both) / (1 - served) - others

    @cached_property
    def _departures(self) -> Floats:
        """After a departure, the rate of departures: those that leave nobody behind are told by their busy periods."""
        share = self._rates * self._nobody_left / (self._rates + self.rate)
        return self._served * (1 - share) / (1 - self._served)

    @property
    def _nobody_left(self) -> Floats:
        """The rate of departures, one at 0 included, that leave nobody behind."""
        others = self.rate * (1 - self._busy)
        served = self._of_service(others)
        left = (1 - self.load) * (1 - self._busy) * served / (served - self._busy)
        return left * (self._rates + self.rate) / (self._rates + others)

    @cached_property
    def _busy(self) -> Floats:
        """Of a busy period: Newton's steps from 0 ascend to the smallest root."""
        found = np.zeros_like(self._rates)
        for _ in range(_STEPS):
            at = self._rates + self.rate * (1 - found)
            near = 1e-5 * at
            slope = self.rate * (self._of_service(at + near) - self._of_service(at - near)) / (2 * near)
            step = (self._of_service(at) - found) / (1 + slope)
            found = np.minimum(found + step, 1.0)
            if float(np.abs(step).max()) < _CLOSE:
                break
        return found

    @cached_property
    def _served(self) -> Floats:
        return self._of_service(self._rates)

    def _of_service(self, rates: Floats) -> Floats:
        return transforms(self._law, rates)

    @cached_property
    def _law(self) -> Distribution:
        if isinstance(self.service, Empirical) and len(self.service.values) > _VALUES_MAX:
            some = quantile(self.service, (np.arange(_VALUES_MAX) + 0.5) / _VALUES_MAX)
            return Empirical.of(self.service.file, some * (self.service.mean / some.mean()))
        return self.service

    # ---- times

    @cached_property
    def _some(self) -> Floats:
        """Times as far as anything is remembered, fewer than are asked for."""
        remembered = _REMEMBERED * self.service.mean * (1 + self.service.scv) / (1 - math.sqrt(self.load)) ** 2
        found: Floats = np.geomspace(self.times[0], min(max(remembered, 2 * self.times[0]), self.times[-1]), _POINTS)
        return found

    @cached_property
    def _rates(self) -> Floats:
        return rates_for(self._some)

    def _over_time(self, transform: Floats, later: float | None = None) -> Floats:
        """The function of this transform, along the logarithm of time; in the end `later`, or what it was last."""
        known = inverted(self._some, transform)
        found: Floats = np.interp(np.log(self.times), np.log(self._some), known, right=later)
        return found
