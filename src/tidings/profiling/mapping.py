"""How a file of somebody else's becomes one of our tables: a small TOML file says which column is what.

A mapping names the kind of table that its rows are (`KINDS`) and where each of its columns comes from. The layouts that
come with the package are such files, too.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

import msgspec

from tidings.errors import InputError

UNITS: Final[Mapping[str, float]] = MappingProxyType(
    {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 6e10, "h": 3.6e12, "d": 8.64e13, "m": 1, "km": 1e3}
)
"""Nanoseconds, or metres: what a number with this unit is multiplied by."""
As: TypeAlias = Literal["text", "number", "whole", "truth"]


class Field(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where one value comes from: a column, a part of the file's name, or the same for every row."""

    column: str | list[str] | None = None
    """Of several columns the first that is not empty."""
    file: str | None = None
    """A regular expression; its first group, in the name of the file, is the value."""
    value: str | int | float | bool | None = None
    unit: str | None = None
    """Of a number that is a time or a length."""
    format: str | list[str] | None = None
    """Of a text that is an instant, in Spark's patterns: `yyyy-MM-dd HH:mm:ss`; in UTC. Of several the first that fits."""
    absent: list[str] = []
    """Texts that mean that nothing is there."""
    day: "Field | None" = None
    """Where the day is said, when the rest is a time within it."""
    per: float = 1.0
    """A number is divided by it."""
    upper: bool = False
    """A text is written in capitals."""
    within: str | None = None
    """A regular expression; its first group, in the column's text, is the value."""
    kind: As = msgspec.field(name="as", default="text")
    """What an attribute is; a value that is not is a bad row."""


Said: TypeAlias = str | Field
"""A bare text is the name of a column."""


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a column's number must keep to; rows that do not go to the quarantine."""

    column: str
    least: float | None = None
    most: float | None = None


class TableMapping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole mapping file."""

    kind: Literal["events", "outages", "delays", "positions", "points", "interests"]
    fields: dict[str, Said]
    files: str = ""
    """A regular expression for the paths of the files that it is for, when nobody says which mapping to take."""
    about: str = ""
    format: Literal["csv", "json", "parquet"] = "csv"
    columns: list[str] | None = None
    """Of a CSV file without a header."""
    separator: str = ","
    encoding: str = "utf-8"
    attributes: dict[str, Said] = {}
    rules: list[Rule] = []
    copies: str | None = None
    """A column that says how many events a row stands for."""
    over: str | None = None
    """With `copies`: the time over which they are spread evenly, such as `5min`."""


KINDS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = MappingProxyType(
    {
        "events": (("publisher", "published"), ("topic", "payload_bytes", "lifetime")),
        "outages": (("component", "down", "up"), ("cause", "group", "since", "until")),
        "delays": (("one", "other"), ("delay", "round_trip", "deviation", "shortest", "distance", "lost", "at")),
        "positions": (("subject", "at"), ("x", "y", "longitude", "latitude")),
        "points": (("point",), ("x", "y", "longitude", "latitude")),
        "interests": (("subject", "topic"), ("weight",)),
    }
)
"""By kind: fields that must be said, and those that may be."""
_PAIRS: Final[Mapping[str, tuple[tuple[set[str], set[str]], ...]]] = MappingProxyType(
    {
        "positions": (({"x", "y"}, {"longitude", "latitude"}),),
        "points": (({"x", "y"}, {"longitude", "latitude"}),),
        "delays": (({"delay"}, {"round_trip"}),),
    }
)


def field_of(said: Said) -> Field:
    """A bare name as a field."""
    return Field(column=said) if isinstance(said, str) else said


def columns_of(field: Field) -> list[str]:
    """The columns that it may come from, its day's left out."""
    if field.column is None:
        return []
    return [field.column] if isinstance(field.column, str) else field.column


def read_mapping(path: Path) -> TableMapping:
    """The mapping in a TOML file; InputError with file and remedy for one that cannot be."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as a mapping ({error}); give a TOML file") from None
    return mapping_from(text, str(path))


def mapping_from(text: str, name: str) -> TableMapping:
    """The same from its text."""
    try:
        found = msgspec.convert(tomllib.loads(text), TableMapping)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InputError(f"{name}: {error}; the page on profiles shows a mapping") from None
    _check(found, name)
    return found


def _check(found: TableMapping, name: str) -> None:
    needed, possible = KINDS[found.kind]
    for field in needed:
        if field not in found.fields:
            raise InputError(
                f'{name}: kind "{found.kind}" needs {field} under [fields]; it may have {", ".join(possible)}'
            )
    for field in found.fields:
        if field not in needed + possible:
            known = ", ".join(needed + possible)
            raise InputError(f'{name}: fields.{field} is no part of "{found.kind}"; there are {known}')
    if found.attributes and found.kind != "events":
        raise InputError(f'{name}: attributes belong to events, not to "{found.kind}"; leave them out')
    for one, other in _PAIRS.get(found.kind, ()):
        if not (one <= set(found.fields) or other <= set(found.fields)):
            raise InputError(f"{name}: fields must have {' and '.join(sorted(one))}, or {' and '.join(sorted(other))}")
    if (found.copies is None) != (found.over is None):
        raise InputError(f"{name}: copies (how many) and over (in which time) go together")
    for key, said in {**found.fields, **found.attributes}.items():
        _check_field(f"{name}: {key}", field_of(said))


def _check_field(where: str, field: Field) -> None:
    given = [one for one in ("column", "file", "value") if getattr(field, one) is not None]
    if len(given) != 1:
        raise InputError(f"{where}: give one of column, file and value, not {' and '.join(given) or 'none'}")
    if not 0 < field.per < float("inf"):
        raise InputError(f"{where}: per = {field.per:g} must be above 0; numbers are divided by it")
    if field.unit is not None and field.unit not in UNITS:
        raise InputError(f"{where}: there is no unit {field.unit!r}; there are {', '.join(UNITS)}")
    for pattern in (field.file, field.within):
        if pattern is not None and _groups(where, pattern) != 1:
            raise InputError(f"{where}: {pattern!r} must have one group in parentheses, which is the value")
    if field.day is not None:
        _check_field(f"{where}.day", field.day)


def _groups(where: str, pattern: str) -> int:
    try:
        return re.compile(pattern).groups
    except re.error as error:
        raise InputError(f"{where}: {pattern!r} is no regular expression: {error}") from None
