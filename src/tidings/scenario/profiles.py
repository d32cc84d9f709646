"""Profiles of publishers that a scenario names: rows of the table that `tidings profile` writes."""

from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tidings.scenario.measured import named_file
from tidings.scenario.schema import unknown
from tidings.scenario.source import Place
from tidings.scenario.world import Content, NamedFile, Profile
from tidings.vocabulary.distribution import Empirical
from tidings.vocabulary.profiles import PROFILE_SCHEMA
from tidings.vocabulary.value import parse_literal

_SIZES: Final = 256
"""Values that stand for the sizes of payloads."""


class Profiles:
    """Tables of profiles, each read once for all the publishers that it is about."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[NamedFile, pa.Table, dict[str, int]]] = {}

    def of(self, place: Place, name: str, publisher: str) -> Profile:
        """The profile of `publisher` in the file `name`; ScenarioError where there is none, or none of use."""
        if name not in self._known:
            self._known[name] = _read(place, name)
        file, table, rows = self._known[name]
        if publisher not in rows:
            remedy = unknown("publisher", publisher, rows)
            raise place.wrong(name, f"{remedy}; `like` says whose profile to take")
        row = table.slice(rows[publisher], 1).to_pylist()[0]
        if row["events"] < 1 or row["span_ns"] < 1 or not row["contents"]:
            raise place.wrong(name, f"the profile of {publisher} has no events, no length or no contents; leave it out")
        try:
            return Profile(
                file=file,
                name=publisher,
                rate=row["events"] / row["span_ns"],
                scv=row["scv"],
                every=Empirical.of(file.name, row["interval_ns"]),
                contents=tuple(_content(one) for one in row["contents"]),
                dispersion=tuple((one["window_ns"], one["index"]) for one in row["dispersion"]),
                lifetime_ns=row["lifetime_ns"],
            )
        except ValueError as problem:
            raise place.wrong(name, f"the profile of {publisher} cannot be used: {problem}") from None


def sizes_of(profile: Profile) -> Empirical:
    """The law of its payloads' sizes."""
    sizes = np.array([one.payload_bytes for one in profile.contents], np.float64)
    order = np.argsort(sizes, kind="stable")
    upto = np.cumsum(np.array([one.weight for one in profile.contents])[order])
    picked = np.searchsorted(upto, (np.arange(_SIZES) + 0.5) / _SIZES * upto[-1])
    return Empirical.of(profile.file.name, sizes[order][np.minimum(picked, len(sizes) - 1)])


def _read(place: Place, name: str) -> tuple[NamedFile, pa.Table, dict[str, int]]:
    file = named_file(place, name)
    try:
        table = pq.read_table(file.path)
    except (pa.ArrowException, OSError) as problem:
        raise place.wrong(name, f"must be a table of profiles: {problem}") from None
    for field in PROFILE_SCHEMA:
        if field.name not in table.schema.names:
            raise place.wrong(name, f"lacks the column {field.name}; `tidings profile` writes such tables")
        kind = table.schema.field(field.name).type
        if not kind.equals(field.type):
            raise place.wrong(name, f"column {field.name} must be {field.type}, not {kind}")
    return file, table, {one: row for row, one in enumerate(table.column("publisher").to_pylist())}


def _content(row: dict[str, Any]) -> Content:
    if not row["weight"] > 0 or row["payload_bytes"] < 0:
        raise ValueError(f"a content has weight {row['weight']} and {row['payload_bytes']} bytes")
    values = {name: parse_literal(text) for name, text in row["attributes"] if name != "topic"}
    if len(values) != len(row["attributes"]):
        raise ValueError("a content says the same attribute twice, or topic, which is reserved")
    return Content(topic=row["topic"], attributes=values, payload_bytes=row["payload_bytes"], weight=row["weight"])
