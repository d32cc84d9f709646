"""The study of prediction under contents as a whole."""

import pytest

from tidings.studies import content
from tidings.studies.study_run import StudyRun


@pytest.mark.slow
def test_every_figure_has_findings_and_plots():
    """Names are the thesis's numbers, where it has the figure."""
    found = {figure.name: figure for figure in content.figures(StudyRun())}
    assert {"fig3.5", "fig3.6", "fig3.6-distribution", "fig3.7", "fig3.10", "loads", "lifetimes"} <= set(found)
    assert all(figure.findings and figure.plots for figure in found.values())


def test_it_is_listed():
    """By its name."""
    from tidings.studies import study_of

    assert study_of("content") is content
