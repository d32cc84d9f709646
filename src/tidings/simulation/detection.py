"""When a broker takes a neighbour for lost, and when for back: what its failure detector would say, without the beats.

A fortnight of beats every second would be most of what a simulation does. Between two outages nothing comes of them; so
the instants at which something does are worked out from the outages. The tests hold this to the detector itself,
with every beat. Single beats that a link loses are not looked at: it takes four in a row to matter.
"""

from collections.abc import Sequence
from typing import TypeAlias

from tidings.delivery.failure_detector import BEAT_NS, SILENCE_NS
from tidings.simulation.outages import Interval

Life: TypeAlias = tuple[int, int | None]
"""Start and end of a process; None: it lives to the end."""

Change: TypeAlias = tuple[int, bool]
"""At this instant a neighbour counts as lost (True) or back (False)."""


def lives_between(outages: Sequence[Interval]) -> list[Life]:
    """The lives of a process that is down during `outages`, ascending and apart."""
    starts = [0, *(up for _, up in outages)]
    return list(zip(starts, [*(down for down, _ in outages), None], strict=True))


def suspicions(speaker: Sequence[Life], cuts: Sequence[Interval], listener: Sequence[Life]) -> list[Change]:
    """What a listener thinks of its neighbour, in the order of time.

    Args:
        speaker: stretches of time in which the neighbour beats, from their first instant on.
        cuts: when what it says does not arrive; ascending and apart.
        listener: the lives of the process that listens.
    """
    gaps = _gaps(speaker, cuts)
    changes: list[Change] = []
    for start, end in listener:
        for last, following in gaps:
            lost = max(last, start) + SILENCE_NS
            until = min((one for one in (following, end) if one is not None), default=None)
            if following is not None and following <= start:
                continue
            if until is None or lost < until:
                changes.append((lost, True))
                if following is not None and (end is None or following < end):
                    changes.append((following, False))
            if end is not None and last >= end:
                break
    return [one for one in changes if _is_alive(one[0], listener)]


def _gaps(speaker: Sequence[Life], cuts: Sequence[Interval]) -> list[tuple[int, int | None]]:
    """Last beat before and first beat after every silence that a listener could take for a failure."""
    gaps: list[tuple[int, int | None]] = []
    last = 0
    for start, end in speaker:
        beat = start
        for low, high in [*cuts, (None, None)]:
            if low is not None and high is not None and high <= beat:
                continue
            heard_until = end if low is None or (end is not None and end < low) else low
            if heard_until is None or beat < heard_until:
                if beat - last > SILENCE_NS:
                    gaps.append((last, beat))
                if heard_until is None:
                    return gaps
                last = beat + (heard_until - 1 - beat) // BEAT_NS * BEAT_NS
            if high is None or (end is not None and end <= high):
                break
            beat = start + -(-(high - start) // BEAT_NS) * BEAT_NS
            if end is not None and beat >= end:
                break
    gaps.append((last, None))
    return gaps


def _is_alive(instant: int, lives: Sequence[Life]) -> bool:
    return any(start <= instant and (end is None or instant < end) for start, end in lives)
