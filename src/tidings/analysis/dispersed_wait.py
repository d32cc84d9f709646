"""The wait from an index of dispersion, exact for Poisson arrivals and where traffic is light or heavy.

Write the mean wait as W = λE[S²]/2(1−ρ) + ∫δ(u)K(u)du / (1−ρ). Here δ(u) is how many more arrivals than under a Poisson
stream there are, per unit of time, a time u before an arrival: half the second derivative of t·I(t). And K(u) is the work
that one of them has still to its account a time u later (`PoissonServer.work_kept`). For few extra arrivals that is exact,
since work seen by arrivals and mean work are tied by Brumelle's law. Where streams are more regular than that, what
arrivals do to each other matters as well: terms of second order, fitted once.

How often there is a wait follows in the same way, with the chance that the server is still busy in place of K. How much
the waits scatter that there are: like a geometric number of residual services, as under Poisson arrivals.

Arrivals of one stream among others see the work that an instant taken at random sees, and the extra arrivals of their own
stream only: events that come over one link have been spaced by the broker before, and wait less than the others.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from tidings.analysis.dispersion import Curve, Floats
from tidings.analysis.law_shapes import third_moment
from tidings.analysis.poisson_server import PoissonServer
from tidings.analysis.stations import Station, poisson_wait
from tidings.analysis.waiting import WaitShape

_ONE: Final = 0.35
_MANY: Final = 1.4
"""Second-order terms where one publisher is regular, and where many are: fitted to single queues with constant, Erlang and
uniform intervals, loads from 0.3 to 0.9."""
_SPACED: Final = 1.25, 0.9
"""First and second order where brokers before have spaced events: fitted to two queues in a row with constant, Erlang and
uniform services, loads from 0.3 to 0.7, three to ten tenths of the events going on, alone or among others."""
_BOTH: Final = 4.4
"""What regular publishers leave to be spaced: fitted to a tree of twenty queues with uniform intervals and services."""
_LEAST: Final = 0.02


@dataclass(frozen=True)
class Queue:
    """A stable station with a load above 0, and what it remembers."""

    station: Station
    server: PoissonServer
    concentration: float = 1.0
    """Of what arrives: the sum of the squares of the publishers' shares."""

    def wait(self, arrivals: Curve) -> WaitShape:
        """Of all arrivals, which have this index of dispersion."""
        mean, share = poisson_wait(self.station) * self._ratio(arrivals), self._waiting_share(arrivals)
        return WaitShape(mean=mean, share=share, scv=self._scv(mean / share))

    def wait_of(self, stream: Curve, whole: WaitShape) -> WaitShape:
        """Of one stream's arrivals among all, whose wait is `whole`."""
        station = self.station
        mean = station.load * whole.mean + (1 - station.load) * poisson_wait(station) * self._ratio(stream)
        return replace(whole, mean=mean, share=self._waiting_share(stream))

    def _scv(self, mean: float) -> float:
        """Of the waits that there are: a geometric number of residual services, as many as make up their mean."""
        station = self.station
        residual = station.service_mean * (1 + station.service_scv) / 2
        square = third_moment(self.server.service) / (3 * station.service_mean)
        more = min(max(1 - residual / mean, 0.0), 1.0)
        return max((square / residual**2 - 1) * (1 - more) + more, 0.05)

    def effective_index(self, arrivals: Curve) -> float:
        """The slope of t·I(t), averaged over the times over which the queue remembers."""
        return 1 + sum(_averaged(arrivals.times, row, self.server.work_kept) for row in arrivals.excess)

    def _waiting_share(self, arrivals: Curve) -> float:
        load = self.station.load
        more = sum(_averaged(arrivals.times, row, self.server.busy_kept) for row in arrivals.excess)
        share = load + (1 - load) * more / 2
        return min(max(share, 0.01 * load), 1.0)

    def _ratio(self, arrivals: Curve) -> float:
        """To the wait under Poisson arrivals."""
        station = self.station
        by_publishers, by_brokers = (
            _averaged(arrivals.times, row, self.server.work_kept) / (station.load * (1 + station.service_scv))
            for row in arrivals.excess
        )
        if by_publishers + by_brokers >= 0:
            return 1 + by_publishers + by_brokers
        regular = self.concentration * _ONE + (1 - self.concentration) * _MANY
        first = by_publishers + _SPACED[0] * by_brokers
        second = regular * by_publishers**2 + _SPACED[1] * by_brokers**2 + _BOTH * by_publishers * by_brokers
        return max(1 + first + (1 - station.load) * second, _LEAST)


def _averaged(times: Floats, excess: Floats, kept: Floats) -> float:
    """The slope of t·(I(t) − 1), by how fast is forgotten what was 1 at once."""
    left = np.concatenate([[1.0], np.clip(kept, 0.0, 1.0)])
    grown = np.diff(np.concatenate([[0.0], times * excess]))
    slopes = grown / np.diff(np.concatenate([[0.0], times]))
    return float(-np.diff(left) @ slopes + left[-1] * excess[-1])
