"""TOML, written: the tables and values that scenario files consist of, and no more.

`tomllib.loads(toml_text(document))` equals the document. Keys keep their order, except that plain values come before
tables, as TOML wants it.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(document: Mapping[str, object]) -> str:
    """The document as text; a mapping becomes a table, a list of mappings `[[…]]`, both only at the top level."""
    plain = [f"{_key(name)} = {toml_value(value)}\n" for name, value in document.items() if not _is_table(value)]
    tables = [_table(name, value) for name, value in document.items() if _is_table(value)]
    return "".join(plain) + "".join(tables)


def toml_value(value: object) -> str:
    """A value on one line. Raises ValueError for what TOML cannot say."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("a scenario holds finite numbers only")
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(name)} = {toml_value(one)}" for name, one in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml_value(one) for one in value)}]"
    raise ValueError(f"a {type(value).__name__} has no form in TOML")


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)
    )


def _table(name: str, value: object) -> str:
    if isinstance(value, Mapping):
        return f"\n[{_key(name)}]\n{_lines(value)}"
    assert isinstance(value, Sequence)
    return "".join(f"\n[[{_key(name)}]]\n{_lines(one)}" for one in value)


def _lines(table: Mapping[str, object]) -> str:
    return "".join(f"{_key(name)} = {toml_value(value)}\n" for name, value in table.items())


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")
