"""A report as one HTML page that needs nothing else: no script, nothing fetched, readable on a telephone."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from tidings.plots.paper import NARROW
from tidings.plots.svg import svg_of
from tidings.reporting.figures import plots_of
from tidings.reporting.judged import ORDER_COUNTS, Judged
from tidings.reporting.overlay_map import svg_of_map
from tidings.reporting.telling import telling

WORST: Final = 15
"""Rows of the table of subscribers."""
_COUNTS: Final = ("wanted", "on_time", "late", "expired", "lost")
_STYLE: Final = """* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 64rem; padding: 0 1rem 3rem; color: #1c2733 }
h1 { font-size: 1.5rem; margin: 1.2rem 0 .3rem } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem }
.cards { display: grid; gap: .7rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)) }
.card { border: 1px solid #d5dde5; border-radius: .5rem; padding: .7rem .9rem }
.card b { display: block; font-size: 1.35rem; overflow-wrap: anywhere } .card small, .quiet { color: #54616e }
.plots { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)) }
svg { width: 100%; height: auto; display: block } figure { margin: 0 }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: .9rem; white-space: nowrap }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #e3e8ed; text-align: right }
th:first-child, td:first-child { text-align: left } .broken { color: #b3261e } .held { color: #146c43 }"""


def page(title: str, judged: Sequence[Judged]) -> str:
    """The whole page."""
    parts = [
        "<!doctype html>",
        "<html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">",
        f"<link rel='icon' href='data:,'><title>{escape(title)}</title>",
        f"<style>{_STYLE}</style></head>",
        f"<body><h1>{escape(title)}</h1>",
        "<div class='cards'>",
        *(
            f"<div class='card'>{escape(one.what)}<b>{escape(one.value)}</b><small>{escape(one.meaning)}</small></div>"
            for one in telling(judged)
        ),
        "</div>",
        *_verdicts(judged),
        "<h2>In pictures</h2><div class='plots'>",
        *(f"<figure>{svg_of(plot, NARROW)}</figure>" for plot in plots_of(judged)),
        "</div>",
        *_maps(judged),
        *_orders(judged),
        *(row for one in judged for row in _subscribers(one)),
        *_notes(judged),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _verdicts(judged: Sequence[Judged]) -> Iterator[str]:
    yield "<h2>Promises</h2><ul>"
    for one in judged:
        name = escape(one.name)
        if not one.broken:
            yield f"<li>{name}: <span class='held'>every promise of the scenario held</span></li>"
        for sentence in one.broken:
            yield f"<li>{name}: <span class='broken'>broken: {escape(sentence)}</span></li>"
    yield "</ul>"


def _maps(judged: Sequence[Judged]) -> Iterator[str]:
    found = next((one.overlay for one in judged if one.overlay is not None), None)
    if found is None:
        return
    yield "<h2>The overlay</h2><div class='plots'><figure>"
    yield svg_of_map(found)
    yield (
        "</figure><p class='quiet'>Brokers that are near in milliseconds are near on paper. Larger: more subscribers. "
        "Redder: more of the time down, up to 5 %.</p></div>"
    )


def _orders(judged: Sequence[Judged]) -> Iterator[str]:
    yield "<h2>Order</h2><div class='wide'><table><tr><th>run</th><th>guarantee</th>"
    yield "".join(f"<th>{name.replace('_', ' ')}</th>" for name in ORDER_COUNTS)
    yield "<th>tagged</th><th>counts</th></tr>"
    for one in judged:
        cells = "".join(f"<td>{count:,}</td>" for count in one.order().values())
        exact = "exact" if one.report.exact else "at least"
        yield f"<tr><td>{escape(one.name)}</td><td>{escape(one.guarantee)}</td>{cells}"
        yield f"<td>{one.report.tagged:,}</td><td>{exact}</td></tr>"
    yield "</table></div>"


def _subscribers(one: Judged) -> Iterator[str]:
    predicted = {} if one.comparison is None else {row.subscriber: row.predicted for row in one.comparison.rows}
    known = [
        (entry.reliability, name) for name, entry in one.report.subscribers.items() if entry.reliability is not None
    ]
    yield f"<h2>Worst served: {escape(one.name)}</h2><div class='wide'><table><tr><th>subscriber</th><th>reliability</th>"
    yield "<th>95 %</th><th>predicted</th>" + "".join(f"<th>{name.replace('_', ' ')}</th>" for name in _COUNTS)
    yield "</tr>"
    for share, name in sorted(known)[:WORST]:
        entry = one.report.subscribers[name]
        low, high = entry.interval or (share, share)
        told = f"{predicted[name]:.4f}" if name in predicted else "–"
        cells = "".join(f"<td>{getattr(entry, count):,}</td>" for count in _COUNTS)
        yield f"<tr><td>{escape(name)}</td><td>{share:.4f}</td><td>{low:.4f} … {high:.4f}</td><td>{told}</td>{cells}</tr>"
    yield "</table></div>"


def _notes(judged: Sequence[Judged]) -> Iterator[str]:
    yield "<h2>How this was found</h2><ul class='quiet'>"
    for one in judged:
        compared = one.not_predicted or (one.comparison and f"predicted by {one.comparison.source}") or "not predicted"
        yield f"<li>{escape(one.name)}: judged from the logs alone ({escape(one.judged_by)}); {escape(compared)}</li>"
        for note in one.notes:
            yield f"<li>{escape(one.name)}: {escape(note)}</li>"
    yield (
        "<li>Reliability is the share of wanted events that were shown on time. Its 95 % interval comes from twenty equal "
        "parts of each run, since events that an outage hits hang together; it is never narrower than that of independent "
        "events.</li><li>Delays are counted in classes that are a sixteenth wide.</li></ul>"
    )
