"""Atoms: few values that stand for a law."""

import numpy as np
import pytest

from tidings.analysis.atoms import atoms
from tidings.vocabulary.distribution import Constant, Empirical, Exponential, Gamma, Normal, Uniform


@pytest.mark.parametrize("law", [Uniform(2.0, 6.0), Exponential(3.0), Gamma(2.0, 0.3), Normal(5.0, 1.0)])
@pytest.mark.parametrize("count", [1, 4, 24])
def test_the_mean_stays(law, count):
    """They ascend, there are as many as asked for, and their mean is the law's."""
    found = atoms(law, count)
    assert len(found) == count
    assert (np.diff(found) > 0).all()
    assert found.mean() == pytest.approx(law.mean, rel=5e-3)


def test_what_is_constant_is_one_value():
    """However many are asked for."""
    assert atoms(Constant(7.0), 12).tolist() == [7.0]
    assert atoms(Uniform(7.0, 7.0), 12).tolist() == [7.0]


def test_measured_values():
    """As often as they were measured."""
    found = atoms(Empirical.of("x", [1.0, 1.0, 1.0, 5.0]), 4)
    assert found.tolist() == pytest.approx([1.0, 1.0, 1.0, 5.0])


def test_the_time_average_speed():
    """Who draws U(1, 10) for every leg has 3.9086503 in the mean over time (validation cases)."""
    slowness = atoms(Uniform(1.0, 10.0), 64, lambda speeds: 1 / speeds)
    assert 1 / slowness.mean() == pytest.approx(3.9086503, abs=5e-8)
