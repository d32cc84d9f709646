"""What a filter wants, worked out again: the audit's own reading of the filter language.

Shares the tree and the parser with the brokers, and nothing else. Every comparison goes through `_order`, which knows
three answers and "not comparable"; patterns are matched level by level from the left.
"""

from collections.abc import Mapping
from typing import Final

from tidings.vocabulary.filter import (
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
from tidings.vocabulary.value import Value

_ANSWERS: Final[Mapping[str, tuple[int, ...]]] = {
    "==": (0,),
    "!=": (-1, 1),
    "<": (-1,),
    "<=": (-1, 0),
    ">": (1,),
    ">=": (0, 1),
}


def wants(wish: Filter, topic: str, attributes: Mapping[str, Value]) -> bool:
    """True when `wish` wants an event on `topic` with these attributes; `topic` among them is not looked at."""
    match wish:
        case Everything():
            return True
        case Nothing():
            return False
        case Not(term):
            return not wants(term, topic, attributes)
        case And(terms):
            return all(wants(term, topic, attributes) for term in terms)
        case Or(terms):
            return any(wants(term, topic, attributes) for term in terms)
        case _:
            value = topic if wish.attribute == "topic" else attributes.get(wish.attribute)
            return value is not None and _suits(wish, value)


def _suits(
    leaf: Compare | Among | Between | StartsWith | Exists | Matches,
    value: Value,
) -> bool:
    match leaf:
        case Compare(operator=operator, value=bound):
            return _order(value, bound) in _ANSWERS[operator]
        case Among(values=values):
            return 0 in [_order(value, one) for one in values]
        case Between(low=low, high=high):
            return _order(low, value) in (-1, 0) and _order(value, high) in (-1, 0)
        case StartsWith(prefix=prefix):
            return isinstance(value, str) and value[: len(prefix)] == prefix
        case Matches(pattern=pattern):
            return isinstance(value, str) and _stands_for(pattern, value)
        case _:
            return True  # exists: the value is there


def _order(left: Value, right: Value) -> int | None:
    """-1, 0 or 1 for smaller, equal or larger; None when the two cannot be compared."""
    if isinstance(left, str):
        return _sign(_points(left), _points(right)) if isinstance(right, str) else None
    if isinstance(left, bool):
        return int(left) - int(right) if isinstance(right, bool) else None
    if isinstance(right, str | bool):
        return None
    # Python compares integers with floats exactly, whatever their size.
    return (left > right) - (left < right)


def _points(text: str) -> list[int]:
    return [ord(character) for character in text]


def _sign(left: list[int], right: list[int]) -> int:
    return (left > right) - (left < right)


def _stands_for(pattern: str, topic: str) -> bool:
    """MQTT's rules; `$` names are out of reach of a wildcard in the first level."""
    if pattern[0] in "+#" and topic[:1] == "$":
        return False
    while True:
        level, more_levels, pattern = pattern.partition("/")
        if level == "#":
            return True
        name, more_names, topic = topic.partition("/")
        if level not in ("+", name):
            return False
        if not more_names:
            # The last name: what may follow in the pattern is nothing, or # for no further level.
            return not more_levels or pattern == "#"
        if not more_levels:
            return False
