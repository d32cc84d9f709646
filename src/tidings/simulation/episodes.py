"""What lasts, drawn beforehand: crashes, pauses, flapping links, partitions, quiet times, as a list of episodes.

The list depends on the options, the components and the generator alone, so that a run can be repeated with some of its
episodes left out (that is how a failing seed is made small).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec
import numpy as np

from tidings.simulation.faults import Faults, Shape, Spells
from tidings.simulation.outages import Interval, merge_intervals, without_intervals

LinkName: TypeAlias = tuple[str, str]
"""Directed where it is cut: from the first to the second."""
EpisodeKind: TypeAlias = Literal[
    "quiet", "crash", "pause", "flap", "symmetric", "asymmetric", "isolate", "bridge", "swizzle"
]

_SLOTS: Final = 16
"""Equal parts of a run, some of them quiet."""


class Episode(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """Something that lasts from `start_ns` until before `end_ns`."""

    start_ns: int
    end_ns: int
    kind: EpisodeKind
    components: tuple[str, ...] = ()
    """The broker; the two ends of the link; one side of the partition (the bridge itself); nothing for quiet."""
    cut: tuple[LinkName, ...] = ()
    """Directed links that carry nothing meanwhile, sorted."""


def schedule(
    faults: Faults,
    *,
    brokers: Sequence[str],
    links: Sequence[LinkName],
    duration_ns: int,
    generator: np.random.Generator,
) -> tuple[Episode, ...]:
    """All episodes of a run, by start; everything has ended at `duration_ns`.

    A broker is never crashed twice or paused twice at once, nor paused while it is down; a link's flaps do not overlap, and
    partitions come one after the other. A partition, a flap and the parts of a swizzle may cut the same link at
    the same time: `cut_intervals` says when it is cut by any. During quiet times nothing else is going on.

    Args:
        faults: the options.
        brokers: whatever can crash and pause.
        links: undirected, each once.
        duration_ns: when faults end.
        generator: its bit generator must be able to spawn, as those of `Streams` are.
    """
    for_quiet, for_crashes, for_pauses, for_flaps, for_partitions = generator.spawn(5)
    quiet = _quiet_times(faults.quiet, duration_ns, for_quiet)
    found = [Episode(start_ns=start, end_ns=end, kind="quiet") for start, end in quiet]
    for broker in brokers:
        down = without_intervals(_spells(faults.crashes, duration_ns, for_crashes), quiet)
        paused = without_intervals(_spells(faults.pauses, duration_ns, for_pauses), quiet)
        found += [Episode(start_ns=start, end_ns=end, kind="crash", components=(broker,)) for start, end in down]
        found += [
            Episode(start_ns=start, end_ns=end, kind="pause", components=(broker,))
            for start, end in without_intervals(paused, down)
        ]
    for link in links:
        flaps = without_intervals(_spells(faults.flaps, duration_ns, for_flaps), quiet)
        cut = _both_ways([link])
        found += [Episode(start_ns=start, end_ns=end, kind="flap", components=link, cut=cut) for start, end in flaps]
    apart = _spells(faults.partitions, duration_ns, for_partitions) if links else []
    for interval in without_intervals(apart, quiet):
        shape = faults.shapes[int(for_partitions.integers(len(faults.shapes)))]
        found += _PARTITIONS[shape](interval, brokers, links, for_partitions)
    return tuple(sorted(found))


def cut_intervals(episodes: Iterable[Episode]) -> dict[LinkName, list[Interval]]:
    """For each directed link that is ever cut, when: merged over all episodes; links sorted."""
    found: dict[LinkName, list[Interval]] = {}
    latest = 0
    for episode in episodes:
        latest = max(latest, episode.end_ns)
        for link in episode.cut:
            found.setdefault(link, []).append((episode.start_ns, episode.end_ns))
    return {link: merge_intervals(found[link], duration_ns=latest) for link in sorted(found)}


def _spells(spells: Spells, duration_ns: int, generator: np.random.Generator) -> list[Interval]:
    """Starts after exponential gaps, exponential durations of at least 1 ns, all before `duration_ns`."""
    found: list[Interval] = []
    if spells.every_ns == 0:
        return found
    now = 0
    while True:
        start = now + 1 + round(generator.exponential(spells.every_ns))
        if start >= duration_ns:
            return found
        now = min(start + 1 + round(generator.exponential(spells.lasting_ns)), duration_ns)
        found.append((start, now))


def _quiet_times(share: float, duration_ns: int, generator: np.random.Generator) -> list[Interval]:
    chosen = generator.permutation(_SLOTS)[: round(share * _SLOTS)].tolist()
    edges = [duration_ns * slot // _SLOTS for slot in range(_SLOTS + 1)]
    return merge_intervals([(edges[slot], edges[slot + 1]) for slot in chosen], duration_ns=duration_ns)


_Partition: TypeAlias = Callable[[Interval, Sequence[str], Sequence[LinkName], np.random.Generator], list[Episode]]


def _symmetric(
    interval: Interval, brokers: Sequence[str], links: Sequence[LinkName], generator: np.random.Generator
) -> list[Episode]:
    side = _some(brokers, generator)
    return _one("symmetric", interval, side, _both_ways(_crossing(side, links)))


def _asymmetric(
    interval: Interval, brokers: Sequence[str], links: Sequence[LinkName], generator: np.random.Generator
) -> list[Episode]:
    """What one side says does not reach the other."""
    side = _some(brokers, generator)
    cut = tuple(sorted((a, b) if a in side else (b, a) for a, b in _crossing(side, links)))
    return _one("asymmetric", interval, side, cut)


def _isolate(
    interval: Interval, brokers: Sequence[str], links: Sequence[LinkName], generator: np.random.Generator
) -> list[Episode]:
    alone = (_any(brokers, generator),)
    return _one("isolate", interval, alone, _both_ways(_crossing(alone, links)))


def _bridge(
    interval: Interval, brokers: Sequence[str], links: Sequence[LinkName], generator: np.random.Generator
) -> list[Episode]:
    """Two halves that only one broker can speak to."""
    bridge = _any(brokers, generator)
    # The ends of a link are two brokers: there is another.
    side = _some([broker for broker in brokers if broker != bridge], generator)
    crossing = [link for link in _crossing(side, links) if bridge not in link]
    return _one("bridge", interval, (bridge,), _both_ways(crossing))


def _swizzle(
    interval: Interval, brokers: Sequence[str], links: Sequence[LinkName], generator: np.random.Generator
) -> list[Episode]:
    """Some brokers are cut off one after the other, and come back in another order (FoundationDB's swizzle-clogging)."""
    start, end = interval
    third = (end - start) // 3
    found: list[Episode] = []
    for broker in _some(brokers, generator):
        begins = start + int(generator.integers(third + 1))
        ends = end - int(generator.integers(third + 1))
        found += _one("swizzle", (begins, ends), (broker,), _both_ways(_crossing((broker,), links)))
    return found


_PARTITIONS: Final[Mapping[Shape, _Partition]] = {
    "symmetric": _symmetric,
    "asymmetric": _asymmetric,
    "isolate": _isolate,
    "bridge": _bridge,
    "swizzle": _swizzle,
}


def _one(shape: Shape, interval: Interval, components: tuple[str, ...], cut: tuple[LinkName, ...]) -> list[Episode]:
    """An episode, or none when it would cut nothing."""
    start, end = interval
    return [Episode(start_ns=start, end_ns=end, kind=shape, components=components, cut=cut)] if cut else []


def _any(brokers: Sequence[str], generator: np.random.Generator) -> str:
    return brokers[int(generator.integers(len(brokers)))]


def _some(brokers: Sequence[str], generator: np.random.Generator) -> tuple[str, ...]:
    """At least one of `brokers` and, where there are two, not all; in their order."""
    count = int(generator.integers(1, max(len(brokers), 2)))
    return tuple(brokers[index] for index in sorted(generator.choice(len(brokers), count, replace=False).tolist()))


def _crossing(side: Sequence[str], links: Sequence[LinkName]) -> list[LinkName]:
    return [(a, b) for a, b in links if (a in side) != (b in side)]


def _both_ways(links: Sequence[LinkName]) -> tuple[LinkName, ...]:
    return tuple(sorted([*links, *((b, a) for a, b in links)]))
