"""The sample buffer against a plain list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import InputError
from tidings.ordering.samples import SAMPLES_MAX, Samples


@given(st.integers(1, 30), st.lists(st.integers(-(2**62), 2**62), max_size=100))
def test_it_is_the_end_of_a_list(size, differences):
    """Number, sum, squares and ranks of the newest, without their signs and without rounding."""
    samples = Samples(size)
    for count, difference in enumerate(differences, 1):
        samples.add(difference)
        newest = sorted(abs(one) for one in differences[:count][-size:])
        assert len(samples) == len(newest)
        assert samples.total_ns == sum(newest)
        assert samples.squares_ns2 == sum(one**2 for one in newest)
        assert [samples.ranked_ns(rank) for rank in range(1, len(newest) + 1)] == newest


@pytest.mark.parametrize("size", [0, -1, SAMPLES_MAX + 1])
def test_impossible_sizes_are_refused(size):
    """None, or without bound."""
    with pytest.raises(InputError, match="samples"):
        Samples(size)
