"""Phase-type laws: published values, sums, and what has no end."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.analysis.phase_type import PhaseType, hypoexponential, matched, no_time


def test_hypoexponential():
    """Rates 3, 2, 1: mean 11/6, variance 49/36, F(2) and F(5)."""
    law = hypoexponential([3, 2, 1])
    assert law.mean == pytest.approx(11 / 6)
    assert law.variance == pytest.approx(49 / 36)
    assert law.cdf([2, 5]) == pytest.approx([0.6464623148, 0.9799220529], abs=5e-11)


def test_erlang():
    """Three phases of rate 2."""
    assert hypoexponential([2, 2, 2]).cdf([2]) == pytest.approx([0.7618966944], abs=5e-11)


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=4), st.lists(st.floats(0.1, 10), min_size=1, max_size=4))
def test_sums(one, other):
    """A sum of two chains is the chain of all phases."""
    both, whole = hypoexponential(one).plus(hypoexponential(other)), hypoexponential([*one, *other])
    assert both.mean == pytest.approx(whole.mean)
    assert both.variance == pytest.approx(whole.variance, rel=1e-6)
    assert both.cdf([1.0]) == pytest.approx(whole.cdf([1.0]), abs=1e-9)


def test_atoms():
    """Two laws that take no time half the time: a quarter of their sums does."""
    half = PhaseType(np.array([0.5]), np.array([[-1.0]]))
    both = half.plus(half)
    assert both.atom == pytest.approx(0.25)
    assert both.cdf([-1.0, 0.0]) == pytest.approx([0.0, 0.25])
    assert both.given_positive().atom == 0.0
    assert both.given_positive().mean == pytest.approx(both.mean / 0.75)
    assert half.plus(no_time()).cdf([2.0]) == pytest.approx(half.cdf([2.0]))
    assert no_time().plus(half).mean == pytest.approx(0.5)


def test_no_time():
    """Mean and variance are 0, everything is at 0."""
    assert (no_time().mean, no_time().variance, no_time().atom) == (0.0, 0.0, 1.0)
    assert no_time().cdf([0.0]) == pytest.approx([1.0])


def test_a_chain_without_exit():
    """A reachable phase that nothing leaves: an infinite mean and variance, and a probability below 1 for ever."""
    law = PhaseType(np.array([1.0, 0.0]), np.array([[-2.0, 1.0], [0.0, 0.0]]))
    assert law.mean == law.variance == math.inf
    assert law.cdf([1e3]) == pytest.approx([0.5])
    unreached = PhaseType(np.array([1.0, 0.0]), np.array([[-2.0, 0.0], [0.0, 0.0]]))
    assert unreached.mean == pytest.approx(0.5)


@given(st.floats(0.1, 100), st.floats(0.02, 20))
def test_matching_two_moments(mean, scv):
    """Mean and scv come back."""
    law = matched(mean, scv)
    assert law.mean == pytest.approx(mean, rel=1e-6)
    assert law.variance / law.mean**2 == pytest.approx(scv, rel=1e-4)


def test_almost_constant():
    """Below 1/64 a chain of 64 phases stands for it."""
    law = matched(1.0, 0.0)
    assert law.mean == pytest.approx(1.0)
    assert law.variance == pytest.approx(1 / 64)
