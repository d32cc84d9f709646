"""The normal form of a filter, and its text.

Filters that differ only in spelling have one text, so that brokers can compare, count and look up filters as strings.
Every rewrite here holds for missing attributes and other families too. The normal form:

- `not` stands before single comparisons only; chains are flat, without repetition, sorted by text;
- `true` and `false` are not part of anything greater;
- numbers that are equal are written alike, `in` lists are sorted and have at least two different values;
- what can be said with `==` is said with `==`; an empty list or range is `false`.

Trees must not be nested deeper than the parser allows.
"""

from typing import Final, NamedTuple

from tidings.vocabulary.filter import (
    TOPIC,
    Among,
    And,
    Between,
    Compare,
    Everything,
    Exists,
    Filter,
    Matches,
    Not,
    Nothing,
    Or,
    StartsWith,
    compare,
)
from tidings.vocabulary.filter_logic import negate
from tidings.vocabulary.value import Family, Value, family, format_literal

_EXACT_INTEGERS: Final = 2**53
"""Below, integral floats become integers; from here on, integers that are exact floats become floats."""
_FAMILY_RANK: Final = {Family.BOOLEAN: 0, Family.NUMBER: 1, Family.STRING: 2}
_NOT: Final = "not "


class _Written(NamedTuple):
    """A filter in normal form together with its text."""

    wish: Filter
    text: str
    parts: tuple["_Written", ...] = ()
    """Of a chain: its members, in order."""


_EVERYTHING = _Written(Everything(), "true")
_NOTHING = _Written(Nothing(), "false")


def format_filter(wish: Filter) -> str:
    """The text of the normal form; `parse_filter` reads it back as `normalise(wish)`."""
    return _write(wish).text


def normalise(wish: Filter) -> Filter:
    """The normal form of `wish`: holds for the same events."""
    return _write(wish).wish


def canonical_value(value: Value) -> Value:
    """One representative, of one type, for all values equal to `value` within its family."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT_INTEGERS:
        return int(value)
    if isinstance(value, int) and abs(value) >= _EXACT_INTEGERS:
        try:
            nearest = float(value)
        except OverflowError:
            return value
        return nearest if nearest == value else value
    return value


def simplest(leaf: Filter) -> Filter:
    """A single comparison in its normal form, which is again a single comparison, or true, or false."""
    match leaf:
        case Compare(attribute, operator, value):
            if attribute == TOPIC and not isinstance(value, str):
                return Nothing()
            return Compare(attribute, operator, canonical_value(value))
        case Among(attribute, values):
            return _among(attribute, values)
        case Between(attribute, low, high):
            if (attribute == TOPIC and not isinstance(low, str)) or not compare(low, "<=", high):
                return Nothing()
            low, high = canonical_value(low), canonical_value(high)
            return Compare(attribute, "==", low) if low == high else Between(attribute, low, high)
        case Exists(attribute) if attribute == TOPIC:
            return Everything()
        case Matches(attribute, pattern):
            return _matches(attribute, pattern)
        case _:
            return leaf


def _write(wish: Filter) -> _Written:
    match wish:
        case And(terms):
            return _chain(terms, And)
        case Or(terms):
            return _chain(terms, Or)
        case Not(And() | Or() | Not() | Everything() | Nothing() as term):
            return _write(negate(term))
        case Not(leaf):
            plain = simplest(leaf)
            if isinstance(plain, Everything | Nothing):
                return _write(negate(plain))
            return _Written(Not(plain), _NOT + _leaf_text(plain))
        case _:
            plain = simplest(wish)
            return _Written(plain, _leaf_text(plain))


def _chain(terms: tuple[Filter, ...], kind: type[And | Or]) -> _Written:
    """Join terms; neutral ones vanish, an absorbing one decides alone, and so does a term beside its own `not`."""
    neutral, absorbing = (_EVERYTHING, _NOTHING) if kind is And else (_NOTHING, _EVERYTHING)
    members: dict[str, _Written] = {}
    for term in terms:
        written = _write(term)
        for part in written.parts if isinstance(written.wish, kind) else (written,):
            members[f"({part.text})" if kind is And and isinstance(part.wish, Or) else part.text] = part
    members.pop(neutral.text, None)
    if absorbing.text in members or any(_NOT + text in members for text in members):
        return absorbing
    if len(members) < 2:
        return next(iter(members.values()), neutral)
    texts = sorted(members)
    parts = tuple(members[text] for text in texts)
    wish = kind(tuple(part.wish for part in parts))
    return _Written(wish, (" and " if kind is And else " or ").join(texts), parts)


def _leaf_text(leaf: Filter) -> str:
    match leaf:
        case Compare(attribute, operator, value):
            return f"{attribute} {operator} {format_literal(value)}"
        case Among(attribute, values):
            return f"{attribute} in ({', '.join(map(format_literal, values))})"
        case Between(attribute, low, high):
            return f"{attribute} between {format_literal(low)} and {format_literal(high)}"
        case StartsWith(attribute, prefix):
            return f"{attribute} startswith {format_literal(prefix)}"
        case Matches(attribute, pattern):
            return f"{attribute} matches {format_literal(pattern)}"
        case Exists(attribute):
            return f"exists({attribute})"
        case _:
            return _EVERYTHING.text if isinstance(leaf, Everything) else _NOTHING.text


def _among(attribute: str, values: tuple[Value, ...]) -> Filter:
    distinct: dict[tuple[int, Value], Value] = {}
    for value in values:
        if attribute != TOPIC or isinstance(value, str):
            plain = canonical_value(value)
            distinct[_FAMILY_RANK[family(plain)], plain] = plain
    # Values of different families are never compared: the rank comes first, and decides between them.
    ordered = tuple(distinct[key] for key in sorted(distinct))
    if not ordered:
        return Nothing()
    return Compare(attribute, "==", ordered[0]) if len(ordered) == 1 else Among(attribute, ordered)


def _matches(attribute: str, pattern: str) -> Filter:
    if "+" not in pattern and "#" not in pattern:
        return Compare(attribute, "==", pattern)
    # A topic has at least one level, so that one level and any more are any number of levels.
    return Matches(attribute, "#" if pattern == "+/#" else pattern)
