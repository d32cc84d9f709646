"""Indices of dispersion: how uneven a stream is over every length of time, not at one.

For a stationary stream of rate λ with N(t) arrivals in a time t, the index is Var N(t) / λt: 1 at all times for a
Poisson stream; what QNA keeps, the scv of intervals, is its limit for a renewal stream. A queue that is hardly busy
smooths a stream over short times and leaves it as it was over long ones, which is where a busier queue further on
looks: that is how QNA errs on series of queues (Suresh and Whitt 1990), and what the curves here keep.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tidings.analysis.law_shapes import excess
from tidings.vocabulary.distribution import Constant, Distribution, Exponential

Floats: TypeAlias = NDArray[np.float64]

_CELLS: Final = 4_095
_MEANS: Final = 64
"""A renewal stream is computed over so many mean intervals (times its scv), and continued by its limit."""
POINTS: Final = 320
_DISTANCES, _WEIGHTS = np.polynomial.laguerre.laggauss(8)
WINDOWS_MIN: Final = 20
ARRIVALS_MIN: Final = 0.02


@dataclass(frozen=True, eq=False, slots=True)
class Curve:
    """The index at each of `times` (ascending, spread over all scales that matter), of a stream of a rate."""

    times: Floats
    excess: Floats
    """The index less 1: in the first row what publishers make of it, in the second what brokers on the way do."""
    rate: float
    limit: float
    """Of the index for long times."""

    @property
    def index(self) -> Floats:
        """All together; no variance is below 0."""
        found: Floats = np.maximum(1 + self.excess.sum(axis=0), 0.0)
        return found

    def at(self, times: Floats) -> Floats:
        """The index at any times; beyond the ends that of the ends."""
        return np.interp(np.log(np.maximum(times, 1e-300)), np.log(self.times), self.index)


def published_curve(times: Floats, index: Floats, rate: float, limit: float) -> Curve:
    """Of a stream that no broker has touched yet."""
    return Curve(times, np.stack([index - 1, np.zeros_like(index)]), rate, limit)


def scales(shortest: float, longest: float) -> Floats:
    """Times for curves, from well below the shortest to far above the longest time of a network."""
    return np.geomspace(shortest / 100, longest * 1e4, POINTS)


def poisson_curve(times: Floats, rate: float) -> Curve:
    """1, whatever the time."""
    return published_curve(times, np.ones_like(times), rate, 1.0)


def renewal_curve(law: Distribution, times: Floats) -> Curve:
    """Of the stationary renewal stream whose intervals follow `law` (mean above 0)."""
    if isinstance(law, Exponential):
        return poisson_curve(times, 1 / law.mean)
    if isinstance(law, Constant):
        return published_curve(times, _periodic_index(times / law.value), 1 / law.value, 0.0)
    reach = _MEANS * law.mean * max(1.0, law.scv)
    inside = np.minimum(times, reach)
    variances, at_reach = _count_variances(law, inside, reach)
    beyond = law.scv + (at_reach / (reach / law.mean) - law.scv) * reach / times
    index = np.where(times <= reach, variances / (inside / law.mean), beyond)
    return published_curve(times, np.maximum(index, 0.0), 1 / law.mean, law.scv)


def superposed_curve(curves: Sequence[Curve], times: Floats) -> Curve:
    """Of independent streams together, exactly: variances add up."""
    rate = sum(curve.rate for curve in curves)
    if rate == 0:
        return poisson_curve(times, 0.0)
    excess = sum((curve.rate / rate) * curve.excess for curve in curves)
    return Curve(times, np.asarray(excess), rate, sum(curve.rate / rate * curve.limit for curve in curves))


def thinned_curve(curve: Curve, share: float) -> Curve:
    """Of a stream of which each arrival is kept with probability `share`, by itself, exactly."""
    return Curve(curve.times, share * curve.excess, share * curve.rate, share * curve.limit + 1 - share)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A queue that a stream passes, and the whole traffic there."""

    load: float
    spacing: Floats
    """What the services alone do to the index of all that leaves: what it is under Poisson arrivals, less 1."""
    spread: float
    """Limit of the index of all arrivals, plus the scv of the services."""
    share: float
    """Of all arrivals, those of the stream in question."""
    jitter: float = 0.0
    """Standard deviation of the time that an event spends there."""


def departed_curve(curve: Curve, passage: Passage) -> Curve:
    """Of a stream behind a queue: over short times what the queue makes of it, over long ones what it was.

    Services space what leaves, exactly known under Poisson arrivals; a stream that is a part of the traffic is spaced by
    its share. The unevenness with which the stream came is shifted about, event by event, by delays that others cause; that
    of a stream that is all of the traffic lasts with the weight of the heavy-traffic limit of departures (Whitt and You
    2018), and no shorter. In between the two are mixed by the stream's share.
    """
    spaced = np.stack([np.zeros_like(passage.spacing), passage.share * passage.spacing])
    if passage.load <= 0 or passage.spread <= 0:
        return curve
    if passage.load >= 1:
        return Curve(curve.times, spaced, curve.rate, 1 + float(spaced[1, -1]))
    total_rate = curve.rate / passage.share if passage.share > 0 else 0.0
    weight = _kept_weight((1 - passage.load) ** 2 * total_rate * curve.times / (passage.load * passage.spread))
    among = _shifted(curve.times, curve.excess, passage.jitter)
    alone = weight * curve.excess
    if curve.limit > 1:  # bursts pass a queue that is not busy better than the limit of heavy traffic says
        alone = np.maximum(alone, among)
    excess = spaced + passage.share * alone + (1 - passage.share) * among
    return Curve(curve.times, excess, curve.rate, curve.limit)


def shifted_curve(curve: Curve, jitter: float) -> Curve:
    """Of a stream of which each event is shifted by an independent delay with this standard deviation.

    What the variance of counts has beyond that of a Poisson stream, e(t), becomes E[e(t + Δ)] − E[e(Δ)], with Δ the
    difference of two delays; it is taken as that of two exponential ones (Laplace's law).
    """
    return Curve(curve.times, _shifted(curve.times, curve.excess, jitter), curve.rate, curve.limit)


def _shifted(times: Floats, excess: Floats, jitter: float) -> Floats:
    return excess if jitter <= 0 else np.stack([_shifted_row(times, row, jitter) for row in excess])


def _shifted_row(times: Floats, excess: Floats, jitter: float) -> Floats:
    if not excess.any():
        return excess
    distances = _DISTANCES[:, None] * jitter
    sizes = np.abs(np.concatenate([times + distances, times - distances, distances], axis=1))
    # e(|t|), up to the rate
    beyond = sizes * np.interp(np.log(np.maximum(sizes, 1e-300)), np.log(times), excess)
    later, sooner, still = beyond[:, : len(times)], beyond[:, len(times) : -1], beyond[:, -1]
    moved: Floats = _WEIGHTS @ ((later + sooner) / 2 - still[:, None])
    return moved / times


def _kept_weight(age: Floats) -> Floats:
    """1 − (1 − c(t)) / 2t, with c the correlation of reflected Brownian motion (drift −1, variance 1) over a time t."""
    small = np.maximum(age, 1e-9)
    root = np.sqrt(small)
    tail = special.ndtr(-root)
    density = np.exp(-small / 2) / math.sqrt(2 * math.pi)
    correlation = 2 * (1 - 2 * small - small**2) * tail + 2 * root * density * (1 + small)
    weight: Floats = np.clip(1 - (1 - correlation) / (2 * small), 0.0, 1.0)
    return weight


def _periodic_index(periods: Floats) -> Floats:
    """A clock that ticks at a random phase: the count is one of two neighbouring numbers."""
    left: Floats = periods - np.floor(periods)
    index: Floats = left * (1 - left) / periods
    return index


def _count_variances(law: Distribution, times: Floats, reach: float) -> tuple[Floats, float]:
    """Var N(t) = 2λ ∫ (m(u) − λu + 1/2) du at each time, and at `reach`, with m the renewal function on a grid."""
    step = reach / _CELLS
    edges: Floats = np.arange(-1, _CELLS + 2, dtype=np.float64) * step
    tails = excess(law, edges)
    masses = np.maximum((tails[:-2] - 2 * tails[1:-1] + tails[2:]) / step, 0.0)
    renewals = _renewals(masses)
    # The mean-preserving grid puts half of each cell's renewals before its point.
    expected = np.cumsum(renewals) - renewals / 2
    expected[0] = 0.0
    rate = 1 / law.mean
    instants = np.arange(len(expected)) * step
    grown = expected - rate * instants + 0.5
    summed = np.concatenate([[0.0], np.cumsum((grown[1:] + grown[:-1]) / 2 * step)])
    variances = 2 * rate * summed
    found = np.interp(times, instants, variances)
    return found, float(variances[min(_CELLS, len(variances) - 1)])


def _renewals(masses: Floats) -> Floats:
    """Expected renewals at each point, the one at 0 left out: f + f∗f + …, by FFT with damping against wrapping."""
    size = 2 * len(masses)
    damping = 10.0 ** (-8.0 / size)
    powers = damping ** np.arange(len(masses))
    spectrum = np.fft.rfft(masses * powers, size)
    series = np.fft.irfft(spectrum / (1 - spectrum), size)[: len(masses)]
    found: Floats = np.maximum(series / powers, 0.0)
    return found


def measured_curve(instants: NDArray[np.int64], times: Floats) -> Curve:
    """Of recorded arrivals, counted in windows side by side; where fewer than 20 fit, as in the last that did."""
    if instants.size < 2 or instants[-1] == instants[0]:
        return poisson_curve(times, 0.0)
    span = float(instants[-1] - instants[0])
    rate = (instants.size - 1) / span
    index = np.ones_like(times)
    since = instants - instants[0]
    for place, width in enumerate(times.tolist()):
        windows = int(span / width)
        if windows < WINDOWS_MIN:
            index[place:] = index[place - 1] if place else 1.0
            break
        # Windows far shorter than the gaps hold one arrival or none: their index is 1.
        if rate * width > ARRIVALS_MIN:
            index[place] = _index_of(since, width, windows)
    return published_curve(times, index, rate, float(index[-1]))


def _index_of(since: NDArray[np.int64], width: float, windows: int) -> float:
    """Of counts in windows side by side; empty ones are not listed, whatever their number."""
    inside = np.floor(since / width)
    inside = inside[: int(np.searchsorted(inside, windows))]
    edges = np.flatnonzero(np.diff(inside)) + 1
    counts = np.diff(np.concatenate([[0], edges, [inside.size]])).astype(np.float64)
    mean = inside.size / windows
    return float((counts @ counts) / windows - mean**2) / mean if mean > 0 else 1.0


def known_curve(points: Sequence[tuple[float, float]], rate: float, times: Floats) -> Curve:
    """From indices that somebody else has counted: between the points along the logarithm of time, 1 before them."""
    if not points:
        return poisson_curve(times, rate)
    widths, found = (np.array(one) for one in zip(*points, strict=True))
    index = np.where(rate * times > ARRIVALS_MIN, np.interp(np.log(times), np.log(widths), found), 1.0)
    return published_curve(times, index, rate, float(found[-1]))
