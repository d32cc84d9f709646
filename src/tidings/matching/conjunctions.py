"""Filters as a few conjunctions, each at most one constraint for each attribute.

An `or` over one attribute stays one constraint, so `price < 1 or price > 9` is one conjunction.
"""

from typing import Final, TypeAlias

from tidings.matching.constraint import Constraint, complement, constraint, intersect, unite
from tidings.matching.levels import pattern_constraints
from tidings.matching.limits import CONJUNCTIONS_MAX
from tidings.vocabulary.filter import And, Everything, Filter, Matches, Not, Nothing, Or

Conjunction: TypeAlias = dict[str, Constraint]
"""Attributes and what each must be; the empty one wants everything. Never contains an empty constraint."""

_WANTS_ALL: Final[list[Conjunction]] = [{}]


def conjunctions(wish: Filter) -> list[Conjunction] | None:
    """Conjunctions of which at least one holds wherever `wish` does, and nowhere else unless a part is doubtful.

    None when there would be more than CONJUNCTIONS_MAX. The empty list wants nothing.
    """
    try:
        return _alternatives(wish, positive=True)
    except _TooManyError:
        return None


class _TooManyError(Exception):
    """There would be more than CONJUNCTIONS_MAX conjunctions."""


def _alternatives(wish: Filter, *, positive: bool) -> list[Conjunction]:
    match wish:
        case Everything() | Nothing():
            return _WANTS_ALL if isinstance(wish, Everything) is positive else []
        case Not(term=term):
            return _alternatives(term, positive=not positive)
        case And(terms=terms) | Or(terms=terms):
            parts = [_alternatives(term, positive=positive) for term in terms]
            return _product(parts) if isinstance(wish, And) is positive else _union(parts)
        case Matches() if positive:
            return [pattern_constraints(wish)]
        case _:
            asked = constraint(wish) if positive else complement(constraint(wish))
            return [] if asked.is_empty else [{wish.attribute: asked}]


def _product(parts: list[list[Conjunction]]) -> list[Conjunction]:
    """Every choice of one conjunction from each part, those that contradict themselves left out."""
    product = _WANTS_ALL
    for part in parts:
        pairs = [_both(one, two) for one in product for two in part]
        product = _bounded([both for both in pairs if both is not None])
    return product


def _both(one: Conjunction, two: Conjunction) -> Conjunction | None:
    both = dict(one)
    for attribute, asked in two.items():
        known = both.get(attribute)
        both[attribute] = asked if known is None else intersect(known, asked)
        if both[attribute].is_empty:
            return None
    return both


def _union(parts: list[list[Conjunction]]) -> list[Conjunction]:
    """All conjunctions; those over one and the same attribute become one constraint."""
    single: Conjunction = {}
    union: list[Conjunction] = []
    for conjunction in (one for part in parts for one in part):
        if len(conjunction) == 1:
            ((attribute, asked),) = conjunction.items()
            known = single.get(attribute)
            single[attribute] = asked if known is None else unite(known, asked)
        else:
            union.append(conjunction)
    return _bounded([{attribute: asked} for attribute, asked in single.items()] + union)


def _bounded(alternatives: list[Conjunction]) -> list[Conjunction]:
    if len(alternatives) > CONJUNCTIONS_MAX:
        raise _TooManyError
    return alternatives
