"""Times in steps."""

from hypothesis import given
from hypothesis import strategies as st

from tidings.runtime.histogram import STEPS_S, Histogram


@given(st.lists(st.floats(0, 10)))
def test_each_step_counts_what_took_at_most_so_long(times):
    """As a plain count does; the last has all."""
    one = Histogram()
    for seconds in times:
        one.add(seconds)
    found = list(one.cumulated())
    assert [count for _, count in found[:-1]] == [sum(seconds <= step for seconds in times) for step in STEPS_S]
    assert found[-1] == ("+Inf", len(times))
    assert one.count == len(times)
    assert abs(one.total - sum(times)) < 1e-6
