"""Events on one clock."""

import pytest

from profiling.made_records import TRADES
from tidings.errors import InputError
from tidings.profiling.recorded_events import DAY_NS, Hours

S = 10**9


def test_without_hours_the_clock_goes_on(profiled):
    """From the first event of all; what is simultaneous keeps the order of its file."""
    rows = [row for row in profiled.stage("events").to_pylist() if row["publisher"] == "ibm"]
    assert [row["rank"] for row in rows] == list(range(len(rows)))
    assert {row["segment"] for row in rows} == {0}
    at = [row["at_ns"] for row in rows]
    assert at == sorted(at)
    assert at[-1] - at[0] == DAY_NS + 59 * S
    every = profiled.stage("events").column("at_ns").to_pylist()
    assert min(every) == 0


def test_hours_lay_days_side_by_side(trading_days):
    """Nights are left out; each day is a segment."""
    rows = trading_days.stage("events").to_pylist()
    assert [(row["segment"], row["at_ns"]) for row in rows] == [
        (day, day * 1800 * S + (at - TRADES[0][0]) * 10**6)
        for day in (0, 1)
        for at in sorted(at for at, _, _ in TRADES)
    ]
    same = [row["attributes"] for row in rows[:2]]
    assert [dict(one)["price"] for one in same] == ["182.14", "182.15"]


@pytest.mark.parametrize(("begin", "end"), [(1, 1), (2, 1), (-1, 5), (0, DAY_NS + 1)])
def test_hours_that_are_none(begin, end):
    """Two times of a day."""
    with pytest.raises(InputError, match="as in 09:30 and 16:00"):
        Hours(begin, end)


def test_length():
    """From begin to end."""
    assert Hours(5, 7).length_ns == 2
