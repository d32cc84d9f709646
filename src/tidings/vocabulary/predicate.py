"""Filters as Python closures: `predicate(wish)(event)` equals `holds(wish, event)`, several times as fast.

What can be decided once per filter (which node, which attribute, which family) is decided when the closure is made.
Worth it for a filter that is asked about many events; `holds` is its plain twin.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any, Final, TypeAlias

from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import (
    OPERATIONS,
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
)
from tidings.vocabulary.topic import matches_pattern
from tidings.vocabulary.value import Value, family

Predicate: TypeAlias = Callable[[Event], bool]


def predicate(wish: Filter) -> Predicate:
    """A function that says whether `wish` wants an event."""
    return _MAKERS[type(wish)](wish)


def _on(attribute: str, types: frozenset[type], test: Callable[[Any], bool]) -> Predicate:
    """True for an event that has the attribute, of one of these types, and whose value passes the test."""
    if attribute == TOPIC:
        return (lambda event: test(event.topic)) if str in types else _never

    def on(event: Event) -> bool:
        value = event.attributes.get(attribute)
        return type(value) in types and test(value)

    return on


_STRING: Final = frozenset((str,))
_BOOLEAN: Final = frozenset((bool,))
_NUMBER: Final = frozenset((int, float))


def _types(value: Value) -> frozenset[type]:
    return next(types for types in (_STRING, _BOOLEAN, _NUMBER) if type(value) in types)


def _compare(wish: Compare) -> Predicate:
    operation, right = OPERATIONS[wish.operator], wish.value
    return _on(wish.attribute, _types(right), lambda left: operation(left, right))


def _among(wish: Among) -> Predicate:
    families: dict[frozenset[type], list[Value]] = {}
    for value in wish.values:
        families.setdefault(_types(value), []).append(value)
    tests = [_on(wish.attribute, types, frozenset(values).__contains__) for types, values in families.items()]
    return _any(tests)


def _between(wish: Between) -> Predicate:
    low, high = wish.low, wish.high
    if family(low) is not family(high):
        return _never
    return _on(wish.attribute, _types(low), lambda value: low <= value <= high)


def _startswith(wish: StartsWith) -> Predicate:
    return _on(wish.attribute, _STRING, lambda value: value.startswith(wish.prefix))


def _matches(wish: Matches) -> Predicate:
    return _on(wish.attribute, _STRING, lambda value: matches_pattern(wish.pattern, value))


def _exists(wish: Exists) -> Predicate:
    return _always if wish.attribute == TOPIC else lambda event: wish.attribute in event.attributes


def _not(wish: Not) -> Predicate:
    term = predicate(wish.term)
    return lambda event: not term(event)


def _and(wish: And) -> Predicate:
    return reduce(_both, [predicate(term) for term in wish.terms] or [_always])


def _both(one: Predicate, other: Predicate) -> Predicate:
    return lambda event: one(event) and other(event)


def _any(terms: list[Predicate]) -> Predicate:
    if len(terms) == 1:
        return terms[0]
    return lambda event: any(term(event) for term in terms)


def _always(_event: Event) -> bool:
    return True


def _never(_event: Event) -> bool:
    return False


_MAKERS: Final[dict[type, Callable[[Any], Predicate]]] = {
    Everything: lambda _wish: _always,
    Nothing: lambda _wish: _never,
    Compare: _compare,
    Among: _among,
    Between: _between,
    StartsWith: _startswith,
    Exists: _exists,
    Matches: _matches,
    Not: _not,
    And: _and,
    Or: lambda wish: _any([predicate(term) for term in wish.terms]),
}
