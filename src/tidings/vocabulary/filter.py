"""Filters as values: the tree that the parser builds, and what it means.

Nodes are frozen and compare by content as Python does, for which True is 1: where that matters, as in a dictionary's
keys, use the text that `format_filter` gives. `topic` as an attribute name stands for the event's topic. A comparison is
true only between values of one family; with a missing attribute or another family it is false, and `Not` of it true.
That makes `Not(Compare(a, "<", v))` different from `Compare(a, ">=", v)`: do not rewrite one into the other.

This file holds the evaluation that brokers use for single events; `tidings.matching` does the same for many filters at
once, and `tidings.checking` evaluates again, by itself, so that an audit does not repeat our mistakes.
"""

import operator
from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias, Union

import msgspec

from tidings.vocabulary.event import Event
from tidings.vocabulary.topic import matches_pattern
from tidings.vocabulary.value import FAMILY_OF, Value

TOPIC: Final = "topic"

Operator: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]
Filter: TypeAlias = Union[
    "Everything",
    "Nothing",
    "Compare",
    "Among",
    "Between",
    "StartsWith",
    "Exists",
    "Matches",
    "Not",
    "And",
    "Or",
]


class Everything(msgspec.Struct, frozen=True, tag=True):
    """Holds for every event. Written `true`."""


class Nothing(msgspec.Struct, frozen=True, tag=True):
    """Holds for no event. Written `false`."""


class Compare(msgspec.Struct, frozen=True, tag=True):
    """`price >= 10.5`."""

    attribute: str
    operator: Operator
    value: Value


class Among(msgspec.Struct, frozen=True, tag=True):
    """`symbol in ("IBM", "SUN")`; equality with any of the values."""

    attribute: str
    values: tuple[Value, ...]


class Between(msgspec.Struct, frozen=True, tag=True):
    """`price between 10 and 20`: both ends belong to it."""

    attribute: str
    low: Value
    high: Value


class StartsWith(msgspec.Struct, frozen=True, tag=True):
    """`symbol startswith "IB"`."""

    attribute: str
    prefix: str


class Exists(msgspec.Struct, frozen=True, tag=True):
    """`exists(price)`."""

    attribute: str


class Matches(msgspec.Struct, frozen=True, tag=True):
    """`topic matches "a/+/b"`: MQTT's wildcards; the attribute must hold a string."""

    attribute: str
    pattern: str


class Not(msgspec.Struct, frozen=True, tag=True):
    """True exactly where `term` is false."""

    term: "Filter"


class And(msgspec.Struct, frozen=True, tag=True):
    """All of two or more terms."""

    terms: tuple["Filter", ...]


class Or(msgspec.Struct, frozen=True, tag=True):
    """At least one of two or more terms."""

    terms: tuple["Filter", ...]


OPERATIONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def compare(left: Value, operation: str, right: Value) -> bool:
    """`left operation right` when both are of one family, false otherwise."""
    if FAMILY_OF[type(left)] is not FAMILY_OF[type(right)]:
        return False
    return OPERATIONS[operation](left, right)


def attribute_of(event: Event, name: str) -> Value | None:
    """The event's value for `name`, its topic for `topic`, None when it has none."""
    return event.topic if name == TOPIC else event.attributes.get(name)


def holds(wish: Filter, event: Event) -> bool:
    """True when `wish` wants `event`."""
    return _EVALUATIONS[type(wish)](wish, event)


def _compare(wish: Compare, event: Event) -> bool:
    value = attribute_of(event, wish.attribute)
    return value is not None and compare(value, wish.operator, wish.value)


def _among(wish: Among, event: Event) -> bool:
    value = attribute_of(event, wish.attribute)
    return value is not None and any(compare(value, "==", one) for one in wish.values)


def _between(wish: Between, event: Event) -> bool:
    value = attribute_of(event, wish.attribute)
    return value is not None and compare(value, ">=", wish.low) and compare(value, "<=", wish.high)


def _startswith(wish: StartsWith, event: Event) -> bool:
    value = attribute_of(event, wish.attribute)
    return isinstance(value, str) and value.startswith(wish.prefix)


def _matches(wish: Matches, event: Event) -> bool:
    value = attribute_of(event, wish.attribute)
    return isinstance(value, str) and matches_pattern(wish.pattern, value)


_EVALUATIONS: Final[dict[type, Callable[[Any, Event], bool]]] = {
    Everything: lambda _wish, _event: True,
    Nothing: lambda _wish, _event: False,
    Compare: _compare,
    Among: _among,
    Between: _between,
    StartsWith: _startswith,
    Exists: lambda wish, event: attribute_of(event, wish.attribute) is not None,
    Matches: _matches,
    Not: lambda wish, event: not holds(wish.term, event),
    And: lambda wish, event: all(holds(term, event) for term in wish.terms),
    Or: lambda wish, event: any(holds(term, event) for term in wish.terms),
}
