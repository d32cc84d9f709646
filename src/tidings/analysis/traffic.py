"""How the variability of streams is passed on: the operators of Whitt's Queueing Network Analyzer (1983).

A stream is a rate and the squared coefficient of variation of its intervals, as if it were a renewal stream. That
is what makes these operators quick, and wrong for streams that stay bursty over many queues: see `dispersion`.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stream:
    """Arrivals per unit of time, and the scv of the intervals between them."""

    rate: float
    scv: float = 1.0


def superposed(streams: Sequence[Stream], *, load: float | None = None) -> Stream:
    """Several independent streams as one.

    With the `load` of the server that they meet, Whitt's weight between the average and 1, since many streams together
    look like a Poisson stream to a server that is not busy; without it the plain average, as the thesis has it.
    """
    rate = sum(stream.rate for stream in streams)
    if rate == 0:
        return Stream(0.0)
    average = sum(stream.rate * stream.scv for stream in streams) / rate
    if load is None:
        return Stream(rate, average)
    alike = rate**2 / sum(stream.rate**2 for stream in streams)
    weight = 1 / (1 + 4 * (1 - min(load, 1.0)) ** 2 * (alike - 1))
    return Stream(rate, weight * average + 1 - weight)


def departure_scv(load: float, arrival_scv: float, service_scv: float) -> float:
    """Of what leaves a server (Marshall): the busier it is, the more its own service shows."""
    busy = min(load, 1.0) ** 2
    return busy * service_scv + (1 - busy) * arrival_scv


def split(stream: Stream, share: float) -> Stream:
    """What is left when each arrival is taken with probability `share`, by itself."""
    return Stream(stream.rate * share, share * stream.scv + 1 - share)
