"""Sets of values of one ordered family, as the places where membership changes.

A *cut* lies between values: `(v, 0)` just below `v`, `(v, 1)` just above it. A set is told by whether the smallest
values belong to it, and by its cuts in ascending order; complement is one flip, intersection one merge. Values are
compared as filters compare them: numbers exactly, strings by code point, `False` before `True`. A family is treated as
if there were always another value between two values (booleans apart): a set may seem larger than it is, never smaller.
"""

from bisect import bisect_right
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import msgspec

Cut: TypeAlias = tuple[Any, int]
"""A value and 0 for the place just below it, 1 for the place just above it."""

_LAST_CHARACTER: Final = chr(0x10FFFF)


class Spans(msgspec.Struct, frozen=True):
    """One set. Sets with equal fields are equal; booleans must not be mixed with numbers."""

    begins: bool
    """Whether the smallest values belong to the set."""
    cuts: tuple[Cut, ...]


EMPTY: Final = Spans(begins=False, cuts=())
FULL: Final = Spans(begins=True, cuts=())


def between(low: Cut | None, high: Cut | None) -> Spans:
    """What lies between two cuts; None is the end of the family. Empty when `high` is not above `low`."""
    if low is not None and high is not None and high <= low:
        return EMPTY
    return _spans([cut for cut in (low, high) if cut is not None], begins=low is None)


def points(values: Iterable[Any]) -> Spans:
    """Exactly these values, of one family, in any order."""
    ascending = sorted(values)
    # Equal neighbours (1 and 1.0) are one point.
    kept = [value for place, value in enumerate(ascending) if place == 0 or value != ascending[place - 1]]
    return _spans([(value, side) for value in kept for side in (0, 1)], begins=False)


def prefixed(prefix: str) -> Spans:
    """The strings that start with `prefix`."""
    stem = prefix.rstrip(_LAST_CHARACTER)
    return between((prefix, 0), (stem[:-1] + chr(ord(stem[-1]) + 1), 0) if stem else None)


def complement(spans: Spans) -> Spans:
    """The values of the family that are not in the set."""
    return Spans(begins=not spans.begins, cuts=spans.cuts)


def meet(left: Spans, right: Spans) -> Spans:
    """The values that are in both sets."""
    if not left.cuts:
        return right if left.begins else EMPTY
    if not right.cuts:
        return left if right.begins else EMPTY
    in_left, in_right = left.begins, right.begins
    begins = inside = in_left and in_right
    cuts: list[Cut] = []
    here = there = 0
    while here < len(left.cuts) or there < len(right.cuts):
        next_left = left.cuts[here] if here < len(left.cuts) else None
        next_right = right.cuts[there] if there < len(right.cuts) else None
        step_left = next_right is None or (next_left is not None and next_left <= next_right)
        step_right = next_left is None or (next_right is not None and next_right <= next_left)
        here, in_left = here + step_left, in_left ^ step_left
        there, in_right = there + step_right, in_right ^ step_right
        if inside != (in_left and in_right):
            inside = not inside
            cut = next_left if step_left else next_right
            assert cut is not None, "one of the two has stepped"
            cuts.append(cut)
    return Spans(begins=begins, cuts=tuple(cuts))


def join(left: Spans, right: Spans) -> Spans:
    """The values that are in at least one of the sets."""
    return complement(meet(complement(left), complement(right)))


def contains(spans: Spans, value: object) -> bool:
    """True when `value`, of the family of the set, belongs to it."""
    return spans.begins ^ bool(bisect_right(spans.cuts, (value, 0)) % 2)


def finite(spans: Spans) -> tuple[Any, ...] | None:
    """The members in ascending order when the set is made of single strings or numbers, else None."""
    cuts = spans.cuts
    if spans.begins:
        if not cuts or not isinstance(cuts[0][0], str):
            return None
        cuts = (("", 0), *cuts)
    if len(cuts) % 2:
        return None
    low, high = cuts[::2], cuts[1::2]
    if any(below != (above[0], 0) for below, above in zip(low, high, strict=True)):
        return None
    return tuple(value for value, _ in low)


def _spans(cuts: list[Cut], *, begins: bool) -> Spans:
    """A set from ascending cuts; each place gets one name, and the ends of a family get none."""
    kept: list[Cut] = []
    for value, side in cuts:
        cut: Cut = (value, side)
        if isinstance(value, bool) and value == bool(side):
            if value:
                continue  # nothing lies above True
            begins = not begins  # nothing lies below False
            continue
        if isinstance(value, bool):
            cut = (True, 0)  # the only place between two booleans
        elif cut == ("", 0):
            begins = not begins  # nothing lies below the empty string
            continue
        if kept and kept[-1] == cut:
            kept.pop()
        else:
            kept.append(cut)
    return Spans(begins=begins, cuts=tuple(kept))
