"""How the times that one event spends at two brokers go together.

An event that was long at a broker left it behind others, close upon each other, and those of them that go its way are
before it again further on. Where arrivals are less even than services that makes long delays longer together, where they
are more even it is the slow services that made it wait, and what follows has been spaced: delays make up for each other.
With Poisson arrivals and exponential services the two cancel.

To first order the covariance of the time T at a broker a and the wait at a later one c is p·∫C(u)K(u)du: p is the share of a's
events that go on to c, K the work kept at c (`PoissonServer.work_kept`), and C(u) = E[T; somebody left a time u before] −
E[T]h(u), which is exact for Poisson arrivals. For others C is scaled by how much less even the arrivals are than the
services, the arrivals' index counted twice; and where most of the events go on, they find less of each other than to first
order. Both are fitted, to lines and to trees of queues with constant, uniform and exponential intervals and services.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np

from tidings.analysis.broker_waits import BrokerWait
from tidings.analysis.flows import Flow, Traffic
from tidings.analysis.laplace import Floats
from tidings.analysis.poisson_server import PoissonServer
from tidings.vocabulary.distribution import Gamma

Pairs: TypeAlias = Mapping[tuple[str, str], float]

_MODEL_SCV: Final = 0.5
"""C is taken from services of this scv: under Poisson arrivals those of scv 1 have none."""
_FIRST: Final = 1.3
_SECOND: Final = 0.75
_EVEN: Final = 1e-9


def covariances(flows: Sequence[Flow], traffic: Traffic, waits: Mapping[str, BrokerWait], times: Floats) -> Pairs:
    """Of the times at two brokers that events pass in this order; pairs without are left out."""
    bunched = {name: _bunched(wait, times) for name, wait in waits.items() if abs(_unevenness(wait)) > _EVEN}
    if not bunched:
        return {}
    kept = {name: _kept(wait, times) for name, wait in waits.items() if _works(wait) and wait.mean > 0}
    return {
        (first, later): _going_on(rate / waits[first].station.rate) * float(kept[later] @ bunched[first])
        for (first, later), rate in _passed(flows, traffic).items()
        if first in bunched and later in kept
    }


def _going_on(share: float) -> float:
    return _FIRST * share * (1 - _SECOND * share)


def _works(wait: BrokerWait) -> bool:
    return wait.service is not None and 0 < wait.station.load < 1


def _unevenness(wait: BrokerWait) -> float:
    """Of arrivals, beyond that of services."""
    return 2 * wait.index - 1 - wait.station.service_scv if _works(wait) else 0.0


def _bunched(wait: BrokerWait, times: Floats) -> Floats:
    """The integral of C up to each time."""
    model = PoissonServer(wait.station.rate, Gamma(wait.station.service_mean, _MODEL_SCV), times)
    return model.bunching * _unevenness(wait) / (1 - _MODEL_SCV)


def _kept(wait: BrokerWait, times: Floats) -> Floats:
    """How much of an extra event's work is forgotten up to each time, since the time before."""
    assert wait.service is not None
    work = PoissonServer(wait.station.rate, wait.service, times).work_kept
    return -wait.service.mean * np.diff(np.concatenate([[1.0], np.clip(work, 0.0, 1.0)]))


def _passed(flows: Sequence[Flow], traffic: Traffic) -> dict[tuple[str, str], float]:
    """The rate of events that pass both, by first and later broker."""
    found: dict[tuple[str, str], float] = {}
    for flow, rates in zip(flows, traffic.by_flow, strict=True):
        for later in flow.needs:
            for first in flow.tree.path(later)[:-1]:
                found[first, later] = found.get((first, later), 0.0) + rates[later]
    return found
