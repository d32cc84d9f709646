"""All pairs that sequences show against one reference order, at a cost that follows their number.

Sequences of ranks are sorted by merging, all of them at once; whenever a right half takes an element from behind
greater ones of the left half, those are its reversed pairs.
"""

import numpy as np

from tidings.checking.history import History, Integers


def reference_ranks(history: History) -> Integers:
    """Each event's place in one order of all events: by the median of the instants at which it was shown.

    Any order would do. This one agrees with most subscribers, and one straggler does not move an event.
    """
    showings = history.showings.ordered
    rows = np.lexsort((showings.delivered_ns, showings.event))
    event = showings.event[rows]
    shown, first, count = np.unique(event, return_index=True, return_counts=True)
    median_ns = np.zeros(len(history.events), np.int64)
    median_ns[shown] = showings.delivered_ns[rows][first + (count - 1) // 2]
    ranks = np.empty(len(history.events), np.int64)
    ranks[np.argsort(median_ns, kind="stable")] = np.arange(len(ranks))
    return ranks


def reversed_pairs(sequences: Integers, ranks: Integers, *, limit: int) -> tuple[Integers, Integers] | None:
    """Pairs of ranks (lower, higher) where one sequence has the higher one first, once for each such sequence.

    `sequences` numbers the sequence of each rank, ascending; ranks differ within a sequence. None when there are more
    than `limit` pairs.
    """
    place, size, ranks = _placed(*_disordered(sequences, ranks))
    lowers, highers = [ranks[:0]], [ranks[:0]]
    found, width = 0, 1
    while len(ranks):
        block = place // (2 * width)
        right = (place // width) % 2 == 1
        span = int(ranks.max()) + 1
        keys = block * span + ranks
        left_keys, left_ranks = keys[~right], ranks[~right]
        begin = np.searchsorted(left_keys, keys[right])
        end = np.searchsorted(left_keys, (block[right] + 1) * span)
        counts = end - begin
        found += int(counts.sum())
        if found > limit:
            return None
        lowers.append(np.repeat(ranks[right], counts))
        highers.append(left_ranks[spread(begin, counts)])
        width *= 2
        # Merged, and without the sequences that are whole by now.
        merged = np.argsort(keys, kind="stable")
        merged = merged[size[merged] > width]
        place, size, ranks = place[merged], size[merged], ranks[merged]
    return np.concatenate(lowers), np.concatenate(highers)


def _disordered(sequences: Integers, ranks: Integers) -> tuple[Integers, Integers]:
    """Cut every sequence where all before are below all behind, and leave out what then stands alone."""
    lifted = sequences * (int(ranks.max(initial=0)) + 1) + ranks
    highest_before = np.maximum.accumulate(lifted)[:-1]
    lowest_behind = np.minimum.accumulate(lifted[::-1])[::-1][1:]
    runs = np.concatenate([np.zeros(min(len(ranks), 1), np.int64), np.cumsum(highest_before < lowest_behind)])
    together = np.bincount(runs)[runs] > 1
    return runs[together], ranks[together]


def _placed(runs: Integers, ranks: Integers) -> tuple[Integers, Integers, Integers]:
    """Give each run room of a power of two, greatest first, so that every halving of the whole falls between runs.

    Returns place, room of the run, and rank of each element, by place.
    """
    _, first, inverse, count = np.unique(runs, return_index=True, return_inverse=True, return_counts=True)
    room = np.left_shift(1, np.ceil(np.log2(np.maximum(count, 1))).astype(np.int64))
    by_room = np.argsort(-room, kind="stable")
    base = np.empty_like(room)
    base[by_room] = np.cumsum(room[by_room]) - room[by_room]
    place = base[inverse] + np.arange(len(runs)) - first[inverse]
    order = np.argsort(place)
    return place[order], room[inverse][order], ranks[order]


def spread(begin: Integers, counts: Integers) -> Integers:
    """begin[0], begin[0] + 1 … (counts[0] of them), begin[1] …"""
    offsets = np.cumsum(counts) - counts
    return np.repeat(begin - offsets, counts) + np.arange(int(counts.sum()))
