"""The study of DCRD as a whole."""

import pytest

from studies.tiny import TinyRun, rows
from tidings.studies import dcrd
from tidings.studies.study_run import StudyRun


@pytest.mark.slow
def test_every_figure_has_findings():
    """The quick form, names unique, the paper's numbers beside ours."""
    figures = list(dcrd.figures(StudyRun()))
    assert [figure.name for figure in figures][:7] == ["fig2", "fig3", "fig4", "fig5", "fig6", "fig7", "fig8"]
    assert all(rows(figure) for figure in figures)
    assert {row.paper for figure in figures for row in figure.findings} >= {"0.967", "0.996", "1.25", "0.78", "0.005"}


def test_the_mesh_as_the_paper_has_it():
    """Differences and ratios that its text gives, and what the round trip costs."""
    found = rows(dcrd.fully_meshed(TinyRun()))
    assert found["packets, P_f 0.1: dcrd, one-way / oracle"].paper == "1.2"
    assert found["on time, P_f 0.1, oracle"].ours > found["on time, P_f 0.1, dcrd, one-way"].ours
    assert found["packets, P_f 0.1, r-tree"].ours == 1
    assert found["on time, P_f 0.1: dcrd, one-way, above d-tree"].ours > 0
    assert found["on time, P_f 0.1: dcrd, one-way, above round-trip"].ours > 0


def test_it_is_a_study():
    """What the catalogue asks for; nothing is done before somebody looks."""
    assert iter(dcrd.figures(StudyRun())) is not None
