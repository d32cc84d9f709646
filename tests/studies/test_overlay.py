"""The study of networks that fail as a whole."""

import pytest

from tidings.studies import overlay, study_of
from tidings.studies.study_run import StudyRun


@pytest.mark.slow
def test_every_figure_has_findings_and_plots():
    """Names are the thesis's numbers; along lines predictions are near what is simulated."""
    found = {figure.name: figure for figure in overlay.figures(StudyRun())}
    assert list(found) == ["fig5.6", "fig5.7", "fig5.8", "fig5.9", "fig5.10", "fig5.11"]
    assert all(figure.findings and figure.plots for figure in found.values())
    ours = {row.what: row.ours for row in found["fig5.8"].findings}
    assert ours["mean difference of predicted and simulated, points"] < 5


def test_it_is_listed():
    """By its name."""
    assert study_of("overlay") is overlay
