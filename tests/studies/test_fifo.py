"""The study of probabilistic FIFO as a whole."""

import pytest

from tidings.studies import fifo
from tidings.studies.study_run import StudyRun


def test_figures_come_one_by_one():
    """The first is there before the others are worked out."""
    assert next(fifo.figures(StudyRun())).name == "fig1"


@pytest.mark.slow
def test_every_figure_has_findings_and_plots():
    """Names are the paper's numbers; ours beside them."""
    found = {figure.name: figure for figure in fifo.figures(StudyRun())}
    assert list(found) == ["fig1", "fig2", "fig3", "fig3-threads", "fig4", "laws"]
    assert all(figure.findings and figure.plots for figure in found.values())
