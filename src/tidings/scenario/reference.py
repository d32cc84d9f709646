"""The reference page of the scenario file, written from the schema: `python -m tidings.scenario.reference`."""

import sys
from collections.abc import Iterator
from typing import Any, Final

from tidings.scenario.client_tables import PublisherEntry, SubscriberEntry, TopicEntry, TopicsTable
from tidings.scenario.document import Scenario
from tidings.scenario.mobility_tables import MODELS, HandoffTable, Leg, Transition, Turns, Way
from tidings.scenario.overlay_tables import (
    BrokerEntry,
    ClientLink,
    LinkEntry,
    LinkTemplate,
    MapTable,
    OverlayTable,
    TreeEntry,
)
from tidings.scenario.promise_tables import (
    CrashEntry,
    EpisodesTable,
    FaultsTable,
    OrderingTable,
    ReliabilityTable,
    RoutingTable,
)
from tidings.scenario.schema import Key, keys_of
from tidings.scenario.toml_text import toml_value

_HEAD: Final = """\
# The scenario file

Written from the schema in `tidings.scenario` by `python -m tidings.scenario.reference`; a test compares the two.

A scenario is a TOML file with `tidings = 1` on top. Durations are texts with a unit (`ns us ms s min h d`). Distributions
are tables: `constant` (value), `uniform` (low, high), `normal` (mean, sd, cut at 0), `exponential` (mean), `gamma` and
`hyperexponential` (mean, scv), `zipf` (the numbers 1 to `values`, exponent), `empirical` (file), each with `dist` beside
them; a bare value is constant. Popularity is `{ dist = "power", exponent = … }`.

Unknown keys are errors. A key that belongs to another shape is an error too; one that belongs to another routing scheme,
mechanism or guarantee than the chosen one has no effect, so that one file can be compared across them. Files that a
scenario names lie beside it or below, unless `--allow-files` is given. A list of tables can be the name of a Parquet file
instead, with a row for each entry and a column for each key (`subscriber = "subscribers.parquet"`).

What a distribution of a delay is drawn for: in `[overlay] link` once per link, which then has that constant delay; in
`[[link]]`, `near`, `far` and links of clients for each packet. `per = "link"` or `per = "packet"` beside `dist` says it
outright.
"""

_TABLES: Final[tuple[tuple[str, type[Any]], ...]] = (
    ("the top level", Scenario),
    ("[overlay]", OverlayTable),
    ("[[broker]]", BrokerEntry),
    ("[[link]]", LinkEntry),
    ("[overlay] link, far", LinkTemplate),
    ("[overlay] near, and link of a client", ClientLink),
    ("[[tree]]", TreeEntry),
    ("[map]", MapTable),
    ("[topics]", TopicsTable),
    ("[[topic]]", TopicEntry),
    ("[[publisher]]", PublisherEntry),
    ("[[subscriber]]", SubscriberEntry),
    *((f'mobility = {{ model = "{name}" }}', model) for name, model in MODELS.items()),
    ("turns of manhattan", Turns),
    ("legs of trajectory", Leg),
    ("ways of trajectory", Way),
    ("transitions of semi-markov", Transition),
    ("[mobility]", HandoffTable),
    ("[routing]", RoutingTable),
    ("[reliability]", ReliabilityTable),
    ("[ordering]", OrderingTable),
    ("[faults]", FaultsTable),
    ("[faults] links", EpisodesTable),
    ("[[crash]]", CrashEntry),
)


def page() -> str:
    """The whole page, in Markdown."""
    return _HEAD + "".join(_section(title, table) for title, table in _TABLES)


def _section(title: str, table: type[Any]) -> str:
    return "\n".join(("", f"## {title}", "", str(table.__doc__), "", *_rows(table), ""))


def _rows(table: type[Any]) -> Iterator[str]:
    yield "| key | what it means | value | without it |"
    yield "| --- | --- | --- | --- |"
    for one in keys_of(table):
        yield f"| `{one.name}` | {one.meaning} | {one.kind.says} | {_default(one)} |"


def _default(one: Key) -> str:
    if one.required:
        return "must be given"
    if one.default is None or one.default in ((), {}):
        return "–"
    written = one.kind.write(one.default)
    return "–" if written == {} else f"`{toml_value(written)}`"


if __name__ == "__main__":
    sys.stdout.write(page())
