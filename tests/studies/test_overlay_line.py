"""Delays and reliability along a line."""

from dataclasses import replace

import numpy as np
import pytest

from tidings.studies.overlay_line import (
    TIMES_S,
    LineJob,
    _cdf,
    conditional,
    delays,
    predicted,
    predicted_cdf,
    reliability,
)
from tidings.studies.overlay_setting import Line
from tidings.vocabulary.instant import FOREVER

SHORT = Line(brokers=3, availability=0.9, every_s=1_800)


def test_what_never_expires_arrives_if_it_was_taken():
    """All but what is published while the publisher's broker is down; and what waits was waiting for a repair."""
    count, found = delays(LineJob(line=SHORT, seed=1))
    assert count == 672
    assert len(found) / count == pytest.approx(0.9, abs=0.1)
    assert min(found) == 0.0
    assert max(found) > 600


def test_prediction_and_runs_agree():
    """Over some runs, for both mechanisms and for the distribution of delays."""
    runs = [delays(LineJob(line=SHORT, seed=seed)) for seed in range(1, 6)]
    mean = np.mean([_cdf(found) for _, found in runs], axis=0)
    assert np.abs(mean - predicted_cdf(SHORT)).max() < 0.08
    dropping = replace(SHORT, mechanism="periodic")
    shares = [reliability(LineJob(line=dropping, seed=seed)) for seed in range(1, 4)]
    assert np.mean(shares) == pytest.approx(predicted(dropping), abs=0.1)
    assert predicted(dropping) < predicted(SHORT) < predicted(SHORT, FOREVER)


def test_a_conditional_distribution_begins_at_0_and_never_exceeds_1():
    """Eq. 5.12 as corrected."""
    law = conditional(predicted_cdf(SHORT))
    assert len(law) == len(TIMES_S)
    assert law[0] == 0.0
    assert (np.diff(law) > 0).all()
    assert law[-1] <= 1.0


def test_shares_by_hand():
    """What took no longer than each time; of nothing, nothing."""
    assert _cdf([0.0, 1.0, 3_600.0, 9e9])[:2].tolist() == [0.5, 0.5]
    assert _cdf([0.0, 1.0, 3_600.0, 9e9])[-1] == 0.75
    assert set(_cdf([])) == {0.0}
