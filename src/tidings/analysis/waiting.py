"""The law of a wait, not only its mean: exact under Poisson arrivals and for renewal arrivals at exponential service,
else an atom at 0 and a tail that have the right mean.
"""

import math
from dataclasses import dataclass

import numpy as np

from tidings.analysis.delay_law import DelayLaw, Floats, TimeGrid, masses_of, mixture, never, no_delay
from tidings.analysis.law_shapes import excess, third_moment
from tidings.analysis.stations import Station, poisson_wait
from tidings.vocabulary.distribution import Constant, Distribution, Exponential, Gamma


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitShape:
    """A wait by three numbers: its mean, how often there is any, and the scv of the waits that there are."""

    mean: float
    share: float
    scv: float = 1.0

    @property
    def variance(self) -> float:
        """Of all waits, those that are none included; infinite without a steady state."""
        if math.isinf(self.mean) or self.share <= 0:
            return self.mean
        return self.mean**2 * ((1 + self.scv) / self.share - 1)


def poisson_wait_law(grid: TimeGrid, station: Station, service: Distribution) -> DelayLaw:
    """Under Poisson arrivals (M/G/1), exact: residual services, a geometric number of them.

    What is discretised is the residual service, cell by cell.
    """
    if not station.stable:
        return never(grid)
    if station.load == 0:
        return no_delay(grid)
    residual = grid.spectrum(_residual_masses(grid, service))
    spectrum = (1 - station.load) / (1 - station.load * residual)
    mean = poisson_wait(station)
    variance = mean**2 + station.rate * third_moment(service) / (3 * (1 - station.load))
    return DelayLaw(grid, spectrum, 1 - station.load, 0.0, mean, variance)


def shaped_wait_law(grid: TimeGrid, shape: WaitShape) -> DelayLaw:
    """With an atom at 0 and a gamma law (an exponential one for scv 1) for those who wait."""
    if math.isinf(shape.mean):
        return never(grid)
    if shape.mean <= 0 or shape.share <= 0:
        return no_delay(grid)
    share = min(shape.share, 1.0)
    waits = _law(shape.mean / share, shape.scv)
    masses = share * masses_of(grid, waits)
    masses[0] += 1 - share
    return mixture(grid, masses, 1 - share, shape.mean, shape.variance)


def general_shape(station: Station, arrival_scv: float, mean: float) -> WaitShape:
    """Whitt's approximations of how often arrivals wait and how the waits scatter (QNA, 1983), for a known mean."""
    if not station.stable or station.load == 0:
        return WaitShape(mean=mean, share=min(station.load, 1.0))
    return WaitShape(mean=mean, share=_waiting_share(station, arrival_scv), scv=_conditional_scv(station))


def _waiting_share(station: Station, arrival_scv: float) -> float:
    """Krämer and Langenbach-Belz's probability of a wait."""
    load, service_scv = station.load, station.service_scv
    spread = arrival_scv + service_scv
    if arrival_scv <= 1:
        top = 1 + arrival_scv + load * service_scv
        bottom = 1 + load * (service_scv - 1) + load**2 * (4 * arrival_scv + service_scv)
        excess_share = (arrival_scv - 1) * (1 - load) * top / bottom
    else:
        bottom = arrival_scv + load**2 * (4 * arrival_scv + service_scv)
        excess_share = (arrival_scv - 1) * (1 - load) * 4 * load / bottom
    share = load + load * excess_share
    return min(max(share, 0.0), 1.0) if spread > 0 else 0.0


def _conditional_scv(station: Station) -> float:
    scv = station.service_scv
    third = 3 * scv * (1 + scv) if scv >= 1 else (2 * scv + 1) * (scv + 1)
    return max(0.01, 2 * station.load - 1 + 4 * (1 - station.load) * third / (3 * (scv + 1) ** 2))


def _residual_masses(grid: TimeGrid, service: Distribution) -> Floats:
    """Of what is left of a service at a random instant in it; to the nearest time of the grid."""
    borders = np.concatenate([[0.0], (np.arange(grid.points + 1) + 0.5) * grid.step])
    return -np.diff(excess(service, borders)) / service.mean


def _law(mean: float, scv: float) -> Distribution:
    if scv <= 0:
        return Constant(mean)
    return Exponential(mean) if math.isclose(scv, 1.0) else Gamma(mean, scv)
