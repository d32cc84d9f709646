"""Many random filters and events, quickly, with the values that are easy to get wrong."""

import numpy as np

from tidings.vocabulary.event import Event
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

ATTRIBUTES = ("price", "symbol", "volume", "topic", "side", "note")
WORDS = ("", "a", "ab", "abc", "b", "ba", "\U0010ffff", "\U0010ffffa", "IBM", "IBM1", "é", "$a/b", "a/b", "a/b/c", "a/")
TOPICS = ("a", "a/b", "a/b/c", "b/c", "$a/b", "IBM", "x/y", "x")
PATTERNS = ("a/#", "#", "+", "a/+", "+/b", "a/b", "+/+/c", "$a/#", "x/+")
NUMBERS: tuple[Value, ...] = (
    *(0, 1, 2, 3, -1, 0.5, 1.0, -0.0, 1e300, -1e300, 5e-324),
    *(2**53, 2**53 + 1, 2**53 + 2, float(2**53), -(2**53) - 1, -(2**53), 2**60 + 1, 2**60, 10**398, -(10**398)),
)
OPERATORS = ("==", "!=", "<", "<=", ">", ">=")


class Bulk:
    """Draws filters and events from one generator."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.random = generator

    def pick(self, options):
        """One of a sequence."""
        return options[int(self.random.integers(len(options)))]

    def value(self) -> Value:
        """A value of any family; equal ones come often."""
        kind = self.random.random()
        if kind < 0.35:
            return round(float(self.random.normal(0, 3)), 1)
        if kind < 0.5:
            return int(self.random.integers(-5, 6))
        if kind < 0.62:
            return self.pick(NUMBERS)
        if kind < 0.92:
            return self.pick(WORDS)
        return bool(self.random.random() < 0.5)

    def leaf(self) -> Filter:
        """One comparison."""
        attribute = self.pick(ATTRIBUTES)
        match int(self.random.integers(10)):
            case 0 | 1 | 2:
                return Compare(attribute, self.pick(OPERATORS), self.value())
            case 3 | 4:
                low, high = float(self.random.normal(-1, 3)), float(self.random.normal(1, 3))
                return Between(attribute, low, high)
            case 5:
                return Between(attribute, self.value(), self.value())
            case 6 | 7:
                return Among(attribute, tuple(self.value() for _ in range(self.random.integers(1, 6))))
            case 8:
                return Exists(attribute) if self.random.random() < 0.3 else StartsWith(attribute, self.pick(WORDS))
            case _:
                return Matches("topic" if self.random.random() < 0.8 else attribute, self.pick(PATTERNS))

    def wish(self, depth: int = 3) -> Filter:
        """A filter of any shape."""
        kind = self.random.random()
        if depth == 0 or kind < 0.4:
            return self.leaf() if self.random.random() < 0.97 else self.pick((Everything(), Nothing()))
        if kind < 0.5:
            return Not(self.wish(depth - 1))
        terms = tuple(self.wish(depth - 1) for _ in range(self.random.integers(2, 4)))
        return And(terms) if kind < 0.85 else Or(terms)

    def narrow(self) -> Filter:
        """A small conjunction over few values, so that covers and mergers are common."""
        terms = [self.small_leaf(name) for name in ("price", "topic", "side") if self.random.random() < 0.5]
        if self.random.random() < 0.1:
            return self.wish(2)
        return And(tuple(terms)) if len(terms) > 1 else terms[0] if terms else Everything()

    def small_leaf(self, name: str) -> Filter:
        """One comparison of `name` with few different values."""
        if name == "topic":
            options = [Matches(name, self.pick(PATTERNS)), Compare(name, "==", self.pick(TOPICS))]
            return self.pick([*options, Among(name, (self.pick(TOPICS), self.pick(TOPICS)))])
        low = int(self.random.integers(-4, 5))
        return self.pick(
            [
                Compare(name, self.pick(OPERATORS), low),
                Between(name, low, low + int(self.random.integers(0, 4))),
                Among(name, (low, low + 1)),
                Exists(name),
                Not(Compare(name, self.pick(OPERATORS), low)),
            ]
        )

    def wishes(self, count: int) -> list[Filter]:
        """Many of them."""
        return [self.wish() for _ in range(count)]

    def event(self) -> Event:
        """An event in which attributes may be missing, or hold values of any family."""
        attributes = {name: self.value() for name in ATTRIBUTES if name != "topic" and self.random.random() < 0.75}
        return Event(id=0, publisher="p", topic=self.pick(TOPICS), published_ns=0, attributes=attributes)

    def events(self, count: int) -> list[Event]:
        """Many of them."""
        return [self.event() for _ in range(count)]


def differences(expected, found) -> list[int]:
    """Positions at which two answers are not the same."""
    assert len(expected) == len(found)
    pairs = enumerate(zip(expected, found, strict=True))
    return [position for position, (one, two) in pairs if one.tolist() != two.tolist()]
