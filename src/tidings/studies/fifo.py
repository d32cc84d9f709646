"""The evaluation of probabilistic FIFO (Malekpour, Carzaniga, Toffetti Carughi, Pedone)."""

from collections.abc import Iterator

from tidings.studies.fifo_adapts import adaptivity
from tidings.studies.fifo_delays import delay_laws
from tidings.studies.fifo_laws import laws
from tidings.studies.fifo_loads import loads
from tidings.studies.fifo_orders import orders
from tidings.studies.figure import Figure
from tidings.studies.study_run import StudyRun


def figures(run: StudyRun) -> Iterator[Figure]:
    """Fig. 1 to 4 of the paper, and what the paper does not show."""
    yield delay_laws(run)
    yield loads(run)
    yield orders(run, threads=False)
    yield orders(run, threads=True)
    yield adaptivity(run)
    yield laws(run)
