"""Plots as SVG: well-formed, self-contained, the same bytes; what is given is drawn."""

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from tidings.plots.paper import NARROW, WIDE
from tidings.plots.plot import Curve, Plot
from tidings.plots.svg import svg_of

PLOT = Plot(
    title="a < b & c",
    x="time, s",
    y="share",
    curves=(
        Curve("line", (0.0, 1.0, 2.0), (1.0, 2.0, 4.0)),
        Curve("steps", (0.0, 1.0, 2.0), (1.0, float("nan"), 4.0), "steps"),
        Curve("points", (0.0, 1.0), (1.0, 2.0), "points", (0.5, 1.5), (1.5, 2.5)),
        Curve("bars", (0.0, 1.0), (1.0, 2.0), "bars"),
        Curve("more bars", (0.0, 1.0), (2.0, 1.0), "bars"),
        Curve("ranges", (0.0, 1.0), (1.0, 2.0), "ranges", (0.5, 1.0), (2.0, 3.0)),
    ),
)
SVG = "{http://www.w3.org/2000/svg}"


def test_well_formed_and_alone():
    """An XML document without links, with the words escaped."""
    text = svg_of(PLOT)
    root = ET.fromstring(text)
    assert root.find(f"{SVG}title").text == "a < b & c"
    assert "href" not in text
    assert svg_of(PLOT) == text
    assert text.count("http") == 1


def test_everything_is_drawn():
    """Two circles of points and two of ranges, four bars, a legend for each curve."""
    root = ET.fromstring(svg_of(PLOT))
    groups = root.findall(f"{SVG}g[@stroke]")
    assert len(groups) == len(PLOT.curves)
    assert [len(group.findall(f"{SVG}circle")) for group in groups] == [0, 0, 2, 0, 0, 2]
    assert [len(group.findall(f"{SVG}rect")) for group in groups] == [0, 0, 0, 2, 2, 0]
    words = {text.text for text in root.iter(f"{SVG}text")}
    assert {curve.name for curve in PLOT.curves} <= words


@pytest.mark.parametrize("paper", [WIDE, NARROW])
def test_nothing_leaves_the_paper(paper):
    """Circles, words and bars lie inside, bars beside each other."""
    root = ET.fromstring(svg_of(PLOT, paper))
    wide, high = (float(one) for one in root.get("viewBox").split()[2:])
    assert (wide, high) == (paper.width, paper.whole_height(len(PLOT.curves)))
    for circle in root.iter(f"{SVG}circle"):
        assert paper.left <= float(circle.get("cx")) <= paper.width - paper.right
        assert paper.top <= float(circle.get("cy")) <= paper.height - paper.bottom
    for word in root.iter(f"{SVG}text"):
        assert 0 <= float(word.get("x")) <= wide
        assert 0 <= float(word.get("y")) <= high
    groups = [group for group in root.findall(f"{SVG}g[@stroke]") if group.find(f"{SVG}rect") is not None]
    edges = sorted(
        (float(bar.get("x")), float(bar.get("x")) + float(bar.get("width")))
        for g in groups
        for bar in g.iter(f"{SVG}rect")
    )
    assert all(left[1] <= right[0] + 0.2 for left, right in pairwise(edges))


def test_words_instead_of_numbers():
    """Categories stand under their places."""
    plot = Plot(
        title="t", x="", y="", categories=("CST-250", "P-0.05-25"), curves=(Curve("c", (0.0, 1.0), (1.0, 2.0), "bars"),)
    )
    words = [text.text for text in ET.fromstring(svg_of(plot)).iter(f"{SVG}text")]
    assert {"CST-250", "P-0.05-25"} <= set(words)


@pytest.mark.parametrize("x_log", [False, True])
@pytest.mark.parametrize("y_log", [False, True])
def test_logarithmic_axes(x_log, y_log):
    """A straight line through powers of ten is straight where both axes are logarithmic."""
    curve = Curve("c", (1.0, 10.0, 100.0), (1.0, 10.0, 100.0), "points")
    plot = Plot(title="t", x="", y="", x_log=x_log, y_log=y_log, curves=(curve,))
    a, b, c = ((float(one.get("cx")), float(one.get("cy"))) for one in ET.fromstring(svg_of(plot)).iter(f"{SVG}circle"))
    slope = [(q[1] - p[1]) / (q[0] - p[0]) for p, q in ((a, b), (b, c))]
    assert (abs(slope[0] - slope[1]) < 0.02) == (x_log == y_log)


def test_an_empty_plot_is_a_frame():
    """Nothing measured, nothing drawn, no failure."""
    ET.fromstring(svg_of(Plot(title="t", x="", y="", curves=())))
