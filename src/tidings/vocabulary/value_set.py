"""What one attribute may be: missing, or a value out of three families.

The algebra behind covering. Ranges, equality, lists, prefixes and most topic patterns are told exactly as spans; a
pattern with `+` in its middle is told by the spans around it and by its name, so that `is_empty` may miss that such a
set is empty, and never calls a set empty that has a member.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from tidings.vocabulary.filter import TOPIC, Among, Between, Compare, Exists, Filter, Matches, StartsWith, compare
from tidings.vocabulary.spans import (
    EMPTY,
    FULL,
    Cut,
    Spans,
    between,
    complement,
    contains,
    finite,
    join,
    meet,
    points,
    prefixed,
)
from tidings.vocabulary.topic import matches_pattern, pattern_covers, pattern_intersects
from tidings.vocabulary.value import Family, Value, family


class ValueSet(msgspec.Struct, frozen=True, kw_only=True):
    """A set of values, `missing` being one of them."""

    missing: bool = False
    booleans: Spans = EMPTY
    numbers: Spans = EMPTY
    strings: Spans = EMPTY
    patterns: tuple[str, ...] = ()
    """Strings must also match all of these."""
    barred: tuple[str, ...] = ()
    """Strings must also match none of these."""

    @property
    def is_empty(self) -> bool:
        """True when it is certain that nothing belongs to the set."""
        return not self.missing and self.booleans == self.numbers == self.strings == EMPTY

    @property
    def size(self) -> int:
        """How much work an operation on the set is: its cuts, its pairs of patterns by their length, and one."""
        cuts = len(self.booleans.cuts) + len(self.numbers.cuts) + len(self.strings.cuts)
        texts = sum(2 + len(pattern) // 16 for pattern in self.patterns + self.barred)
        return 1 + cuts + (len(self.patterns) + 1) * texts

    def __contains__(self, value: Value | None) -> bool:
        """True when `value` belongs to the set; None stands for a missing attribute."""
        if value is None:
            return self.missing
        if isinstance(value, str):
            return contains(self.strings, value) and _fits(value, self.patterns, self.barred)
        return contains(self.booleans if isinstance(value, bool) else self.numbers, value)


ANYTHING: Final = ValueSet(missing=True, booleans=FULL, numbers=FULL, strings=FULL)
ANY_TOPIC: Final = ValueSet(strings=FULL)
_PRESENT: Final = ValueSet(booleans=FULL, numbers=FULL, strings=FULL)


def domain(attribute: str) -> ValueSet:
    """All that `attribute` can be: a topic is always there, and a string."""
    return ANY_TOPIC if attribute == TOPIC else ANYTHING


def value_set(leaf: Filter) -> ValueSet:
    """The values of its attribute for which a single comparison holds."""
    match leaf:
        case Compare(operator=operator, value=value):
            return _within(value, _compared(operator, value))
        case Among(values=values):
            return _listed(values)
        case Between(low=low, high=high):
            return _within(low, between((low, 0), (high, 1))) if compare(low, "<=", high) else ValueSet()
        case StartsWith(prefix=prefix):
            return ValueSet(strings=prefixed(prefix))
        case Matches(pattern=pattern):
            return _matching(pattern)
        case Exists():
            return _PRESENT
        case _:
            raise AssertionError(f"not a single comparison: {leaf!r}")


def meet_sets(left: ValueSet, right: ValueSet) -> ValueSet:
    """What belongs to both."""
    patterns = _united(left.patterns, right.patterns)
    barred = _united(left.barred, right.barred)
    strings = meet(left.strings, right.strings)
    if patterns or barred:
        strings, patterns, barred = _refined(strings, patterns, barred)
    return ValueSet(
        missing=left.missing and right.missing,
        booleans=meet(left.booleans, right.booleans),
        numbers=meet(left.numbers, right.numbers),
        strings=strings,
        patterns=patterns,
        barred=barred,
    )


def subtract_set(left: ValueSet, right: ValueSet) -> Iterator[ValueSet]:
    """Sets, none of them empty, that together hold what belongs to `left` and not to `right`."""
    for piece in _complement(right):
        rest = meet_sets(left, piece)
        if not rest.is_empty:
            yield rest


def _complement(values: ValueSet) -> Iterator[ValueSet]:
    rest = ValueSet(
        missing=not values.missing,
        booleans=complement(values.booleans),
        numbers=complement(values.numbers),
        strings=complement(values.strings),
    )
    if len(values.patterns) == 1 and not values.barred and values.strings == _matching(values.patterns[0]).strings:
        # What lies outside the spans around a pattern does not match it either: one set says both.
        yield msgspec.structs.replace(rest, strings=FULL, barred=values.patterns)
        return
    yield rest
    for pattern in values.patterns:
        yield ValueSet(strings=values.strings, barred=(pattern,))
    for pattern in values.barred:
        yield meet_sets(ValueSet(strings=values.strings), _matching(pattern))


def _compared(operator: str, value: Value) -> Spans:
    below: Cut = (value, 0)
    above: Cut = (value, 1)
    match operator:
        case "==":
            return between(below, above)
        case "!=":
            return complement(between(below, above))
        case "<":
            return between(None, below)
        case "<=":
            return between(None, above)
        case ">":
            return between(above, None)
        case _:
            return between(below, None)


def _within(value: Value, spans: Spans) -> ValueSet:
    """The set that holds `spans` in the family of `value`, and nothing else."""
    match family(value):
        case Family.BOOLEAN:
            return ValueSet(booleans=spans)
        case Family.NUMBER:
            return ValueSet(numbers=spans)
        case _:
            return ValueSet(strings=spans)


def _listed(values: tuple[Value, ...]) -> ValueSet:
    return ValueSet(
        booleans=points(value for value in values if isinstance(value, bool)),
        numbers=points(value for value in values if isinstance(value, int | float) and not isinstance(value, bool)),
        strings=points(value for value in values if isinstance(value, str)),
    )


def _matching(pattern: str) -> ValueSet:
    """The strings that match: spans alone where they say it all, else spans around them and the pattern's name."""
    levels = pattern.split("/")
    named = next((place for place, level in enumerate(levels) if level in ("+", "#")), len(levels))
    stem, rest = "/".join(levels[:named]), levels[named:]
    if not rest:
        return ValueSet(strings=points([pattern]))
    # A wildcard in the first level does not reach names that begin with $.
    around = prefixed(f"{stem}/") if named else complement(prefixed("$"))
    if rest == ["#"] and named:
        around = join(around, points([stem]))
    exact = rest in (["#"], ["+", "#"])
    return ValueSet(strings=around, patterns=() if exact else (pattern,))


def _refined(
    strings: Spans, patterns: tuple[str, ...], barred: tuple[str, ...]
) -> tuple[Spans, tuple[str, ...], tuple[str, ...]]:
    """The same strings, told without patterns where they can be counted up or cannot be at all."""
    members = finite(strings)
    if members is not None:
        return points(member for member in members if _fits(member, patterns, barred)), (), ()
    apart = any(not pattern_intersects(one, other) for one in patterns for other in patterns)
    if apart or any(pattern_covers(bar, pattern) for bar in barred for pattern in patterns):
        return EMPTY, (), ()
    return strings, patterns, barred


def _fits(text: str, patterns: tuple[str, ...], barred: tuple[str, ...]) -> bool:
    return all(matches_pattern(pattern, text) for pattern in patterns) and not any(
        matches_pattern(pattern, text) for pattern in barred
    )


def _united(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(left + right)) if left and right else left or right
