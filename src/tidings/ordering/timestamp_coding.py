"""Timestamps as bytes: whole, or as the difference to number n-1 of the same topic.

Every subscriber of a topic gets all its events, so that it can undo a difference; between two events of a busy topic few
other numbers change. Whole at the start of a version, at every 64th number and where somebody asks.

    whole        0, how many members, the members' codes, their numbers (the topic's own is among them)
    difference   1, the topic's number, then for each other number that grew: the steps to its place, by how much

All are varints. Codes are the places of topics in a list that sender and receivers share, ascending, each but the first
written as the steps from the one before.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidings.errors import PeerError
from tidings.ordering.timestamp import Layout, Timestamp
from tidings.ordering.varints import from_varints, to_varints

WHOLE_EVERY: Final = 64
_WHOLE: Final = 0
_DIFFERENCE: Final = 1


class TimestampWriter:
    """Writes the timestamps of one topic in the order of their numbers, for one version."""

    __slots__ = ("_codes", "_last")

    def __init__(self, codes: Sequence[int]) -> None:
        """`codes`: of the layout's members, ascending."""
        self._codes = np.asarray(codes, np.int64)
        self._last: Timestamp | None = None

    def write(self, stamp: Timestamp) -> bytes:
        """The next timestamp. The first of a version and every 64th are whole."""
        last, self._last = self._last, stamp
        if last is None or stamp.number % WHOLE_EVERY == 0:
            return self.whole(stamp)
        assert stamp.number == last.number + 1, "timestamps of a topic are written in the order of their numbers"
        grown = stamp.numbers - last.numbers
        grown[stamp.layout.own] = 0
        places = np.flatnonzero(grown)
        body = np.column_stack((_steps(places), grown[places])).ravel()
        return to_varints(np.concatenate(([_DIFFERENCE, stamp.number], body)))

    def begin_anew(self) -> None:
        """The next timestamp is whole, for who has read none before it."""
        self._last = None

    def whole(self, stamp: Timestamp) -> bytes:
        """Any timestamp of the topic, for somebody who asks."""
        return to_varints(np.concatenate(([_WHOLE, len(self._codes)], _steps(self._codes), stamp.numbers)))


class TimestampReader:
    """Reads the timestamps of one topic; a difference only behind the timestamp that it builds on."""

    __slots__ = ("_last", "_topic", "_topics")

    def __init__(self, topic: str, topics: Sequence[str]) -> None:
        """`topics`: the list whose places are the codes."""
        self._topic, self._topics = topic, topics
        self._last: Timestamp | None = None

    def number(self, data: bytes) -> int | None:
        """Which event a difference is of, before it can be read; None for a whole timestamp."""
        numbers = _read(data)
        return int(numbers[1]) if numbers[0] == _DIFFERENCE else None

    def read(self, data: bytes) -> Timestamp:
        """The timestamp. Raises PeerError for malformed bytes and for a difference to a number not read last."""
        numbers = _read(data)
        stamp = self._whole(numbers[1:]) if numbers[0] == _WHOLE else self._difference(numbers[1:])
        self._last = stamp
        return stamp

    def _whole(self, numbers: NDArray[np.int64]) -> Timestamp:
        count = int(numbers[0])
        if len(numbers) != 1 + 2 * count or not count:
            raise PeerError(f"a timestamp with {count} numbers takes {1 + 2 * count} fields, not {len(numbers)}")
        codes = _places(numbers[1 : 1 + count], len(self._topics))
        known = self._last
        members = tuple(self._topics[code] for code in codes.tolist())
        layout = known.layout if known is not None and known.layout.members == members else Layout(self._topic, members)
        return Timestamp(layout, numbers[1 + count :].copy())

    def _difference(self, numbers: NDArray[np.int64]) -> Timestamp:
        last, number = self._last, int(numbers[0])
        if last is None or number != last.number + 1:
            behind = "nothing" if last is None else f"number {last.number}"
            raise PeerError(f"timestamp {number} of {self._topic} is a difference, but {behind} was read before it")
        if len(numbers) % 2 == 0:
            raise PeerError(f"timestamp {number} of {self._topic} ends in the middle of a pair")
        places = _places(numbers[1::2], len(last.numbers))
        grown = last.numbers.copy()
        grown[places] += numbers[2::2]
        grown[last.layout.own] = number
        if (grown < last.numbers).any():
            raise PeerError(f"timestamp {number} of {self._topic} holds numbers beyond 2⁶³")
        return Timestamp(last.layout, grown)


def _steps(ascending: NDArray[np.int64]) -> NDArray[np.int64]:
    """From each to the next; the first from 0."""
    return np.diff(ascending, prepend=0)


def _places(steps: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """What `_steps` was made of. Raises PeerError unless all are different places below `count`."""
    if len(steps) > count or (steps > count).any() or (steps[1:] == 0).any():
        raise PeerError("a timestamp names topics that its topic does not have, or one twice")
    places: NDArray[np.int64] = np.cumsum(steps)
    if len(places) and places[-1] >= count:
        raise PeerError("a timestamp names topics that its topic does not have, or one twice")
    return places


# Subscribers of one process often read the very same bytes, one behind the other.
@lru_cache(maxsize=256)
def _read(data: bytes) -> NDArray[np.int64]:
    numbers = from_varints(data)
    numbers.flags.writeable = False
    if len(numbers) < 2 or numbers[0] not in (_WHOLE, _DIFFERENCE):
        raise PeerError("a timestamp begins with its kind, 0 or 1, and goes on")
    return numbers
