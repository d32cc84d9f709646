"""Papers: where the legend stands, and that it has room."""

from tidings.plots.paper import LINE, NARROW, WIDE


def test_a_wide_paper_keeps_its_height():
    """Its legend stands to the right, below the title."""
    assert WIDE.whole_height(5) == WIDE.height
    x, y = WIDE.legend_at(2)
    assert WIDE.width - WIDE.right < x < WIDE.width
    assert y - WIDE.legend_at(1)[1] == LINE


def test_a_narrow_paper_grows_downwards():
    """Its legend stands below the plot, a line for each curve."""
    assert NARROW.whole_height(3) == NARROW.height + 3 * LINE
    x, y = NARROW.legend_at(2)
    assert x == NARROW.left
    assert NARROW.height < y + LINE <= NARROW.whole_height(3) + LINE / 2
