"""What the logs say of one event: who was to get it, what became of that, which ways its copies took.

What each subscriber's outcome is, is asked of `tidings.checking`: an explanation and an audit tell one story.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from tidings.checking import read_history
from tidings.checking.outcomes import Outcome, outcomes
from tidings.errors import InputError
from tidings.logs import Folder

OUTCOMES: Final = ("on_time", "late", "expired", "lost")
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Fate:
    """What became of the event for one subscriber."""

    subscriber: str
    outcome: str
    """One of `OUTCOMES`; `not wanted` for who was shown it all the same."""
    broker: str | None
    """Where it was when it asked; None: nowhere in range."""
    showing: Row | None
    """The first row of `deliveries`."""
    late_by_ns: int = 0
    repeats: int = 0
    """Showings after the first."""
    unexpected: bool = False
    waited_for: Sequence[int] = ()
    """Events that arrived while this one was held, and were shown before it."""


@dataclass(frozen=True, kw_only=True)
class Story:
    """One event."""

    publication: Row
    fates: Sequence[Fate]
    copies: Sequence[Row]
    """Rows of `transmissions`, by time; none where the run did not write them."""
    drops: Sequence[Row]
    outages: Sequence[Row]
    """Of every component, by time."""
    stamps: Sequence[Row] = field(default_factory=tuple)
    logged: frozenset[str] = frozenset()
    """The tables that were written."""


def story_of(folder: Folder, event: int) -> Story:
    """The story of an event; InputError where none was published under this identity."""
    found = {name: _rows(folder, name, event) for name in ("publications", "deliveries", "drops")}
    publications = found["publications"].to_pylist()
    if len(publications) != 1:
        reason = "was never published" if not publications else "was published more than once"
        raise InputError(f"{folder.path}: event {event} {reason} in this run; publications.parquet lists its events")

    def read(name: str, columns: Sequence[str]) -> pa.Table:
        return found[name].select(columns) if name in found else folder.table(name, columns)

    history = read_history(read)
    judged = {history.clients[client]: outcome for client, outcome in outcomes(history).items()}
    showings = sorted(found["deliveries"].to_pylist(), key=lambda row: (row["incarnation"], row["position"]))
    asked = _brokers(folder, publications[0]["published_ns"])
    first: dict[str, Row] = {}
    for row in showings:
        first.setdefault(row["subscriber"], row)
    waiting = _waited_for(folder, first)
    fates = [
        _fate(name, outcome, asked.get(name), first.get(name), waiting.get(name, ()))
        for name, outcome in judged.items()
        if outcome.wanted or name in first
    ]
    return Story(
        publication=publications[0],
        fates=fates,
        copies=sorted(_rows(folder, "transmissions", event).to_pylist(), key=lambda row: row["sent_ns"]),
        drops=sorted(found["drops"].to_pylist(), key=lambda row: row["dropped_ns"]),
        outages=sorted(folder.table("outages").to_pylist(), key=lambda row: row["down_ns"]),
        stamps=_rows(folder, "timestamps", event).to_pylist(),
        logged=frozenset(name.removesuffix(".parquet") for name in folder.files()),
    )


def event_of(folder: Folder, name: str) -> int:
    """The identity that `name` stands for: itself, or `publisher:number`."""
    if name.isdecimal():
        return int(name)
    publisher, _, number = name.rpartition(":")
    if not publisher or not number.isdecimal():
        raise InputError(f"{name}: name an event by its identity, or as publisher:number, such as p:7")
    for batch in folder.batches("publications", ["event", "publisher", "number"]):
        chosen = pc.and_(
            pc.equal(batch.column("publisher").cast(pa.string()), publisher),
            pc.equal(batch.column("number"), int(number)),
        )
        events = batch.filter(chosen).column("event").to_pylist()
        if events:
            return int(events[0])
    raise InputError(f"{folder.path}: {publisher} published no event number {number} in this run")


def _fate(name: str, outcome: Outcome, broker: str | None, showing: Row | None, waited_for: Sequence[int]) -> Fate:
    became = next((one for one in OUTCOMES if getattr(outcome, one)), "not wanted")
    return Fate(
        subscriber=name,
        outcome=became,
        broker=broker,
        showing=showing,
        late_by_ns=outcome.late_by_ns[0] if outcome.late_by_ns else 0,
        repeats=outcome.duplicates,
        unexpected=outcome.unexpected > 0,
        waited_for=waited_for,
    )


def _rows(folder: Folder, name: str, event: int) -> pa.Table:
    """The rows of a table that are about the event, in bounded memory."""
    kept = [batch.filter(pc.equal(batch.column("event"), event)) for batch in folder.batches(name)]
    whole = (
        folder.table(name)
        if not kept
        else pa.Table.from_batches([batch for batch in kept if batch.num_rows] or kept[:1])
    )
    return whole.unify_dictionaries()


def _brokers(folder: Folder, published_ns: int) -> dict[str, str | None]:
    """Where each subscriber had last asked before the event was published."""
    found: dict[str, str | None] = {}
    for row in folder.table("interests", ["subscriber", "broker", "requested_ns"]).to_pylist():
        if row["requested_ns"] <= published_ns:
            found[row["subscriber"]] = row["broker"]
    return found


def _waited_for(folder: Folder, first: Mapping[str, Row]) -> dict[str, list[int]]:
    """For each subscriber who held the event back: events that came later and were shown before it."""
    held = {name: row for name, row in first.items() if row["delivered_ns"] > row["arrived_ns"]}
    found: dict[str, list[int]] = {name: [] for name in held}
    if not held:
        return found
    columns = ["event", "subscriber", "incarnation", "position", "arrived_ns"]
    names = pa.array(list(held), pa.string())
    for batch in folder.batches("deliveries", columns):
        chosen = pc.is_in(batch.column("subscriber").cast(pa.string()), value_set=names)
        for row in batch.filter(chosen).to_pylist():
            own = held[row["subscriber"]]
            before = row["incarnation"] == own["incarnation"] and row["position"] < own["position"]
            if before and row["arrived_ns"] > own["arrived_ns"]:
                found[row["subscriber"]].append(row["event"])
    return found
