"""The extent of a filter: the events that it wants, as a union of boxes, for proofs about filters.

A box gives some attributes a set of values each; an event lies in it when each of its values lies in the set. Filters
have the last word on single events; extents answer questions about all events: does one filter want all that another
wants, can two want the same event. The answers are exact but for topic patterns with `+` in their middle and for
numbers so close that no float lies between them, and err on the safe side there.

Work is bounded: an extent that would take more than `WORK_MAX` steps is not made, and a proof that would take more
counts as not found.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

from tidings.vocabulary.filter import And, Everything, Filter, Not, Nothing, Or
from tidings.vocabulary.value_set import ValueSet, domain, meet_sets, subtract_set, value_set

Box: TypeAlias = dict[str, ValueSet]
"""Attributes that are not named may be anything. No set in it is empty. Not to be changed."""
Extent: TypeAlias = tuple[Box, ...]

WORK_MAX: Final = 50_000
"""Cuts, patterns and boxes looked at; some tens of milliseconds."""


class _TooMuchWork(Exception):
    """The bound is reached."""


class _Work:
    """A budget that is spent before the work is done."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = WORK_MAX

    def spend(self, amount: int) -> None:
        self.left -= amount
        if self.left < 0:
            raise _TooMuchWork


def extent(wish: Filter) -> Extent | None:
    """Boxes that together hold exactly the events that `wish` wants; None when that takes too much work."""
    try:
        return _boxes(wish, wanted=True, work=_Work())
    except _TooMuchWork:
        return None


def extent_covers(general: Extent, special: Extent) -> bool:
    """True when it is proven that all of `special` lies in `general`."""
    work = _Work()
    try:
        return all(_covered(box, general, work) for box in special)
    except _TooMuchWork:
        return False


def extent_intersects(left: Extent, right: Extent) -> bool:
    """False when it is proven that no event lies in both."""
    try:
        return bool(_product(left, right, _Work()))
    except _TooMuchWork:
        return True


def _boxes(wish: Filter, *, wanted: bool, work: _Work) -> Extent:
    """The events for which `wish` is true, or false when not `wanted`."""
    match wish:
        case Everything() | Nothing():
            return ({},) if isinstance(wish, Everything) == wanted else ()
        case Not(term):
            return _boxes(term, wanted=not wanted, work=work)
        case And(terms) | Or(terms):
            parts = (_boxes(term, wanted=wanted, work=work) for term in terms)
            if isinstance(wish, Or) == wanted:
                return tuple(box for part in parts for box in part)
            product: Extent = ({},)
            for part in parts:
                product = _product(product, part, work)
            return product
        case _:
            attribute = wish.attribute
            whole, values = domain(attribute), value_set(wish)
            work.spend(values.size)
            sets = [meet_sets(whole, values)] if wanted else subtract_set(whole, values)
            return tuple({attribute: one} for one in sets if not one.is_empty)


def _product(left: Extent, right: Extent, work: _Work) -> Extent:
    """What lies in both."""
    work.spend(len(left) * sum(map(_size, right)) + len(right) * sum(map(_size, left)))
    boxes = (_meet(one, other) for one in left for other in right)
    return tuple(box for box in boxes if box is not None)


def _meet(left: Box, right: Box) -> Box | None:
    """What lies in both, None when nothing does."""
    both = dict(left)
    for attribute, values in right.items():
        ours = both.get(attribute)
        common = values if ours is None else meet_sets(ours, values)
        if common.is_empty:
            return None
        both[attribute] = common
    return both


def _covered(box: Box, extent: Extent, work: _Work) -> bool:
    """Try one box after the other first: cheap, and often enough. Then cut off what each of them holds."""
    work.spend(len(extent))
    if box in extent:
        return True
    for whole in extent:
        if next(_subtract(box, whole, work), None) is None:
            return True
    rest = [box]
    for whole in extent:
        rest = [piece for part in rest for piece in _subtract(part, whole, work)]
    return not rest


def _subtract(box: Box, whole: Box, work: _Work) -> Iterator[Box]:
    """Boxes without common events that together hold what lies in `box` and not in `whole`."""
    inside = box
    for attribute, values in whole.items():
        ours = inside.get(attribute, domain(attribute))
        work.spend(ours.size + values.size)
        for outside in subtract_set(ours, values):
            yield {**inside, attribute: outside}
        common = meet_sets(ours, values)
        if common.is_empty:
            return
        inside = {**inside, attribute: common}


def _size(box: Box) -> int:
    return 1 + sum(values.size for values in box.values())
