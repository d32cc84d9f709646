"""Where a roaming subscriber is attached, and how long events wait for it when it is not (thesis, 4.3).

A stay in range of a point counts from when the hand-off is through; one that is over before that does not count, and
what waits goes on waiting. So a subscriber is away from the end of one stay that counts until the next one does: for Y,
a sum of gaps, stays too short, and a hand-off. Instants at which it is away are spread evenly over all Y, so what waits
less than a lifetime D is E[min(Y, D)] for each stay: Eq. 4.3 with stays that do not count, and Eq. 4.1 for the stays.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tidings.analysis.coverage import Floats
from tidings.analysis.delay_law import TimeGrid, masses_of
from tidings.analysis.law_shapes import quantile, survival
from tidings.analysis.phase_laws import PhaseLaws
from tidings.vocabulary.distribution import Constant, Distribution

_NEARLY_ALL = 1 - 1e-9


@dataclass(frozen=True)
class Latency:
    """From coming into range until everything is there: the scenario's law, and a fetch from another broker."""

    law: Distribution
    fetch: float = 0.0

    @property
    def longest(self) -> float:
        """Hardly ever exceeded."""
        rest = self.law.mean if self.law.variance == 0 else float(quantile(self.law, np.array([_NEARLY_ALL]))[0])
        return self.fetch + rest

    def longer(self, times: Floats) -> Floats:
        """P(H > t) for each time; where H is just t, a half."""
        law = self.law
        if isinstance(law, Constant) or law.variance == 0:
            return np.heaviside(self.fetch + law.mean - times, 0.5)
        return np.where(times < self.fetch, 1.0, survival(law, times - self.fetch))

    def masses(self, grid: TimeGrid) -> Floats:
        """At the times of a grid."""
        law = self.law
        constant = isinstance(law, Constant) or law.variance == 0
        found = np.zeros(grid.points + 1)
        if constant:
            found[0] = 1.0
        else:
            found = masses_of(grid, law)
        return _shifted(found, (self.fetch + (law.mean if constant else 0.0)) / grid.step)


@dataclass(frozen=True, eq=False)
class Presence:
    """Shares of a subscriber's time, by the point where it is, or was last."""

    attached: Floats
    away: Floats
    returns: float
    """Share of the time that it is away, and will be attached again."""
    waits: Callable[[TimeGrid], Floats]
    """How long it takes to be attached again, from an instant at which it is away: masses at the times of a grid.

    They sum to the time away, less what is longer than the grid, or never ends.
    """


def steady_presence(laws: PhaseLaws, points: int, latency: Latency) -> Presence:
    """Of a walk without end."""
    rates = np.array([laws.rate(point) for point in range(points)])
    shares = np.array([laws.share(point) for point in range(points)])
    rate = float(rates.sum())
    if rate <= 0:
        return Presence(shares, np.zeros(points), 0.0, lambda grid: np.zeros(grid.points + 1))
    grid = TimeGrid(max(latency.longest, 1.0))
    stays = [longer(laws.law(point, grid)) for point in range(points)]
    missed = [float(np.trapezoid(stay * latency.longer(grid.times), grid.times)) for stay in stays]
    attached = np.maximum(shares - rates * np.array(missed), 0.0)
    counted = rates * np.array([float(latency.masses(grid) @ stay) for stay in stays])
    count = float(counted.sum())
    away = (1 - float(attached.sum())) * (counted / count if count > 0 else rates / rate)

    def waits(grid: TimeGrid) -> Floats:
        if count <= 0:
            return np.zeros(grid.points + 1)
        stay = sum(laws.law(point, grid) * rates[point] for point in range(points)) / rate
        absent = absence(laws.gap(grid), np.asarray(stay), latency, grid)
        return count * residual(absent, grid)

    return Presence(attached, away, float(away.sum()) if count > 0 else 0.0, waits)


def absence(gap: Floats, stay: Floats, latency: Latency, grid: TimeGrid) -> Floats:
    """From the end of a stay until one counts again: gaps and stays as masses on the grid, and the result too."""
    through = latency.masses(grid) * longer(stay)
    too_short = grid.spectrum(stay * latency.longer(grid.times)) * grid.spectrum(gap)
    return grid.masses(grid.spectrum(gap) * grid.spectrum(through) / (1 - too_short))


def residual(law: Floats, grid: TimeGrid) -> Floats:
    """What is left of a time with these masses, at all of its instants together: nanoseconds at the times of the grid."""
    longer = np.maximum(1 - np.cumsum(law), 0.0) * grid.step
    found = longer / 2
    found[1:] += longer[:-1] / 2
    return found


def mixed(parts: Sequence[tuple[float, Presence]]) -> Presence:
    """Of somebody who is one of several walkers, with these probabilities."""
    if len(parts) == 1:
        return parts[0][1]

    def waits(grid: TimeGrid) -> Floats:
        return np.asarray(np.sum([weight * one.waits(grid) for weight, one in parts], axis=0), np.float64)

    attached, away = (
        np.asarray(np.sum([weight * getattr(one, name) for weight, one in parts], axis=0), np.float64)
        for name in ("attached", "away")
    )
    return Presence(attached, away, sum(weight * one.returns for weight, one in parts), waits)


def longer(law: Floats) -> Floats:
    """P(X > t) at the times of the grid; of what is just t, a half."""
    return np.maximum(1 - np.cumsum(law) + law / 2, 0.0)


def _shifted(masses: Floats, by: float) -> Floats:
    """Later by so many steps."""
    size = len(masses)
    found = np.zeros(size)
    whole = int(min(by, size))
    part = min(by, size) - whole
    found[whole:] += (1 - part) * masses[: size - whole]
    if whole + 1 < size:
        found[whole + 1 :] += part * masses[: size - whole - 1]
    return found
