"""Inversion against functions that are known."""

import numpy as np
import pytest

from tidings.analysis.laplace import inverted, rates_for

TIMES = np.geomspace(0.01, 20.0, 30)


@pytest.mark.parametrize(
    ("transform", "function"),
    [
        (lambda rates: 1 / rates, np.ones_like),
        (lambda rates: 1 / rates**2, lambda times: times),
        (lambda rates: 1 / (1 + rates), lambda times: np.exp(-times)),
        (lambda rates: 1 / (rates * (1 + rates) ** 2), lambda times: 1 - (1 + times) * np.exp(-times)),
    ],
)
def test_known_pairs(transform, function):
    """To four digits of what there is to see."""
    assert inverted(TIMES, transform(rates_for(TIMES))) == pytest.approx(function(TIMES), abs=1e-3)
