"""Cells hold about as many ends each."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tidings.matching.layout import SINGLE_ROWS, lay_out
from tidings.matching.limits import SAMPLE_MAX
from tidings.vocabulary.streams import Streams

lines = st.lists(st.lists(st.floats(allow_nan=False), max_size=30), max_size=6).filter(lambda each: len(each) % 2 == 0)


@given(lines, st.integers(8, 60))
def test_rows_and_places_add_up(ends, rows_max):
    """Places ascend, attributes follow each other, and the bound holds up to one place for each line."""
    layout = lay_out([np.array(line, dtype=np.float64) for line in ends], rows_max)
    attributes = len(ends) // 2
    assert layout.row_starts.size == attributes + 1
    for attribute in range(attributes):
        numbers, strings = (layout.places_of(attribute, strings=strings) for strings in (False, True))
        rows = layout.row_starts[attribute + 1] - layout.row_starts[attribute]
        assert rows == SINGLE_ROWS + numbers.size + strings.size + 2
        for places, line in ((numbers, ends[2 * attribute]), (strings, ends[2 * attribute + 1])):
            assert (np.diff(places) > 0).all()
            assert set(places.tolist()) <= set(line)
    assert layout.row_starts[-1] <= rows_max + (SINGLE_ROWS + 3) * len(ends)


def test_few_different_ends_are_all_kept():
    """Then nothing has to be checked later; infinite ends are no places."""
    layout = lay_out([np.array([3.0, 1.0, 1.0, -np.inf, np.inf]), np.array([7.0])], 100)
    assert layout.places_of(0, strings=False).tolist() == [1.0, 3.0]
    assert layout.places_of(0, strings=True).tolist() == [7.0]


def test_lines_with_few_ends_leave_room_to_the_others():
    """Shares are even only among those that need more."""
    many, few = np.arange(1_000.0), np.array([1.0, 2.0])
    layout = lay_out([many, few, many, few], 200 + 2 * (SINGLE_ROWS + 2))
    sizes = [layout.places_of(attribute, strings=strings).size for attribute in (0, 1) for strings in (False, True)]
    assert sizes == [98, 2, 98, 2]


def test_cells_follow_the_crowd():
    """Where most ends are, cells are narrow."""
    crowd = Streams(1)("crowd").random(3 * SAMPLE_MAX) ** 4
    layout = lay_out([crowd, np.empty(0)], 106)
    cells = np.searchsorted(layout.places_of(0, strings=False), crowd, side="right")
    shares = np.bincount(cells)[1:-1] / crowd.size
    assert shares.size >= 98
    assert shares.max() < 0.02


def test_without_attributes_there_are_no_rows():
    """Filters that want everything ask about none."""
    assert lay_out([], 100).row_starts.tolist() == [0]
