"""Attribute values: strings, integers, floats, booleans, and how they are written.

Two values are comparable only within one family. Numbers compare exactly, whatever their size (Python does that
between int and float); NaN belongs to no family and is refused at every door.
"""

import enum
import json
import math
import re
from typing import TypeAlias

Value: TypeAlias = str | int | float | bool


class Family(enum.Enum):
    """Values of different families are never equal, smaller or larger."""

    NUMBER = "number"
    STRING = "string"
    BOOLEAN = "boolean"


FAMILY_OF: dict[type, Family] = {
    str: Family.STRING,
    int: Family.NUMBER,
    float: Family.NUMBER,
    bool: Family.BOOLEAN,
}

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DIGITS_MAX = 400


def family(value: Value) -> Family:
    """The family that `value` is compared within."""
    return FAMILY_OF[type(value)]


def format_literal(value: Value) -> str:
    """`value` as a filter literal: `"IBM"`, `10`, `10.5`, `true`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return repr(value)


def parse_literal(text: str) -> Value:
    """The value of a filter literal; raises ValueError with the reason."""
    if text in ("true", "false"):
        return text == "true"
    if text.startswith('"'):
        return parse_string(text)
    return parse_number(text)


def parse_string(text: str) -> str:
    """The string that a literal in double quotes stands for, with JSON's escapes; raises ValueError with the reason."""
    if not (text.startswith('"') and text.endswith('"')):
        raise ValueError("a string stands in double quotes")
    try:
        decoded = str(json.loads(text))
    except ValueError:
        raise ValueError('a string has the escapes of JSON: \\" \\\\ \\n \\t \\u00e9') from None
    if _SURROGATE.search(decoded) is not None:
        raise ValueError("a string must be valid Unicode, without lone surrogates")
    return decoded


def parse_number(text: str) -> int | float:
    """An integer or float literal, finite and at most 400 characters long."""
    if len(text) > _DIGITS_MAX:
        raise ValueError(f"a number must not be longer than {_DIGITS_MAX} characters")
    if _NUMBER.fullmatch(text) is None:
        raise ValueError("not a literal: write 10, 10.5, true or a string in double quotes")
    if not any(mark in text for mark in ".eE"):
        return int(text)
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("numbers must be finite")
    return number
