"""The evaluation of ordering across groups (Lumezanu, Spring, Bhattacharjee), and better places for its sequencers."""

from collections.abc import Iterator

from tidings.studies.figure import Figure
from tidings.studies.groups_changing import changing_figures
from tidings.studies.groups_latency import stretch_figures
from tidings.studies.groups_nodes import counting_figures
from tidings.studies.study_run import StudyRun


def figures(run: StudyRun) -> Iterator[Figure]:
    """Fig. 3 to 8 of the paper, ways to share and place nodes, and what becomes of them when members come and go."""
    yield from stretch_figures(run)
    yield from counting_figures(run)
    yield from changing_figures(run)
