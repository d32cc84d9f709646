"""Recorded positions: straight between them, nowhere in gaps."""

import pyarrow as pa
import pyarrow.parquet as pq

from tidings.scenario.positions import GAP_INTERVALS
from tidings.simulation.recorded_walk import recorded_legs
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
