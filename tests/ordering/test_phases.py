"""Chains of phases: against matrix exponentials, sums of exponentials, and themselves."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm

from tidings.errors import InputError
from tidings.ordering.phases import PHASES_MAX, check_positive, first_rows, transitions

rates_lists = st.lists(st.floats(0.01, 100.0), min_size=1, max_size=6)


def generator(rates):
    """The chain's generator, written out."""
    matrix = np.diag([-rate for rate in rates])
    for place, rate in enumerate(rates[:-1]):
        matrix[place, place + 1] = rate
    return matrix


@given(rates_lists, st.lists(st.floats(0.0, 20.0), min_size=1, max_size=4))
def test_transitions_are_the_matrix_exponential(rates, times):
    """Scipy's general one is the twin."""
    found = transitions(rates, np.array(times))
    for matrix, time in zip(found, times, strict=True):
        assert matrix == pytest.approx(expm(generator(rates) * time), rel=1e-7, abs=1e-12)


@given(st.floats(0.1, 10), st.floats(0.0, 5.0))
def test_rates_that_are_equal_or_nearly_so_lose_no_digit(rate, time):
    """Where partial fractions divide by nothing: both agree with Erlang's formula."""
    erlang = math.exp(-rate * time) * (1 + rate * time + (rate * time) ** 2 / 2)
    for rates in ([rate] * 3, [rate, rate * (1 + 1e-13), rate * (1 - 1e-13)]):
        assert transitions(rates, np.array([time]))[0, 0].sum() == pytest.approx(erlang, rel=1e-11)


def test_the_far_tail_keeps_its_digits():
    """e^(−700) with a relative error like any other."""
    tail = transitions([1.0, 50.0], np.array([700.0]))[0, 0].sum()
    assert tail == pytest.approx((50 * math.exp(-700) - math.exp(-35000)) / 49, rel=1e-9)


@given(rates_lists, st.floats(1e-3, 1.0), st.integers(0, 5))
def test_rows_on_a_grid_are_single_rows(rates, step, doublings):
    """Doubling arrives where single steps arrive."""
    rows = first_rows(rates, step, doublings)
    times = (np.arange(1 << doublings) + 0.5) * step
    assert rows == pytest.approx(transitions(rates, times)[:, 0, :], rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(
    "values", [(), (1.0,) * (PHASES_MAX + 1), (1.0, 0.0), (-1.0,), (math.nan,), (math.inf,), (1.0, math.nan)]
)
def test_impossible_values_are_refused(values):
    """Too few, too many, not positive, not finite."""
    with pytest.raises(InputError, match="rates"):
        check_positive("rates", values)


def test_possible_values_pass():
    """One and the most."""
    check_positive("rates", (1e-9,))
    check_positive("rates", (1.0,) * PHASES_MAX)
