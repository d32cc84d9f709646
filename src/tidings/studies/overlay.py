"""The evaluation of the reliability thesis's fifth chapter: brokers and links that fail."""

from collections.abc import Iterator

from tidings.studies.figure import Figure
from tidings.studies.overlay_line import line_figures
from tidings.studies.overlay_nets import graph_figure, home_figure, tree_figure
from tidings.studies.study_run import StudyRun


def figures(run: StudyRun) -> Iterator[Figure]:
    """Fig. 5.6 to 5.11."""
    yield from line_figures(run)
    yield tree_figure(run)
    yield graph_figure(run)
    yield home_figure(run)
