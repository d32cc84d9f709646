"""How sure a measured share is: the run cut into batches of time, and the share's spread over them.

Outages make the fates of events hang together: who misses one event misses the next. So a share is not taken for that
of independent draws: the batches of a run are nearly independent, its events are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from scipy.special import stdtrit

from tidings.checking.history import Integers
from tidings.checking.publisher_order import interval

BATCHES: Final = 20
"""Equal parts of the time in which a run publishes."""
Batch: TypeAlias = tuple[int, int]
"""Events wanted, and how many of them came on time."""


@dataclass(frozen=True)
class Span:
    """The time in which events were published, as batches: `width` nanoseconds each, from `first` on."""

    first: int
    width: int

    def batch(self, published_ns: Integers) -> Integers:
        """The batch of each instant within the span."""
        # Differences as unsigned: right for any two instants, however far apart.
        since = (published_ns - np.int64(self.first)).view(np.uint64)
        return (since // np.uint64(self.width)).astype(np.int64)


def span_of(first: int, last: int) -> Span:
    """The batches of a run whose events were published from `first` to `last`."""
    return Span(first, (last - first) // BATCHES + 1)


def counted(batch: Integers) -> tuple[int, ...]:
    """How many events each batch has."""
    return tuple(np.bincount(batch, minlength=BATCHES).tolist())


def share_interval(batches: Sequence[Batch], confidence: float = 0.95) -> tuple[float, float] | None:
    """Bounds on the share on time: the wider of Student's over batches and that of independent events.

    The second speaks where batches do not differ, since all of them are alike when everything came. None without events.
    """
    wanted, on_time = np.array(batches, np.float64).reshape(-1, 2).T
    total = wanted.sum()
    if not total:
        return None
    share = float(on_time.sum() / total)
    low, high = interval(int(total - on_time.sum()), int(total), confidence=confidence)
    held = (wanted > 0).sum()
    # Of a ratio of two sums: each batch's distance from what it would have at the common share.
    apart = np.sqrt(((on_time - share * wanted) ** 2).sum() * held / max(held - 1, 1)) / total
    half = float(stdtrit(held - 1, (1 + confidence) / 2) * apart) if held > 1 else 0.0
    return max(0.0, min(1.0 - high, share - half)), min(1.0, max(1.0 - low, share + half))
