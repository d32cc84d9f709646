"""A walk that is known from its beginning: which points it comes to, when and for how long (thesis, 4.4.2.3)."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tidings.analysis.coverage import NOWHERE, Floats, Ints
from tidings.analysis.delay_law import TimeGrid
from tidings.analysis.law_shapes import quantile
from tidings.analysis.presence import Latency, Presence

_LATENCIES: Final = 32
"""Hand-offs are taken to last one of so many times, each as likely as the others."""
_NEGLIGIBLE: Final = 1e-9


@dataclass(frozen=True, eq=False)
class Timeline:
    """Phases one after the other from time 0, neighbours at different points; the last may be without end."""

    start: Floats
    end: Floats
    point: Ints
    home: int = NOWHERE
    """The last point in range before time 0, where any was."""

    def stays(self) -> Iterator[tuple[int, float, float]]:
        """Point, beginning and end of each phase in range."""
        for point, start, end in zip(self.point.tolist(), self.start.tolist(), self.end.tolist(), strict=True):
            if point != NOWHERE:
                yield point, start, end


def timeline_of(point: Ints, length: Floats, begin: float = 0.0) -> Timeline:
    """Pieces one after the other from an instant; those that are over by time 0 are left out."""
    end = begin + np.cumsum(length)
    start = np.concatenate([[begin], end[:-1]])
    seen = point[(start < 0) & (point != NOWHERE)]
    kept = (end > np.maximum(start, 0.0)) & (length > 0)
    point, start, end = point[kept], np.maximum(start[kept], 0.0), end[kept]
    first = np.ones(len(point), np.bool_)
    first[1:] = point[1:] != point[:-1]
    last = np.roll(first, -1)
    return Timeline(start[first], end[last], point[first], int(seen[-1]) if len(seen) else NOWHERE)


@dataclass(frozen=True, slots=True)
class _Absence:
    """Away from `start`, when it was at `point`, until it is `back`; that it happens has this probability."""

    point: int
    start: float
    back: float
    probability: float


def known_presence(line: Timeline, points: int, latency: Latency, window: tuple[float, int]) -> Presence:
    """Over a run: how long it is, and the point that keeps events for a walker that has not been anywhere yet.

    Who is in range at the beginning is attached at once.
    """
    duration, home = window
    home = home if line.home == NOWHERE else line.home
    latencies = _latencies(latency)
    stays = list(line.stays())
    attached, away = np.zeros(points), np.zeros(points)
    for point, start, end in stays:
        since = np.minimum(start + latencies if start > 0 else np.zeros(1), duration)
        attached[point] += float(np.maximum(min(end, duration) - since, 0.0).mean())
    found = [one for one in _absences(stays, latencies, home) if one.start < duration]
    for one in found:
        away[one.point] += one.probability * (min(one.back, duration) - one.start)

    def waits(grid: TimeGrid) -> Floats:
        edges = np.maximum(np.arange(grid.points + 2) - 0.5, 0.0) * grid.step
        reached: Floats = np.zeros(grid.points + 2)
        for one in found:
            shortest = max(one.back - duration, 0.0)
            if shortest < grid.horizon:
                reached += one.probability * (np.clip(edges, shortest, one.back - one.start) - shortest)
        masses: Floats = np.diff(reached) / duration
        return masses

    returning = [one.probability * (min(one.back, duration) - one.start) for one in found if math.isfinite(one.back)]
    return Presence(attached / duration, away / duration, sum(returning) / duration, waits)


def _latencies(latency: Latency) -> Floats:
    law = latency.law
    if law.variance == 0:
        return np.array([latency.fetch + law.mean])
    return latency.fetch + quantile(law, (np.arange(_LATENCIES) + 0.5) / _LATENCIES)


def _absences(stays: Sequence[tuple[int, float, float]], latencies: Floats, home: int) -> Iterator[_Absence]:
    """From each stay that counts to the next one that does."""
    in_time = [latencies[start + latencies < end] if start > 0 else np.zeros(1) for _, start, end in stays]
    chances = [
        len(some) / len(latencies) if start > 0 else 1.0 for some, (_, start, _) in zip(in_time, stays, strict=True)
    ]
    begins = [(point, end, chance) for (point, _, end), chance in zip(stays, chances, strict=True)]
    if not stays or stays[0][1] > 0:
        yield from _from(stays, in_time, len(latencies), (home, 0.0, 1.0))
    for place, begin in enumerate(begins):
        if begin[2] > 0 and math.isfinite(begin[1]):
            yield from _from(stays[place + 1 :], in_time[place + 1 :], len(latencies), begin)


def _from(
    stays: Sequence[tuple[int, float, float]], in_time: Sequence[Floats], count: int, begin: tuple[int, float, float]
) -> Iterator[_Absence]:
    point, since, left = begin
    for (_, start, _), latencies in zip(stays, in_time, strict=True):
        if left <= _NEGLIGIBLE:
            return
        for latency in latencies.tolist():
            yield _Absence(point, since, start + latency, left / count)
        left -= left * len(latencies) / count
    if left > _NEGLIGIBLE:
        yield _Absence(point, since, math.inf, left)
