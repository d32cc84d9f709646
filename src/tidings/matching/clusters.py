"""Filters that ask alike are put side by side, so that most words of most rows are empty and can be passed over.

As in a k-d tree, all slots are halved, and the halves, down to single words: first by which attributes they ask about,
then by the middles of their ranges in one attribute. It is always the attribute whose ranges are narrowest beside the
stretch of rows that is still undivided: there it tells most filters apart.
"""

import numpy as np
from numpy.typing import NDArray

_FINE_BITS = 20
"""Of the middle of a range, and of a signature's rank."""


def clustered(ranges: NDArray[np.int32], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The order in which to put slots that want rows `ranges[slot, attribute]`, first and last; -1: any row.

    `rows` is the number of rows of each attribute.
    """
    asked = ranges[:, :, 0] >= 0
    middles = (ranges.sum(axis=2) / (2 * rows) * asked * (1 << _FINE_BITS)).astype(np.int64)
    likes = _signature_ranks(asked) << _FINE_BITS
    widths = _widths(ranges, rows, asked)
    words = -(-len(ranges) // 64)
    groups = np.arange(len(ranges)) // 64
    order = np.arange(len(ranges))
    undivided = np.ones(len(widths))
    for level in range(words.bit_length() if len(widths) else 0):
        attribute = int(np.argmax(undivided / widths))
        undivided[attribute] /= 2
        # Places are in order of their groups, and sorting keeps every slot within its group.
        within = (groups << level) // words
        keys = (within << (2 * _FINE_BITS)) + likes[order] + middles[order, attribute]
        order = order[np.argsort(keys)]
    return order


def _signature_ranks(asked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Numbers for the sets of attributes that are asked about, as many as _FINE_BITS allow."""
    signatures = np.zeros(len(asked), np.int64)
    for attribute in range(asked.shape[1]):
        signatures |= asked[:, attribute].astype(np.int64) << attribute
    ranks: NDArray[np.int64] = np.unique(signatures, return_inverse=True)[1].reshape(-1)
    return np.minimum(ranks, (1 << _FINE_BITS) - 1)


def _widths(ranges: NDArray[np.int32], rows: NDArray[np.int64], asked: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Of each attribute, the mean part of its rows that a filter asks for; 1 where none asks."""
    widths = ((ranges[:, :, 1] - ranges[:, :, 0] + 1) / rows * asked).sum(axis=0)
    askers = asked.sum(axis=0)
    return np.where(askers > 0, widths / np.maximum(askers, 1), 1.0)
