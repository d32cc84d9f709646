"""Errors by law, by load and by knowledge: the arithmetic of the figures, and their shapes."""

import numpy as np
import pytest

from tidings.studies import content_accuracy
from tidings.studies.content_accuracy import accuracy, by_lifetime
from tidings.studies.content_runs import MODELS, SKEWS, Compared, name_of
from tidings.studies.study_run import StudyRun


def test_skewed_knowledge_as_given():
    """Mean and worst error for each α, and which side hurts more."""
    predicted = {name_of(model, skew): np.array([0.5 + abs(skew - 1) / 10]) for model in MODELS[1:] for skew in SKEWS}
    figure = content_accuracy.skewed_knowledge(Compared(np.array([[0.5], [0.5]]), predicted))
    found = {one.what: one for one in figure.findings}
    assert found["G/G/1, α = 0.5: mean error, points"].ours == pytest.approx(5.0)
    assert found["G/G/1, α = 1: worst subscriber, points"].ours == pytest.approx(0.0)
    assert found["distribution: α = 0.5 hurts more than α = 2"].ours == "no"


@pytest.mark.slow
def test_figures():
    """Ours is nearer than the thesis's models with every law, and within its claim."""
    figures = accuracy(StudyRun())
    assert [one.name for one in figures] == ["fig3.5", "fig3.6", "fig3.6-distribution", "fig3.7"]
    errors = [[one.ours for one in figure.findings if "mean error" in one.what] for figure in figures[:3]]
    assert len(errors[0]) == len(errors[2]) == 6
    assert all(ours < thesis for thesis, ours in zip(errors[1], errors[2], strict=True))
    assert max(errors[2]) < 5
    assert all(figure.plots for figure in figures)


@pytest.mark.slow
def test_along_an_axis():
    """Two models for each lifetime."""
    figure = by_lifetime(StudyRun())
    assert len(figure.findings) == 5 * 2 * 3
