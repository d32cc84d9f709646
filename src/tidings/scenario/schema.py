"""Tables as data: a dataclass per table of the scenario file, a `key(...)` per key.

A declaration says how a value is read, how it is written back, what it means and what is taken when it is absent. From
it come the reader, the writer, the suggestions for misspelt keys and the reference page. Nothing in here knows any
particular key.
"""

import dataclasses
import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar, cast, runtime_checkable

from tidings.scenario.source import Place

T = TypeVar("T")


@runtime_checkable
class SelfChecking(Protocol):
    """A table whose keys must fit together."""

    def check(self, place: Place) -> None:
        """Raise ScenarioError, through `place`, where they do not."""


_KIND: Final = "kind"
_MEANING: Final = "meaning"
_ALWAYS: Final = "always"


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """A sort of value: what to call it, how it is read from TOML, and how it is written back.

    `read` raises ScenarioError through the place that it is given. `read(write(x))` equals x.
    """

    says: str
    read: Callable[[object, Place], T]
    write: Callable[[T], object] = cast("Callable[[Any], object]", lambda value: value)


def key(kind: Kind[Any], meaning: str, *, always: bool = False, **default: Any) -> Any:
    """A key of a table; without `default=...` it must be given. `always`: written even where it says the default."""
    return dataclasses.field(metadata={_KIND: kind, _MEANING: meaning, _ALWAYS: always}, **default)


@dataclass(frozen=True, slots=True)
class Key:
    """A declared key, for those who list them."""

    name: str
    kind: Kind[Any]
    meaning: str
    default: Any
    required: bool
    always: bool


def keys_of(table: type) -> tuple[Key, ...]:
    """The declared keys of a table: those that must be given, then the others; fields that are no keys are left out."""
    found = [
        Key(
            name=field.name,
            kind=field.metadata[_KIND],
            meaning=field.metadata[_MEANING],
            default=_default(field),
            required=field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
            always=field.metadata[_ALWAYS],
        )
        for field in dataclasses.fields(table)
        if _KIND in field.metadata
    ]
    return tuple(sorted(found, key=lambda one: not one.required))


def read_table(table: type[T], content: object, place: Place, **more: Any) -> T:
    """`content` as a `table`; `more` are its fields that are no keys.

    Raises ScenarioError for unknown keys (with a suggestion), for missing ones and for values of the wrong kind.
    """
    if not isinstance(content, dict):
        raise place.wrong(content, "must be a table of keys and values")
    declared = _declared(table)
    for name in content:
        if name not in declared:
            raise place.child(name).wrong(content[name], unknown("key", name, declared))
    values: dict[str, Any] = {}
    for name, one in declared.items():
        if name in content:
            values[name] = one.kind.read(content[name], place.child(name))
        elif one.required:
            raise place.child(name).wrong(None, f"is missing; it must be {one.kind.says}")
    entry = table(**values, **more)
    if isinstance(entry, SelfChecking):
        entry.check(place)
    return entry


def dump_table(entry: Any) -> dict[str, object]:
    """The TOML value of an entry: its keys that differ from their defaults, and those that are always written."""
    found: dict[str, object] = {}
    for name, one in _declared(type(entry)).items():
        value = getattr(entry, name)
        if one.required or value != one.default or (one.always and value is not None):
            found[name] = one.kind.write(value)
    return found


def unknown(what: str, name: str, known: Mapping[str, Any]) -> str:
    """A sentence about a name that is not among the known ones, with the nearest of them or, if few, all."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    if near:
        return f'unknown {what}; did you mean "{near[0]}"?'
    shown = ", ".join(list(known)[:20])
    return f"unknown {what}; known are {shown}{' …' if len(known) > 20 else ''}"


def table_kind(table: type[T], says: str) -> Kind[T]:
    """A table inside a table."""
    return Kind(says, lambda content, place: read_table(table, content, place), dump_table)


_TABLES: Final[dict[type, dict[str, Key]]] = {}


def _declared(table: type) -> dict[str, Key]:
    if table not in _TABLES:
        _TABLES[table] = {one.name: one for one in keys_of(table)}
    return _TABLES[table]


def _default(field: "dataclasses.Field[Any]") -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return None if field.default is dataclasses.MISSING else field.default
