"""The study of total order as a whole."""

import pytest

from tidings.studies import total
from tidings.studies.study_run import StudyRun


@pytest.mark.slow
def test_every_figure_has_findings():
    """The quick form, names unique, the paper's numbers beside ours."""
    figures = list(total.figures(StudyRun()))
    assert [figure.name for figure in figures] == ["fig7", "bytes", "ways", "fig9", "fig11", "fig13"]
    entries = {row.what: row for row in figures[0].findings}
    assert entries["geographic (0.901, as shares): entries, mean over topics"].paper == 17
    assert all(figure.findings for figure in figures)


def test_it_is_a_study():
    """What the catalogue asks for; nothing is done before somebody looks."""
    assert iter(total.figures(StudyRun())) is not None
