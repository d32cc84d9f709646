"""Lost packets: more of them, fewer on time; tried once and twice."""

from studies.tiny import TinyRun, rows
from tidings.studies.dcrd_losses import LOSSES, TRIED, losses


def test_every_combination_has_a_curve_and_the_ends_have_numbers():
    """With the differences between one try and two."""
    figure = losses(TinyRun())
    found = rows(figure)
    (plot,) = figure.plots
    assert [curve.x for curve in plot.curves] == [LOSSES] * len(TRIED)
    assert all(curve.y[0] > curve.y[-1] for curve in plot.curves)
    assert found["on time, P_l 0.001: m = 1 above m = 2, dcrd, one-way"].paper == "0.005"
    once, twice = (found[f"on time, P_l 0.1, dcrd, round-trip, m = {times}"].ours for times in (1, 2))
    assert abs(found["on time, P_l 0.1: m = 1 above m = 2, dcrd, round-trip"].ours - (once - twice)) < 1e-9
