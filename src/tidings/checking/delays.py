"""How long events took, counted in classes: enough for a distribution, and small however many there are."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from tidings.checking.history import History, Integers

KEPT_BITS: Final = 5
"""A class holds the delays that agree in so many leading bits: 16 classes from each power of two to the next."""


def delay_counts(history: History) -> Mapping[int, int]:
    """By the least delay of each class: how often a published event was first shown to somebody so late."""
    showings = history.showings
    known = np.flatnonzero(history.events.published[showings.event])
    pairs = showings.subscriber[known] * (len(history.events) + 1) + showings.event[known]
    first = known[np.unique(pairs, return_index=True)[1]]
    delay = showings.delivered_ns[first] - history.events.published_ns[showings.event[first]]
    classes, counts = np.unique(class_of(delay), return_counts=True)
    return dict(zip(classes.tolist(), counts.tolist(), strict=True))


def class_of(delay_ns: Integers) -> Integers:
    """The least delay of each one's class; 0 for what was shown before it was published."""
    delay = np.maximum(delay_ns, 0)
    bits = np.searchsorted(2 ** np.arange(63, dtype=np.int64), delay, "right")
    shift = np.maximum(bits - KEPT_BITS, 0)
    classes: Integers = (delay >> shift) << shift
    return classes
