"""Plots as data: curves that fit together."""

import pytest

from tidings.plots.plot import Curve, Plot


@pytest.mark.parametrize(
    "wrong",
    [
        {"x": (1.0,), "y": ()},
        {"x": (1.0,), "y": (1.0,), "low": (0.0,)},
        {"x": (1.0, 2.0), "y": (1.0, 2.0), "low": (0.0,), "high": (3.0,)},
    ],
)
def test_a_curve_that_does_not_fit_is_our_bug(wrong):
    """Lengths of x, y and ranges agree."""
    with pytest.raises(AssertionError, match="c:"):
        Curve("c", **wrong)


def test_a_plot_needs_no_curve():
    """Linear axes with numbers, unless somebody says otherwise."""
    plot = Plot(title="t", x="a", y="b", curves=())
    assert (plot.x_log, plot.y_log, plot.categories) == (False, False, ())
