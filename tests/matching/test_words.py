"""Bits, cells and sets as compiled code sees them."""

from bisect import bisect_right

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tidings.matching.words import bit_count, cell_of, compiled, inlined, lowest_bit


@compiled
def _lowest(word):
    return lowest_bit(word)


@compiled
def _count(word):
    return bit_count(word)


@inlined
def _twice(number):
    return 2 * number


@compiled
def _four_times(number):
    return _twice(_twice(number))


@given(st.integers(1, 2**64 - 1))
def test_bits_of_words(word):
    """Counted, and the lowest found, as Python does."""
    assert _count(np.uint64(word)) == word.bit_count()
    assert 1 << _lowest(np.uint64(word)) == word & -word


@given(st.lists(st.floats(allow_nan=False)).map(sorted), st.floats(allow_nan=False))
def test_cells_are_counted_from_places(places, value):
    """A value at a place belongs to the cell behind it."""
    assert cell_of(np.array(places, dtype=np.float64), value) == bisect_right(places, value)


def test_inlined_functions_work_from_compiled_ones():
    """They have no life of their own."""
    assert _four_times(3) == 12
