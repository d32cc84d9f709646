"""A study's figures as files: one page to look at, the plots one by one, and all numbers as JSON."""

import json
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Final

from tidings.logs.staging import StagedFolder
from tidings.plots.axis import written
from tidings.plots.svg import svg_of
from tidings.studies.figure import Curve, Figure, Finding, Plot, Value

_STYLE: Final = """body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; margin: 1rem 0 } th, td { padding: .2rem .8rem; border-bottom: 1px solid #ddd }
td + td, th + th { text-align: right } svg { max-width: 100%; height: auto }"""


def shown(value: Value) -> str:
    """A value for people."""
    if value is None:
        return "–"
    return value if isinstance(value, str) else written(value)


def interval(finding: Finding) -> str:
    """Its 95 % interval for people; empty where there is none."""
    return "" if finding.low is None or finding.high is None else f"{written(finding.low)} … {written(finding.high)}"


def page(title: str, about: str, figures: Sequence[Figure]) -> str:
    """One HTML page with everything in it."""
    body = "\n".join(_section(figure) for figure in figures)
    return (
        f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>{escape(title)}</title>\n"
        f"<style>{_STYLE}</style></head>\n<body><h1>{escape(title)}</h1><p>{escape(about)}</p>\n{body}\n</body></html>\n"
    )


def numbers(figures: Iterable[Figure]) -> dict[str, Any]:
    """All findings and all curves."""
    return {
        figure.name: {
            "title": figure.title,
            "findings": figure.document(),
            "plots": [_plot(plot) for plot in figure.plots],
        }
        for figure in figures
    }


def write_report(folder: StagedFolder, run: dict[str, object], figures: Sequence[Figure]) -> None:
    """Finish the folder: `index.html`, `figures.json`, a file for each plot, and `run.json`."""
    about = ", ".join(f"{key} {value}" for key, value in run.items())
    folder.write_text("index.html", page(f"Study {run['study']}", about, figures))
    folder.write_text("figures.json", json.dumps(numbers(figures), indent=1, ensure_ascii=False) + "\n")
    for figure in figures:
        for number, plot in enumerate(figure.plots, 1):
            folder.write_text(f"{figure.name}-{number}.svg", svg_of(plot))
    folder.finish(run, {})


def _section(figure: Figure) -> str:
    rows = "".join(
        f"<tr><td>{escape(one.what)}</td><td>{escape(shown(one.paper))}</td><td>{escape(shown(one.ours))}</td>"
        f"<td>{interval(one)}</td></tr>\n"
        for one in figure.findings
    )
    plots = "\n".join(svg_of(plot) for plot in figure.plots)
    head = "<tr><th>what</th><th>paper</th><th>ours</th><th>95 %</th></tr>"
    return f"<h2>{escape(figure.name)}: {escape(figure.title)}</h2>\n<table>{head}\n{rows}</table>\n{plots}"


def _plot(plot: Plot) -> dict[str, Any]:
    return {
        "title": plot.title,
        "x": plot.x,
        "y": plot.y,
        "categories": list(plot.categories),
        "curves": [_curve(curve) for curve in plot.curves],
    }


def _curve(curve: Curve) -> dict[str, Any]:
    bare: dict[str, Any] = {"name": curve.name, "x": list(curve.x), "y": list(curve.y)}
    return {**bare, "low": list(curve.low), "high": list(curve.high)} if curve.low else bare
