"""Pairs of events that two subscribers were shown in opposite order.

Against any one reference order, a pair that `reversed` of the `both` subscribers who were shown both events saw the
other way round is in conflict exactly when 0 < reversed < both. So only reversed pairs have to be looked at.
"""

from typing import NamedTuple

import numpy as np

from tidings.checking.history import Flags, History, Integers
from tidings.checking.reversed_pairs import reference_ranks, reversed_pairs

PAIRS_MAX = 30_000_000
"""Reversed pairs that are looked at; two dozen bytes each."""
_WORD_BITS = 64


class Conflicts(NamedTuple):
    """How many pairs are in conflict; without `exact`, at least so many."""

    pairs: int
    exact: bool


def order_conflicts(history: History, *, pairs_max: int = PAIRS_MAX) -> Conflicts:
    """Count the pairs in conflict, over all subscribers.

    With more than `pairs_max` reversed pairs only the events at the beginning are compared, as many as fit.
    """
    showings = history.showings.ordered
    subscribers, ranks = showings.subscriber, reference_ranks(history)[showings.event]
    compared = len(history.events)
    exact = True
    while (found := reversed_pairs(subscribers, ranks, limit=pairs_max)) is None:
        exact = False
        compared //= 2
        early = ranks < compared
        subscribers, ranks = subscribers[early], ranks[early]
    width = max(len(history.events), 1)
    keys, times_reversed = np.unique(found[0] * width + found[1], return_counts=True)
    disputed = _shown_more_often(subscribers, ranks, (keys // width, keys % width), times_reversed)
    return Conflicts(int(disputed.sum()), exact)


def _shown_more_often(
    subscribers: Integers, ranks: Integers, pair: tuple[Integers, Integers], times: Integers
) -> Flags:
    """For which pairs more than `times` subscribers were shown both: 64 subscribers at a time, as bits."""
    more = np.zeros(len(times), np.bool_)
    open_, both = np.arange(len(times)), np.zeros(len(times), np.int64)
    everyone = np.unique(subscribers)
    for begin in range(0, len(everyone), _WORD_BITS):
        words = np.zeros(int(ranks.max()) + 1, np.uint64)
        for bit, subscriber in enumerate(everyone[begin : begin + _WORD_BITS]):
            first, last = np.searchsorted(subscribers, [subscriber, subscriber + 1])
            words[ranks[first:last]] |= np.uint64(1 << bit)
        both += np.bitwise_count(words[pair[0][open_]] & words[pair[1][open_]])
        decided = both > times[open_]
        more[open_[decided]] = True
        open_, both = open_[~decided], both[~decided]
    return more
