"""Predicted beside simulated, subscriber by subscriber."""

import numpy as np
import pytest

from tidings.analysis import predict
from tidings.studies.content_runs import (
    MODELS,
    SKEWS,
    Compared,
    RunJob,
    among_those_who_wanted,
    compared,
    error_curve,
    error_findings,
    joined,
    name_of,
    poisson,
    predictions,
    simulated,
)
from tidings.studies.content_setting import Setting, world_of
from tidings.studies.study_run import StudyRun

SMALL = Setting(seed=1, brokers=3, subscribers=5, seconds=300, service_ms=20.0, intervals="deterministic")


def test_models():
    """The thesis's two models agree where all is exponential, and differ elsewhere; ours is the plain prediction."""
    plain = Setting(seed=1, brokers=4, subscribers=8, service_ms=20.0)
    found = predictions(world_of(plain))
    assert set(found) == {*MODELS, *(name_of(model, skew) for model in MODELS[1:] for skew in SKEWS)}
    assert found["M/M/1"] == pytest.approx(found["G/G/1"], abs=1e-9)
    other = predictions(world_of(SMALL))
    assert other["M/M/1"] != pytest.approx(other["G/G/1"], abs=1e-4)
    ours = [one.reliability for one in predict(world_of(SMALL)).subscribers.values()]
    assert other["distribution"].tolist() == ours
    assert poisson(world_of(SMALL)).publishers[0].every.scv == 1.0


def test_runs():
    """The same run twice is the same, another is another; means lie near the prediction."""
    one, again, other = (simulated(RunJob(setting=SMALL, run=run)) for run in (1, 1, 2))
    assert one == again != other
    [found] = compared(StudyRun(), [SMALL], 2)
    assert found.runs.tolist() == [one, other]
    assert np.abs(found.errors("distribution")).mean() < 0.1


def test_nobody_is_judged_by_nothing():
    """A subscriber to whom nothing was published is left out; in some runs is enough."""
    shares = np.array([[0.5, np.nan, np.nan], [0.7, np.nan, 0.2]])
    found = among_those_who_wanted(shares, {"m": np.array([0.61, 0.0, 0.25])})
    assert found.simulated == pytest.approx([0.6, 0.2])
    assert found.errors("m") == pytest.approx([0.01, 0.05])


def test_inside():
    """Within Student's interval of a subscriber's runs."""
    runs = np.array([[0.50, 0.1], [0.52, 0.1], [0.51, 0.1]])
    assert Compared(runs, {"m": np.array([0.51, 0.2])}).inside("m") == (1, 2)


def test_findings_and_curves():
    """In points; the thesis's claim beside them where it is about them."""
    one = Compared(np.array([[0.5, 0.5]]), {"m": np.array([0.51, 0.53])})
    both = joined([one, one])
    mean, worst, inside = error_findings("x", both, "m", paper=True)
    assert (mean.paper, worst.paper) == ("below 5", "below 10")
    assert (mean.ours, worst.ours, inside.ours) == (pytest.approx(2.0), pytest.approx(3.0), 0.0)
    curve = error_curve("x", both.errors("m"))
    assert curve.x == pytest.approx((1.0, 1.0, 3.0, 3.0))
    assert curve.y == (0.25, 0.5, 0.75, 1.0)
