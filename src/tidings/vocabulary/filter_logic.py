"""Questions about filters as wholes: negation, disjuncts, covering, overlap, topics.

Answers are safe rather than complete: "covers" and "disjoint" are said only when proven for every event, with missing
attributes and values of other families among them.
"""

from itertools import product
from typing import Final, TypeAlias

from tidings.vocabulary.extent import extent, extent_covers, extent_intersects
from tidings.vocabulary.filter import TOPIC, And, Everything, Filter, Not, Nothing, Or
from tidings.vocabulary.spans import EMPTY, FULL, Spans, complement, finite, join, meet
from tidings.vocabulary.value_set import value_set

Conjunction: TypeAlias = tuple[Filter, ...]
"""Single comparisons, some of them in a `Not`, that must all hold; without any, everything holds."""

_NO_CONJUNCTION: Final[tuple[Conjunction, ...]] = ()


def negate(wish: Filter) -> Filter:
    """A filter that holds exactly where `wish` does not, without `Not` before anything but a single comparison of it."""
    match wish:
        case Not(term):
            return term
        case And(terms):
            return Or(tuple(negate(term) for term in terms))
        case Or(terms):
            return And(tuple(negate(term) for term in terms))
        case Everything():
            return Nothing()
        case Nothing():
            return Everything()
        case _:
            return Not(wish)


def disjuncts(wish: Filter, terms_max: int) -> tuple[Conjunction, ...] | None:
    """Conjunctions of which at least one holds exactly where `wish` holds: its disjunctive normal form.

    None when they would have more than `terms_max` comparisons together, or be more than that.
    """
    match wish:
        case Everything():
            return ((),)
        case Nothing():
            return _NO_CONJUNCTION
        case Not(And() | Or() | Not() | Everything() | Nothing() as term):
            return disjuncts(negate(term), terms_max)
        case And(terms) | Or(terms):
            parts = [disjuncts(term, terms_max) for term in terms]
            known = [part for part in parts if part is not None]
            if len(known) < len(parts):
                return None
            return _one_of(known, terms_max) if isinstance(wish, Or) else _all_of(known, terms_max)
        case _:
            return ((wish,),) if terms_max >= 1 else None


def covers(general: Filter, special: Filter) -> bool:
    """True only when it is proven that `general` wants every event that `special` wants.

    For many questions about the same filters keep their `extent`s and ask `extent_covers`.
    """
    ours, theirs = extent(general), extent(special)
    return ours is not None and theirs is not None and extent_covers(ours, theirs)


def intersects(left: Filter, right: Filter) -> bool:
    """False only when it is proven that no event is wanted by both."""
    ours, theirs = extent(left), extent(right)
    return ours is None or theirs is None or extent_intersects(ours, theirs)


def topics_of(wish: Filter) -> tuple[str, ...] | None:
    """The finite set of topics outside which `wish` cannot hold, sorted; None when there is no such set."""
    boxes = extent(wish)
    if boxes is None:
        return finite(_topics(wish, wanted=True))
    found: dict[str, None] = {}
    for box in boxes:
        topics = finite(box[TOPIC].strings) if TOPIC in box else None
        if topics is None:
            return None
        found.update(dict.fromkeys(topics))
    return tuple(sorted(found))


def attributes_named(wish: Filter) -> frozenset[str]:
    """Every attribute that a comparison in `wish` names, `topic` among them where it is one."""
    match wish:
        case Everything() | Nothing():
            return frozenset()
        case Not(term=term):
            return attributes_named(term)
        case And(terms=terms) | Or(terms=terms):
            return frozenset().union(*map(attributes_named, terms))
        case _:
            return frozenset([wish.attribute])


def _topics(wish: Filter, *, wanted: bool) -> Spans:
    """Topics outside which `wish` is not `wanted`; looks at each term once, and at no other attribute."""
    match wish:
        case Everything() | Nothing():
            return FULL if isinstance(wish, Everything) == wanted else EMPTY
        case Not(term):
            return _topics(term, wanted=not wanted)
        case And(terms) | Or(terms):
            either = isinstance(wish, Or) == wanted
            topics = EMPTY if either else FULL
            for term in terms:
                topics = (join if either else meet)(topics, _topics(term, wanted=wanted))
            return topics
        case _:
            if wish.attribute != TOPIC:
                return FULL
            values = value_set(wish)
            if wanted:
                return values.strings
            return FULL if values.patterns else complement(values.strings)


def _one_of(parts: list[tuple[Conjunction, ...]], terms_max: int) -> tuple[Conjunction, ...] | None:
    flat = tuple(conjunction for part in parts for conjunction in part)
    return flat if max(len(flat), sum(map(len, flat))) <= terms_max else None


def _all_of(parts: list[tuple[Conjunction, ...]], terms_max: int) -> tuple[Conjunction, ...] | None:
    """The product, whose size is known before it is made."""
    count, size = 1, 0
    for part in parts:
        # Each conjunction so far meets each of the part, and the other way round.
        count, size = count * len(part), size * len(part) + count * sum(map(len, part))
    if max(count, size) > terms_max:
        return None
    return tuple(tuple(literal for conjunction in choice for literal in conjunction) for choice in product(*parts))
