"""The evaluation of total notification order (Baldoni, Bonomi, Platania, Querzoni), and plans beside its deployment."""

from collections.abc import Iterator

from tidings.studies.figure import Figure
from tidings.studies.study_run import StudyRun
from tidings.studies.total_deployed import bandwidth_figure, look, rates_figure, sizes_figure, ways_figure
from tidings.studies.total_sizes import coding_figure, entries_figure


def figures(run: StudyRun) -> Iterator[Figure]:
    """Fig. 7 to 14 of the paper, bytes, and the ways that plans save."""
    yield entries_figure(run)
    yield coding_figure(run)
    worlds, sized = look(run)
    yield ways_figure(worlds)
    yield rates_figure(worlds)
    yield bandwidth_figure(worlds)
    yield sizes_figure(worlds, sized)
