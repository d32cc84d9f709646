"""Axes: everything shown lies inside, ticks are round, logarithms take powers of ten."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.plots.axis import Axis, axis_over, written

NUMBERS = st.floats(-1e9, 1e9, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-6)


@given(st.lists(NUMBERS, min_size=1, max_size=20))
def test_everything_lies_inside(values):
    """Between the ends, in order, and the ticks as well."""
    axis = axis_over(values, 0, 100)
    places = [axis.place(value) for value in sorted(values)]
    assert all(-1e-6 <= place <= 100 + 1e-6 for place in places)
    assert places == sorted(places)
    assert 2 <= len(axis.ticks()) <= 14


@given(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=20))
def test_logarithmic_axes(values):
    """Powers of ten around all values."""
    axis = axis_over(values, 0, 100, log=True)
    assert axis.low <= min(values) * (1 + 1e-9)
    assert axis.high >= max(values) * (1 - 1e-9)
    assert all(math.isclose(math.log10(tick), round(math.log10(tick)), abs_tol=1e-9) for tick in axis.ticks())


def test_round_ticks():
    """Steps of 1, 2 or 5."""
    assert axis_over([0.0, 10.0], 0, 1).ticks() == [0, 2, 4, 6, 8, 10]
    assert axis_over([3.0], 0, 1).ticks()[0] == 2
    assert axis_over([0.0], 0, 1).ticks()[-1] == 1
    assert axis_over([], 0, 1).ticks()[-1] == 1
    assert axis_over([5.0, 6.0], 0, 1, zero=True).low == 0


def test_what_cannot_be_shown_is_left_out():
    """Neither infinity nor, on a logarithmic axis, 0 decides where the axis ends."""
    assert axis_over([1.0, math.inf, math.nan, 3.0], 0, 1).high == 3
    assert axis_over([0.0, 10.0, 100.0], 0, 1, log=True).low == 10
    assert Axis(10, 100, 0, 1, log=True).place(0) == 0
    assert Axis(0, 100, 0, 1).place(1e9) == 1


def test_a_power_axis_of_one_value():
    """It gets a decade all the same."""
    assert axis_over([10.0], 0, 1, log=True).high == 100


@pytest.mark.parametrize(
    ("value", "words"),
    [(0, "0"), (0.05, "0.05"), (1234.5678, "1,235"), (123456.0, "123,500"), (1e-7, "1e-07"), (5e6, "5e+06"), (3, "3")],
)
def test_numbers_for_readers(value, words):
    """Four digits."""
    assert written(value) == words
