"""Intervals: textbook values, and that they hold what they should as often as they say."""

import math

import numpy as np
import pytest

from tidings.studies.intervals import finding_of_mean, finding_of_share, mean_interval, share_interval
from tidings.vocabulary.streams import Streams


def test_the_mean_of_a_few():
    """Student with 2 degrees of freedom: 4.303 standard errors."""
    mean, low, high = mean_interval([1.0, 2.0, 3.0])
    assert mean == 2
    assert high - mean == pytest.approx(4.3027 / math.sqrt(3), rel=1e-4)
    assert mean - low == pytest.approx(high - mean)


def test_one_value_has_no_width():
    """Nothing is known of its spread."""
    assert mean_interval([5.0]) == (5.0, 5.0, 5.0)


def test_shares_by_clopper_and_pearson():
    """None of 30: the rule of three, exactly 1 - 0.025^(1/30)."""
    assert share_interval(0, 30) == (0, 0, pytest.approx(1 - 0.025 ** (1 / 30)))
    assert share_interval(30, 30) == (1, pytest.approx(0.025 ** (1 / 30)), 1)
    share, low, high = share_interval(5, 10)
    assert (share, round(low, 4), round(high, 4)) == (0.5, 0.1871, 0.8129)
    assert share_interval(0, 0)[1:] == (0, 1)


def test_intervals_hold_the_truth():
    """In at least 95 % of 400 samples the share, in about 95 % the mean."""
    draw = Streams(3)("intervals")
    shares = [share_interval(int(hits), 50) for hits in draw.binomial(50, 0.1, 400)]
    assert sum(low <= 0.1 <= high for _, low, high in shares) >= 380
    means = [mean_interval(draw.normal(2, 1, 8)) for _ in range(400)]
    assert 365 <= sum(low <= 2 <= high for _, low, high in means) <= 395


def test_findings_carry_their_interval():
    """As the contract's rows, with two keys more."""
    assert finding_of_share("late", 0.05, 5, 10).document().keys() == {"what", "paper", "ours", "low", "high"}
    assert finding_of_mean("delay", None, np.array([1.0, 1.0])).low == 1.0


def test_a_single_value_has_no_interval():
    """Rather than one of no width."""
    assert finding_of_mean("delay", 2, [3.0]).document() == {"what": "delay", "paper": 2, "ours": 3.0}
