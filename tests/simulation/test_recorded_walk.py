"""Recorded positions: straight between them, nowhere in gaps, and clear words about bad ones."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tidings.errors import InputError
from tidings.simulation.recorded_walk import GAP_INTERVALS, recorded_legs
from tidings.simulation.steps import Leg


def written(folder, text, name="walk.csv"):
    """A file of positions."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_neighbours_are_joined_by_straight_legs(tmp_path):
    """And after the last one the walker is nowhere; whole numbers of metres will do."""
    path = written(tmp_path, "time_ns,x,y\n-5,0,0\n10,1.5,2\n20,3,4\n")
    assert list(recorded_legs(path)) == [
        Leg(-5, 10, (0.0, 0.0), (1.5, 2.0)),
        Leg(10, 20, (1.5, 2.0), (3.0, 4.0)),
        Leg(20, None, None, None),
    ]


def test_parquet_reads_the_same(tmp_path):
    """With columns that nobody asked for."""
    csv = written(tmp_path, "time_ns,x,y\n0,0,0\n10,1,2\n")
    pq.write_table(
        pa.table({"x": [0.0, 1.0], "who": ["a", "a"], "y": [0.0, 2.0], "time_ns": [0, 10]}), tmp_path / "w.parquet"
    )
    assert list(recorded_legs(tmp_path / "w.parquet")) == list(recorded_legs(csv))


def test_in_a_gap_nobody_knows(tmp_path):
    """Ten median intervals without a position are one."""
    instants = [0, 10, 20, 30, 30 + 10 * GAP_INTERVALS + 1, 30 + 10 * GAP_INTERVALS + 11]
    legs = list(recorded_legs(written(tmp_path, "time_ns,x,y\n" + "".join(f"{one},0,0\n" for one in instants))))
    assert [leg.start for leg in legs] == [(0.0, 0.0)] * 3 + [None] + [(0.0, 0.0)] + [None]


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
        list(recorded_legs(written(tmp_path, text)))
    assert complaint in str(caught.value)


def test_what_is_no_table_is_refused(tmp_path):
    """Whatever its name says."""
    with pytest.raises(InputError, match="cannot be read"):
        list(recorded_legs(written(tmp_path, "hello", "walk.parquet")))
