"""When components are down: drawn from laws, in episodes, and as recorded; intervals (down, up) in nanoseconds.

Every list that comes from here is ascending, its intervals are not empty, do not overlap or touch, and end at the
duration at the latest, when everything is repaired.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidings.errors import InputError
from tidings.scenario.world import Broker, Crash, Link, LinkEpisodes, OutageLaw
from tidings.vocabulary.distribution import Distribution, Exponential
from tidings.vocabulary.streams import Streams

Interval: TypeAlias = tuple[int, int]

POOL: Final = 4096
"""Samples from which a residual life is picked."""
_CYCLES_AT_ONCE: Final = 1 << 18


def outage_intervals(law: OutageLaw, *, duration_ns: int, generator: np.random.Generator) -> list[Interval]:
    """Down times of one component that alternates by `law` and starts in its stationary state.

    It is up at 0 with probability `law.availability`, and what is left of that first phase follows the law's
    equilibrium distribution (see `residual_ns`). Phases of no length join their neighbours.

    Raises:
        InputError: no stationary state exists (an infinite mean), or a mean cycle is shorter than a nanosecond.
    """
    mean_cycle = law.up.mean + law.down.mean
    if not 1 <= mean_cycle < math.inf:
        raise InputError(f"up and down times with a mean cycle of {mean_cycle} ns: must be from 1 ns to below infinity")
    up = bool(generator.random() < law.availability)
    now = min(residual_ns(law.up if up else law.down, generator), duration_ns)
    first = [] if up else [np.array([[0, now]], dtype=np.int64)]
    cycle = (law.down, law.up) if up else (law.up, law.down)
    edges = _alternate(cycle, start_ns=now, duration_ns=duration_ns, mean_cycle=mean_cycle, generator=generator)
    downs = edges[:, :2] if up else edges[:, 1:]
    return _joined(np.concatenate([*first, downs]))


def residual_ns(law: Distribution, generator: np.random.Generator) -> int:
    """What is left of a phase that an observer comes upon at a random time.

    An exponential phase has no memory: a fresh draw is exact. For other laws the phase itself is picked from `POOL` samples
    with a probability proportional to its length (an observer meets long phases more often), and the observer
    stands uniformly in it. Exact for a constant; else the relative error of the law is of the order scv / POOL.
    """
    if isinstance(law, Exponential):
        return _whole_ns(float(law.sample(generator, 1)[0]))
    lengths = np.maximum(law.sample(generator, POOL), 0.0)
    reached = np.cumsum(lengths)
    position = generator.random() * reached[-1]
    picked = min(int(np.searchsorted(reached, position, side="right")), POOL - 1)
    return _whole_ns(float(lengths[picked]) * generator.random())


def link_episodes(episodes: LinkEpisodes, *, duration_ns: int, generator: np.random.Generator) -> list[Interval]:
    """Down times of one link: at 0, `every_ns`, 2 `every_ns` … it goes down with the probability given.

    Raises:
        InputError: `every_ns` is not positive.
    """
    if episodes.every_ns <= 0:
        raise InputError(f"episodes every {episodes.every_ns} ns: must be longer than nothing")
    periods = -(-duration_ns // episodes.every_ns)
    starts = np.flatnonzero(generator.random(periods) < episodes.probability) * episodes.every_ns
    # The end may lie beyond what 64 bits hold; what counts is what is left of the duration.
    ends = starts + np.minimum(episodes.lasting_ns, duration_ns - starts)
    return _joined(np.column_stack((starts, ends)))


def link_outages(link: Link, *, episodes: LinkEpisodes | None, duration_ns: int, streams: Streams) -> list[Interval]:
    """All down times of `link`: recorded, by its law and by the world's episodes, each from a stream of its own."""
    name = "-".join(link.between)
    found: list[Interval] = list(link.recorded_outages)
    if link.outages is not None:
        found += outage_intervals(link.outages, duration_ns=duration_ns, generator=streams(f"outages {name}"))
    if episodes is not None:
        found += link_episodes(episodes, duration_ns=duration_ns, generator=streams(f"episodes {name}"))
    return merge_intervals(found, duration_ns=duration_ns)


def broker_outages(broker: Broker, *, crashes: Iterable[Crash], duration_ns: int, streams: Streams) -> list[Interval]:
    """All down times of `broker`: by its law, and those of `crashes` that name it."""
    found = [(crash.at_ns, crash.at_ns + crash.lasting_ns) for crash in crashes if crash.component == broker.id]
    if broker.outages is not None:
        found += outage_intervals(broker.outages, duration_ns=duration_ns, generator=streams(f"outages {broker.id}"))
    return merge_intervals(found, duration_ns=duration_ns)


def merge_intervals(intervals: Iterable[Interval], *, duration_ns: int) -> list[Interval]:
    """The union of `intervals`, in any order, from 0 to `duration_ns`."""
    cut = sorted((max(start, 0), min(end, duration_ns)) for start, end in intervals)
    return _joined(np.array(cut, dtype=np.int64).reshape(-1, 2))


def without_intervals(intervals: Sequence[Interval], holes: Sequence[Interval]) -> list[Interval]:
    """What is left of `intervals` outside `holes`; both ascending and apart."""
    left: list[Interval] = []
    skip = 0
    for start, end in intervals:
        while skip < len(holes) and holes[skip][1] <= start:
            skip += 1
        at = start
        for hole_start, hole_end in holes[skip:]:
            if hole_start >= end:
                break
            if at < hole_start:
                left.append((at, hole_start))
            at = hole_end
        if at < end:
            left.append((at, end))
    return left


def _alternate(
    cycle: tuple[Distribution, Distribution],
    *,
    start_ns: int,
    duration_ns: int,
    mean_cycle: float,
    generator: np.random.Generator,
) -> NDArray[np.int64]:
    """Rows (start, change, end) of cycles from `start_ns` on until `duration_ns`, nothing behind it."""
    rows = [np.empty((0, 3), dtype=np.int64)]
    now = start_ns
    while now < duration_ns:
        count = min(int((duration_ns - now) / mean_cycle * 1.1) + 16, _CYCLES_AT_ONCE)
        phases = np.column_stack([np.maximum(law.sample(generator, count), 0.0) for law in cycle])
        # Sums before rounding, so that phases below a nanosecond add up; from `now`, so that the sums stay exact.
        sums = np.minimum(np.cumsum(phases.ravel()), float(duration_ns - now))
        ends = np.minimum(now + np.rint(sums).astype(np.int64), duration_ns).reshape(-1, 2)
        starts = np.concatenate(([now], ends[:-1, 1]))
        rows.append(np.column_stack((starts, ends)))
        now = int(ends[-1, 1])
    return np.concatenate(rows)


def _joined(intervals: NDArray[np.int64]) -> list[Interval]:
    """Without empty intervals and with overlapping and touching ones joined; `intervals` ascend by start."""
    kept = intervals[intervals[:, 0] < intervals[:, 1]]
    if len(kept) == 0:
        return []
    reached = np.maximum.accumulate(kept[:, 1])
    apart = np.flatnonzero(kept[1:, 0] > reached[:-1])
    starts = kept[np.concatenate(([0], apart + 1)), 0]
    ends = reached[np.concatenate((apart, [len(kept) - 1]))]
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _whole_ns(nanoseconds: float) -> int:
    """Rounded; what is beyond all durations becomes just that."""
    return round(min(nanoseconds, 9e18))
