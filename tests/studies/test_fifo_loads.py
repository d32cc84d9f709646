"""Fig. 2: delays up to congestion, and what a rank-sum test can and cannot tell."""

import numpy as np
import pytest

from tidings.studies.fifo_loads import LOADS, LoadJob, consecutive_delays, divided, loads
from tidings.studies.study_run import StudyRun


@pytest.fixture(scope="module")
def figure():
    """The quick form."""
    return loads(StudyRun())


def test_congestion_delays_everything():
    """Delays rise far above the way's own, and neighbours share them."""
    delays = consecutive_delays(LoadJob(seed=1, seconds=4.0, threads=False))
    assert delays.min() > 0.15
    assert delays.max() > 0.5
    assert np.corrcoef(delays[:-1], delays[1:])[0, 1] > 0.95
    assert len(delays) == sum(int(load * 800 * 4.0) for load in LOADS)


def test_division_loses_nothing():
    """Each difference on one of the two sides, by the delay before it."""
    below, above = divided(np.array([1.0, 2.0, 1.0, 1.0]))
    assert below.tolist() == [1.0, 0.0]
    assert above.tolist() == [-1.0]


def test_workers_vary_alike_threads_do_not(figure):
    """With workers the variation does not depend on the delay; with threads it grows with it."""
    ours = {row.what: row.ours for row in figure.findings}
    assert ours["four workers: longest delay, s"] > 1.5
    assert ours["four workers: rank-sum p of their sizes"] > 0.001
    assert ours["four workers: mean size above, ms"] == pytest.approx(
        ours["four workers: mean size below, ms"], rel=0.1
    )
    assert ours["a thread for each: rank-sum p of their sizes"] < 1e-6
    assert ours["a thread for each: mean size above, ms"] > 2 * ours["a thread for each: mean size below, ms"]


def test_the_plots_show_both_sides(figure):
    """A scatter, and a distribution on either side for both networks."""
    assert [len(plot.curves) for plot in figure.plots] == [1, 2, 2]
