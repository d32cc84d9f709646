"""W₋₁: against its definition, scipy's, and its series."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import lambertw

from tidings.errors import InputError
from tidings.ordering.lambert import BRANCH_POINT, lambert_lower


@given(st.floats(-700.0, -1.0000001))
def test_it_inverts_w_times_exp_w(w):
    """From w to w·eʷ and back, over the whole branch."""
    x = w * math.exp(w)
    # How far a rounding of x moves w: without bound at the branch point.
    slack = 1e-15 * abs(w) * (2 + abs(w / (1 + w)))
    if x >= BRANCH_POINT:
        assert abs(lambert_lower(x) - w) <= slack


@given(st.floats(-0.36, -1e-300))
def test_it_agrees_with_scipy(x):
    """Away from the branch point, where scipy's is good to the last digits."""
    assert lambert_lower(x) == pytest.approx(lambertw(x, -1).real, rel=1e-13)


@given(st.floats(0.0, 0.3))
def test_the_series_meets_newton_near_the_branch_point(s):
    """With s = √(2(e·x + 1)), the first terms −1 − s − s²/3 − 11s³/72 hold up to the next."""
    x = max(BRANCH_POINT, (s * s / 2 - 1) / math.e)
    # Exactly what the rounding of x has left of s, 1/e being 0.36787944117144232159552377…
    distance = Fraction(x) + Fraction("0.36787944117144232159552377016146")
    again = math.sqrt(max(0.0, 2 * math.e * float(distance)))
    expected = -1 - again - again**2 / 3 - 11 * again**3 / 72
    assert abs(lambert_lower(x) - expected) <= 0.1 * again**4 + 4e-16


def test_both_ends():
    """−1 at the branch point; far down, but finite, at the smallest number below 0."""
    assert lambert_lower(BRANCH_POINT) == -1.0
    w = lambert_lower(-5e-324)
    assert w + math.log(-w) == pytest.approx(math.log(5e-324), rel=1e-15)


@pytest.mark.parametrize("x", [-0.37, math.nextafter(BRANCH_POINT, -1), 0.0, 0.1, math.nan, math.inf, -math.inf])
def test_outside_the_branch_it_is_refused(x):
    """No number is made up where there is none."""
    with pytest.raises(InputError, match="lower branch"):
        lambert_lower(x)
