"""Fig. 1: delays over brokers, their fit, and the law of their differences."""

import numpy as np
import pytest

from tidings.ordering import Hypoexponential
from tidings.studies.fifo_delays import delay_laws, delays_over, distance
from tidings.studies.study_run import StudyRun
from tidings.vocabulary.streams import Streams


@pytest.fixture(scope="module")
def figure():
    """With the seed of the documents."""
    return delay_laws(StudyRun())


def ours(figure, start):
    """The finding whose words begin so."""
    (found,) = [one.ours for one in figure.findings if one.what.startswith(start)]
    return found


def test_delays_are_links_and_services():
    """Three brokers: 100 ms of links, and a little more."""
    found = delays_over(3, 2_000, Streams(1)("x"))
    assert len(found) == 2_000
    assert 0.1 < found.min() < 0.105
    assert 0.11 < found.mean() < 0.12


def test_the_fit_is_close_and_the_power_law_is_not(figure):
    """The chain of phases lies within 2 % of the data everywhere; a power law does not come near."""
    assert ours(figure, "b: largest distance") < 0.02
    assert ours(figure, "b: the same, power law") > 0.2


def test_two_laplace_are_on_the_safe_side_for_five_hops(figure):
    """Their tails are longer than those of five: the 95 % quantile is exceeded by fewer than 5 %."""
    assert 0.03 < ours(figure, "c: share of differences") < 0.05


def test_the_distance_is_kolmogorovs():
    """Of a law from itself small, from twice as fast a one large."""
    times = Streams(2)("t").exponential(1.0, 5_000)
    assert distance(times, Hypoexponential((1.0,))) < 0.03
    assert distance(times, Hypoexponential((2.0,))) == pytest.approx(0.25, abs=0.03)


def test_the_plots_show_what_was_measured(figure):
    """Three plots, as in the paper; all curves finite."""
    assert len(figure.plots) == 3
    assert all(np.isfinite(curve.y).all() for plot in figure.plots for curve in plot.curves)
