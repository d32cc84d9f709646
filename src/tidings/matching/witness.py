"""Events that a filter wants, at opposite corners of what it wants.

Whoever covers the filter wants them too. So a matcher that is asked who wants the corners leaves few candidates.
"""

import math
from collections.abc import Iterator
from typing import Any

from tidings.vocabulary.event import Event
from tidings.vocabulary.extent import Box, Extent
from tidings.vocabulary.filter import TOPIC, Filter, holds
from tidings.vocabulary.spans import EMPTY, Cut, Spans
from tidings.vocabulary.value import Value
from tidings.vocabulary.value_set import ValueSet

_ANY_TOPIC = "any"


def witnesses(wish: Filter, extent: Extent) -> tuple[Event, ...]:
    """At most two events that `wish` wants; none when none was found, which proves nothing."""
    corners = (_corner(box, last=last) for box, last in ((extent[0], False), (extent[-1], True))) if extent else ()
    return tuple(event for event in corners if holds(wish, event))


def _corner(box: Box, *, last: bool) -> Event:
    """The event with the first or last of each attribute's values."""
    values = {name: _member(wanted, last=last) for name, wanted in box.items()}
    topic = values.pop(TOPIC, _ANY_TOPIC)
    attributes = {name: value for name, value in values.items() if value is not None}
    return Event(id=0, publisher="", topic=str(topic), published_ns=0, attributes=attributes)


def _member(wanted: ValueSet, *, last: bool) -> Value | None:
    """A value near one end of the set, or None for a missing attribute: often, not surely, a member."""
    if wanted.missing and not last:
        return None
    for pattern in wanted.patterns:
        return pattern.replace("+", "x").removesuffix("/#").replace("#", "x")
    if wanted.numbers != EMPTY:
        return _last_number(wanted.numbers) if last else _first_number(wanted.numbers)
    if wanted.strings != EMPTY:
        return _text(wanted.strings, last=last)
    for value in (True, False) if last else (False, True):
        if value in wanted:
            return value
    return None


def _first_number(spans: Spans) -> float:
    cuts = _numbers(spans)
    if spans.begins:
        return next(cuts, 0.0) - 1
    return next(cuts)


def _last_number(spans: Spans) -> float:
    if spans.begins == bool(len(spans.cuts) % 2):  # The set ends at its last cut.
        value, side = spans.cuts[-1]
        return value if side else _beside(value, -math.inf)
    return max(_numbers(spans), default=0.0) + 1


def _numbers(spans: Spans) -> Iterator[float]:
    """The first number above each cut."""
    return (_beside(value, math.inf) if side else value for value, side in spans.cuts)


def _beside(number: float, direction: float) -> float:
    """The next number, or the next integer where doubles are too coarse for integers."""
    if isinstance(number, int) and abs(number) >= 1 << 53:
        return number + 1 if direction > 0 else number - 1
    return math.nextafter(number, direction)


def _text(spans: Spans, *, last: bool) -> str:
    """The first string, or the first of the last stretch."""
    starts: list[Cut] = [*([("", 0)] if spans.begins else []), *spans.cuts[spans.begins :: 2]]
    value, side = starts[-1 if last else 0]
    return _after(value) if side else value


def _after(text: Any) -> str:
    return f"{text}\0"
