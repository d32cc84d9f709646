"""Recorded positions: what a table must be, and where nobody knows."""

import numpy as np
import pytest

from tidings.errors import InputError
from tidings.scenario.positions import GAP_INTERVALS, gaps, read_positions


def written(folder, text, name="walk.csv"):
    """A file of positions."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_positions(tmp_path):
    """Whole nanoseconds and metres."""
    times, x, y = read_positions(written(tmp_path, "time_ns,x,y\n-5,0,0\n10,1.5,2\n"))
    assert (times.tolist(), x.tolist(), y.tolist()) == ([-5, 10], [0.0, 1.5], [0.0, 2.0])


def test_gaps():
    """Steps of more than ten median ones; a single position has none."""
    times = np.array([0, 10, 20, 30, 30 + 10 * GAP_INTERVALS, 31 + 20 * GAP_INTERVALS])
    assert gaps(times).tolist() == [False, False, False, False, True]
    assert gaps(times[:1]).tolist() == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("time_ns,x,y\n0,0,0\n10,0,0\n10,1,1\n", "row 3: time_ns = 10 does not come after 10"),
        ("time_ns,x,y\n0,0,0\n-1,0,0\n", "row 2: time_ns = -1 does not come after 0"),
        ("time,x,y\n0,0,0\n", "no column time_ns"),
        ("time_ns,x,y\n", "no positions"),
        ("time_ns,x,y\n0,,0\n", "every row needs"),
        ("time_ns,x,y\n,0,0\n5,1,1\n", "every row needs"),
        ("time_ns,x,y\n0,here,0\n", "must be whole nanoseconds"),
        ("time_ns,x,y\n0,0\n", "cannot be read"),
        ("time_ns,x,y\n0,nan,0\n", "every row needs"),
    ],
)
def test_bad_positions_are_refused(tmp_path, text, complaint):
    """With the file, and what is wrong with it."""
    with pytest.raises(InputError, match=r"^walk\.csv: ") as caught:
        read_positions(written(tmp_path, text))
    assert complaint in str(caught.value)


def test_what_is_no_table_is_refused(tmp_path):
    """Whatever its name says."""
    with pytest.raises(InputError, match="cannot be read"):
        read_positions(written(tmp_path, "hello", "walk.parquet"))
