"""Keys of a scenario changed before it is read: what `sweep --vary` does, and nothing that a file could not say."""

import tomllib
from collections.abc import Mapping
from typing import Any, TypeAlias

from tidings.errors import InputError

Table: TypeAlias = dict[str, Any]


def changed(document: Mapping[str, Any], changes: Mapping[str, Any]) -> Table:
    """The document with other values under the keys of `changes`, such as `overlay.link.loss` or `subscriber.s.deadline`.

    A table of a list is named by its `id`, or counted from 0. Tables that are not there are made; entries of lists are not.
    """
    found: Table = _copied(document)
    for key, value in changes.items():
        _change(found, key, value)
    return found


def value_of(text: str) -> Any:
    """A TOML value, or, where it is none, the text itself: 0.1, true, [1, 2], "x" and buffering."""
    try:
        found = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return found["value"] if list(found) == ["value"] else text


def _change(document: Table, key: str, value: Any) -> None:
    *way, last = key.split(".")
    if not last or not all(way):
        raise InputError(f"--vary {key}: keys are names joined by dots, such as overlay.link.loss")
    table: Any = document
    for place, name in enumerate(way):
        if isinstance(table, list):
            table = _entry(table, name, ".".join(way[: place + 1]))
        else:
            table = table.setdefault(name, {})
        if not isinstance(table, (dict, list)):
            raise InputError(f"--vary {key}: {'.'.join(way[: place + 1])} is a value, and has no keys")
    if isinstance(table, list):
        raise InputError(f"--vary {key}: {'.'.join(way)} is a list; name one of its entries, and a key of it")
    table[last] = value


def _entry(entries: list[Any], name: str, key: str) -> Any:
    for entry in entries:
        if isinstance(entry, dict) and entry.get("id") == name:
            return entry
    if name.isdecimal() and int(name) < len(entries):
        return entries[int(name)]
    known = ", ".join(str(entry.get("id", place)) for place, entry in enumerate(entries) if isinstance(entry, dict))
    raise InputError(f"--vary {key}: there is no such entry; there are {known or 'none'}")


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copied(one) for key, one in value.items()}
    return [_copied(one) for one in value] if isinstance(value, list) else value
