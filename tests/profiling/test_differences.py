"""Scales of delay differences, against the estimator of probabilistic FIFO."""

import itertools

import pytest

from tidings.ordering.estimators import scale_by_moments

MS = 1_000_000


def test_the_scale_is_that_of_the_estimator(profiled):
    """Of successive events of one publisher at one subscriber."""
    (row,) = profiled.rows("differences")
    delays = [10, 16, 13, 13, 40]
    differences = [(after - before) * MS for before, after in itertools.pairwise(delays)]
    assert (row["publisher"], row["subscriber"], row["shown"], row["differences"]) == ("p", "s", 5, 4)
    assert row["scale_ns"] == pytest.approx(scale_by_moments(differences))
    assert row["largest_ns"] == 27 * MS
