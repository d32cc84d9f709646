"""Doubles beside numbers of any size."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from strategies import numbers
from tidings.matching.doubles import double_beside, greatest_double, is_double, least_double, place_of_cut

LARGEST = 1.7976931348623157e308
doubles = st.floats(allow_nan=False, allow_infinity=False)
anything = numbers | st.integers(-(10**400), 10**400)


@given(anything)
def test_is_double_says_whether_a_float_is_equal(number):
    """Python compares integers and floats exactly."""
    if isinstance(number, int) and abs(number) > LARGEST:
        assert not is_double(number)
    else:
        assert is_double(number) == (float(number) == number)


def test_nan_and_infinity():
    """NaN is no place on a line; infinity is its end."""
    assert not is_double(math.nan)
    assert is_double(math.inf)
    assert least_double(math.inf) == math.inf


@given(anything, doubles)
def test_least_double_stands_for_the_bound(bound, value):
    """On doubles, `>= bound` is `>= least_double(bound)`, and `> bound` with `above`."""
    assert (value >= bound) == (value >= least_double(bound))
    assert (value > bound) == (value >= least_double(bound, above=True))


@given(anything, doubles)
def test_greatest_double_stands_for_the_bound(bound, value):
    """On doubles, `<= bound` is `<= greatest_double(bound)`."""
    assert (value <= bound) == (value <= greatest_double(bound))


@given(anything)
def test_the_double_beside_is_finite_and_one_of_the_two_nearest(number):
    """Nothing fits between."""
    beside = double_beside(number)
    assert math.isfinite(beside)
    if abs(number) < LARGEST:
        distance = abs(Fraction(beside) - Fraction(number))
        assert distance <= Fraction(math.ulp(beside))


@given(anything, doubles)
def test_doubles_from_the_place_of_a_cut_on_lie_above_it(number, value):
    """Cuts lie just below (0) and just above (1) a number."""
    assert (value >= place_of_cut((number, 0))) == (value >= number)
    assert (value >= place_of_cut((number, 1))) == (value > number)
