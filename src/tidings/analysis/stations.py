"""One queue with one server: what queueing theory says about the mean wait, exactly or as an approximation.

Rates and times are in any one unit. A wait is the time before service; a load of 1 or more has no steady state and
gives infinity, never a negative number.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.optimize import brentq


@dataclass(frozen=True, slots=True, kw_only=True)
class Station:
    """A server with unlimited room, first come first served."""

    rate: float
    """Arrivals per unit of time."""
    service_mean: float
    service_scv: float = 1.0
    """Squared coefficient of variation of a service time."""

    @property
    def load(self) -> float:
        """Share of time that the server works, where that is possible."""
        return self.rate * self.service_mean

    @property
    def stable(self) -> bool:
        """True when waits do not grow without bound."""
        return self.load < 1.0


def poisson_wait(station: Station) -> float:
    """Mean wait under Poisson arrivals: Pollaczek and Khinchine, exact."""
    if not station.stable:
        return math.inf
    return station.load * station.service_mean * (1 + station.service_scv) / (2 * (1 - station.load))


def general_wait(station: Station, arrival_scv: float) -> float:
    """Mean wait by Krämer and Langenbach-Belz; exact under Poisson arrivals, elsewhere an approximation.

    Above an arrival scv of 1 there is no correction, as in Whitt's Queueing Network Analyzer.
    """
    if not station.stable:
        return math.inf
    spread = arrival_scv + station.service_scv
    if station.load * spread == 0:  # idle, or nothing varies as far as numbers can tell
        return 0.0
    plain = station.load * station.service_mean * spread / (2 * (1 - station.load))
    if arrival_scv >= 1:
        return plain
    return plain * math.exp(-2 * (1 - station.load) * (1 - arrival_scv) ** 2 / (3 * station.load * spread))


def kingman_bound(station: Station, arrival_scv: float) -> float:
    """No renewal stream of this scv makes the mean wait longer (Kingman 1962)."""
    if not station.stable:
        return math.inf
    if station.load == 0:
        return 0.0
    interval_mean = 1 / station.rate
    variances = arrival_scv * interval_mean**2 + station.service_scv * station.service_mean**2
    return station.rate * variances / (2 * (1 - station.load))


def waiting_share(station: Station, transform: Callable[[float], float]) -> float:
    """Of renewal arrivals at exponential service, the share that waits: the root of σ = A(μ(1 − σ)) below 1.

    Given that it waits, an arrival waits for an exponential time of mean 1 / (μ(1 − σ)). `transform` is the Laplace
    transform of the time between arrivals.
    """
    if not station.stable:
        return 1.0
    speed = 1 / station.service_mean
    gap = _gap
    lowest, highest = 0.0, 1.0 - 1e-3 * (1 - station.load)
    while gap(highest, speed, transform) <= 0:
        highest = 1 - (1 - highest) / 10
        if highest == 1.0:
            return 1.0
    return float(brentq(gap, lowest, highest, args=(speed, transform), xtol=1e-15)) if transform(speed) > 0 else 0.0


def renewal_wait(station: Station, transform: Callable[[float], float]) -> float:
    """Mean wait of renewal arrivals at exponential service (GI/M/1), exact."""
    share = waiting_share(station, transform)
    return math.inf if share >= 1 else share * station.service_mean / (1 - share)


def constant_service_wait_cdf(station: Station, time: float) -> float:
    """P(wait ≤ time) under Poisson arrivals and a constant service (Erlang 1909), exact.

    Its terms alternate: a few dozen services are as far as it can be trusted.
    """
    if time < 0 or not station.stable:
        return 0.0
    total = 0.0
    for served in range(int(time / station.service_mean) + 1):
        left = station.rate * (time - served * station.service_mean)
        total += (-left) ** served / math.factorial(served) * math.exp(left)
    return (1 - station.load) * total


def _gap(share: float, speed: float, transform: Callable[[float], float]) -> float:
    return share - transform(speed * (1 - share))
