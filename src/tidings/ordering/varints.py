"""Whole numbers from 0 in as few bytes as they need: seven bits a byte, the lowest first, the high bit while more follow."""

import numpy as np
from numpy.typing import NDArray

from tidings.errors import PeerError

BYTES_MAX = 9
"""Nine bytes hold every number below 2⁶³."""


def to_varints(numbers: NDArray[np.int64]) -> bytes:
    """The numbers, one behind the other; none may be negative."""
    assert not len(numbers) or numbers.min() >= 0, "only numbers from 0 are written"
    lengths = np.ones(len(numbers), np.int64)
    for size in range(1, BYTES_MAX):
        lengths += numbers >= (1 << 7 * size)
    ends = np.cumsum(lengths)
    starts = ends - lengths
    written = np.zeros(int(lengths.sum()), np.uint8)
    for position in range(int(lengths.max(initial=0))):
        longer = lengths > position
        low = (numbers[longer] >> (7 * position)) & 0x7F
        written[starts[longer] + position] = low | np.where(lengths[longer] > position + 1, 0x80, 0)
    return written.tobytes()


def from_varints(data: bytes) -> NDArray[np.int64]:
    """What `to_varints` wrote. Raises PeerError where a number has no end, or is too long."""
    read = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(read < 0x80) + 1
    if len(read) and (not len(ends) or ends[-1] != len(read)):
        raise PeerError("a number in a timestamp has no end")
    starts = np.concatenate(([0], ends[:-1])).astype(np.int64)[: len(ends)]
    lengths = ends - starts
    if lengths.max(initial=0) > BYTES_MAX:
        raise PeerError(f"a number in a timestamp takes more than {BYTES_MAX} bytes")
    numbers = np.zeros(len(ends), np.int64)
    for position in range(int(lengths.max(initial=0))):
        longer = lengths > position
        numbers[longer] |= (read[starts[longer] + position].astype(np.int64) & 0x7F) << (7 * position)
    return numbers
