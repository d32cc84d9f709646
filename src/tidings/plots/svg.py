"""Plots as SVG: text and lines that any browser shows, the same bytes for the same numbers, nothing fetched from elsewhere."""

import math
from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from tidings.plots.axis import Axis, axis_over, written
from tidings.plots.paper import WIDE, Paper
from tidings.plots.plot import Curve, Plot

COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#000000")
"""Told apart by those who do not see all colours, too (Okabe and Ito)."""

_TAGS: Final = "font-family='system-ui, sans-serif' font-size='11'"


def svg_of(plot: Plot, paper: Paper = WIDE) -> str:
    """The whole plot."""
    across, up = _axes(plot, paper)
    width, height = paper.width, paper.whole_height(len(plot.curves))
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' role='img' {_TAGS}>",
        f"<title>{escape(plot.title)}</title><rect width='{width}' height='{height}' fill='white'/>",
        _text(paper.left, 16, plot.title, weight="bold"),
        *_frame(plot, across, up, paper),
    ]
    bars = [curve.name for curve in plot.curves if curve.style == "bars"]
    for index, curve in enumerate(plot.curves):
        colour = COLOURS[index % len(COLOURS)]
        beside = (bars.index(curve.name), len(bars)) if curve.style == "bars" else (0, 1)
        parts.append(f"<g stroke='{colour}' fill='{colour}'>{''.join(_curve(curve, across, up, beside))}</g>")
        parts += _legend(paper.legend_at(index), colour, curve.name)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _axes(plot: Plot, paper: Paper) -> tuple[Axis, Axis]:
    places = [x for curve in plot.curves for x in curve.x]
    if plot.categories:
        places = [-0.5, len(plot.categories) - 0.5]
    heights = [y for curve in plot.curves for y in (*curve.y, *curve.low, *curve.high)]
    zero = any(curve.style == "bars" for curve in plot.curves)
    across = axis_over(places, paper.left, paper.width - paper.right, log=plot.x_log)
    if plot.categories:
        across = Axis(places[0], places[1], paper.left, paper.width - paper.right)
    return across, axis_over(heights, paper.height - paper.bottom, paper.top, log=plot.y_log, zero=zero)


def _frame(plot: Plot, across: Axis, up: Axis, paper: Paper) -> Iterator[str]:
    left, top, bottom, right = paper.left, paper.top, paper.height - paper.bottom, paper.width - paper.right
    for tick in up.ticks():
        y = up.place(tick)
        yield f"<path d='M{left} {y:.1f}H{right}' stroke='#ddd'/>"
        yield _text(left - 6, y + 4, written(tick), anchor="end")
    words = [(float(place), word) for place, word in enumerate(plot.categories)]
    marks = words or [(tick, written(tick)) for tick in across.ticks()]
    for tick, word in marks:
        x = across.place(tick)
        yield f"<path d='M{x:.1f} {bottom}v4' stroke='#444'/>"
        yield _text(x, bottom + 16, word, anchor="middle")
    yield f"<path d='M{left} {top}V{bottom}H{right}' fill='none' stroke='#444'/>"
    yield _text((left + right) / 2, bottom + 38, plot.x, anchor="middle")
    middle = (top + bottom) / 2
    yield f"<g transform='rotate(-90 14 {middle})'>{_text(14, middle, plot.y, anchor='middle')}</g>"


def _curve(curve: Curve, across: Axis, up: Axis, beside: tuple[int, int]) -> Iterator[str]:
    points = [(across.place(x), up.place(y)) for x, y in zip(curve.x, curve.y, strict=True) if math.isfinite(y)]
    if curve.style == "bars":
        yield from _bars(curve, across, up, beside)
    elif curve.style in ("line", "steps"):
        yield f"<path d='{_path(points, steps=curve.style == 'steps')}' fill='none' stroke-width='1.5'/>"
    else:
        radius = 1.5 if len(points) > 100 else 3
        yield from (f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{radius}' stroke='none'/>" for x, y in points)
    wide = 8 if curve.style == "ranges" else 1
    for x, low, high in zip(curve.x, curve.low, curve.high, strict=False):
        place = across.place(x + _offset(beside))
        yield (
            f"<path d='M{place:.1f} {up.place(low):.1f}V{up.place(high):.1f}' stroke-width='{wide}' "
            f"stroke-opacity='{0.35 if wide > 1 else 1}'/>"
        )


def _bars(curve: Curve, across: Axis, up: Axis, beside: tuple[int, int]) -> Iterator[str]:
    gap = min((b - a for a, b in zip(curve.x, curve.x[1:], strict=False)), default=1.0)
    half = 0.4 * gap / beside[1]
    floor = up.place(max(up.low, 0.0))
    for x, y in zip(curve.x, curve.y, strict=True):
        middle = x + gap * _offset(beside)
        left, right, top = across.place(middle - half), across.place(middle + half), up.place(y)
        yield (
            f"<rect x='{left:.1f}' y='{min(top, floor):.1f}' width='{right - left:.1f}' "
            f"height='{abs(floor - top):.1f}' stroke='none' fill-opacity='0.7'/>"
        )


def _offset(beside: tuple[int, int]) -> float:
    """How far bars that share a place move aside, in widths of the place."""
    place, number = beside
    return 0.8 * (place - (number - 1) / 2) / number


def _path(points: Iterable[tuple[float, float]], *, steps: bool) -> str:
    words: list[str] = []
    for x, y in points:
        if not words:
            words.append(f"M{x:.1f} {y:.1f}")
        else:
            words.append(f"H{x:.1f}V{y:.1f}" if steps else f"L{x:.1f} {y:.1f}")
    return "".join(words)


def _legend(place: tuple[int, int], colour: str, name: str) -> Iterator[str]:
    x, y = place
    yield f"<rect x='{x}' y='{y - 8}' width='10' height='10' fill='{colour}'/>"
    yield _text(x + 16, y + 1, name)


def _text(x: float, y: float, words: str, *, anchor: str = "start", weight: str = "normal") -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' font-weight='{weight}'>{escape(words)}</text>"
