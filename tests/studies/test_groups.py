"""The study of groups as a whole."""

import pytest

from tidings.studies import groups
from tidings.studies.study_run import StudyRun


@pytest.mark.slow
def test_every_figure_has_findings():
    """The quick form, names unique, the paper's numbers beside ours."""
    figures = list(groups.figures(StudyRun()))
    papers = ["fig3", "fig4", "placement", "fig5", "fig6", "fig7", "fig8"]
    assert [figure.name for figure in figures] == [*papers, "changing", "ways"]
    assert all(figure.findings for figure in figures)
    assert {row.paper for figure in figures for row in figure.findings} >= {"<= 2.5", "< 8", "< 0.5", "about 0.2", 1}


def test_it_is_a_study():
    """What the catalogue asks for; nothing is done before somebody looks."""
    assert iter(groups.figures(StudyRun())) is not None
