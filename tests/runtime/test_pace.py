"""How fast a client may publish."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.runtime.pace import Pace


def test_a_burst_of_one_second_is_free():
    """And what comes on top waits for its share."""
    pace = Pace(100.0, 0.0)
    assert pace.wait_s(100, 0.0) == 0
    assert pace.wait_s(150, 0.0) == pytest.approx(0.5)
    assert pace.wait_s(150, 0.5) == 0
    assert pace.wait_s(250, 100.0) == 0, "a long silence earns one second's worth, and not more"
    assert pace.wait_s(260, 100.0) == pytest.approx(0.1)


@given(st.lists(st.integers(0, 500), max_size=50), st.floats(1, 1_000))
def test_whoever_waits_as_told_keeps_to_the_rate(batches, rate):
    """After any row of batches, no more was published than the time allows, but for one second's worth and the last batch."""
    pace, now, total = Pace(rate, 0.0), 0.0, 0
    for batch in batches:
        assert total <= rate * (now + 1) + 1e-6
        total += batch
        now += pace.wait_s(total, now)
