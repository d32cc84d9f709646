"""The study of subscribers that move."""

import numpy as np
import pytest

from tidings.studies import mobility, study_of
from tidings.studies.mobility import WalkersJob, _phase_findings, _said, laws_of, phases_figure, shown, walked
from tidings.studies.mobility_setting import Walkers
from tidings.studies.study_run import StudyRun


def test_phases_are_predicted():
    """Of contact and of outage, in the mean and as distributions."""
    walkers = Walkers()
    for walks, (times, law) in zip(walked(WalkersJob(walkers=walkers, seed=1)), laws_of(walkers), strict=True):
        mean, expected, apart = _phase_findings("x", np.sort(walks), times, law)
        assert expected.ours == pytest.approx(mean.ours, rel=0.1)
        assert apart.ours < 0.15 * mean.ours
        assert mean.low < mean.ours < mean.high


def test_reliability_is_predicted():
    """Basic brokers lose what comes in outages; those that wait save most of it."""
    means = {}
    for mode in ("basic", "+broker"):
        shares, law = shown(WalkersJob(walkers=Walkers(mode=mode, walkers=15, seconds=1_200, every_s=30.0), seed=1))
        means[mode] = float(np.nanmean(shares))
        assert means[mode] == pytest.approx(law, abs=0.08)
    assert means["+broker"] > means["basic"] + 0.3


def test_a_figure_has_a_plot_for_each_map_model_and_phase():
    """With walked and predicted curves for each value."""
    figure = phases_figure(StudyRun(), "fig", "title", "speed", {"random-waypoint": (25.0,), "manhattan": (60.0,)})
    assert len(figure.plots) == 8
    assert all(len(plot.curves) == 2 for plot in figure.plots)
    assert len(figure.findings) == 3 * 8
    for curve in (curve for plot in figure.plots for curve in plot.curves):
        assert list(curve.y) == sorted(curve.y)
        assert 0 <= curve.y[0] <= curve.y[-1] <= 1.0 + 1e-9


def test_the_thesis_is_beside_it_where_it_says_something():
    """What the axis does; of hand-off delays it says nothing of that kind."""
    (found,) = _said("fig4.12", "x", {"mode": "basic"}, [0.4, 0.45])
    assert (found.paper, found.ours) == ("none", pytest.approx(5.0))
    assert _said("fig4.15", "x", {"handoff_s": 5.0}, [0.4, 0.5]) == []


@pytest.mark.slow
def test_every_figure_has_findings_and_plots():
    """Names are the thesis's numbers; predictions are near what is simulated."""
    found = {figure.name: figure for figure in mobility.figures(StudyRun())}
    assert list(found) == ["fig4.10", "fig4.11", "fig4.12", "fig4.13", "fig4.14", "fig4.15"]
    assert all(figure.findings and figure.plots for figure in found.values())
    ours = {row.what: row.ours for row in found["fig4.12"].findings}
    assert ours["mean difference of predicted and simulated, points"] < 5


def test_it_is_listed():
    """By its name."""
    assert study_of("mobility") is mobility
