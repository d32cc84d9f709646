"""The evaluation of the reliability thesis's third chapter: prediction where contents decide the load."""

from collections.abc import Iterator

from tidings.studies.content_accuracy import accuracy, by_lifetime, by_load
from tidings.studies.content_admission import admission
from tidings.studies.content_market import market
from tidings.studies.figure import Figure
from tidings.studies.study_run import StudyRun


def figures(run: StudyRun) -> Iterator[Figure]:
    """Fig. 3.5 to 3.10, and errors by load and by lifetime, which the thesis does not show."""
    yield from accuracy(run)
    yield by_load(run)
    yield by_lifetime(run)
    yield from market(run)
    yield admission(run)
