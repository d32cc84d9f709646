"""What a filter asks of one attribute, closed under complement, intersection and union.

A constraint says, for each kind of value that an event may hold, which of them pass: no value at all (absent), a value
of no family (NaN), false, true, and a set of numbers and one of strings. So `not price > 10` is a constraint like any
other: absent passes, strings pass, and numbers up to 10.
"""

from typing import Final

import msgspec

from tidings.vocabulary.filter import Compare, Exists, Filter
from tidings.vocabulary.spans import EMPTY, FULL, Spans, join, meet
from tidings.vocabulary.spans import complement as outside
from tidings.vocabulary.value import Family, family
from tidings.vocabulary.value_set import value_set


class Constraint(msgspec.Struct, frozen=True, gc=False):
    """Which values pass; a `doubtful` one may let through too much, so that the filter itself must decide."""

    absent: bool = False
    other: bool = False
    false: bool = False
    true: bool = False
    number: Spans = EMPTY
    string: Spans = EMPTY
    doubtful: bool = False

    @property
    def is_empty(self) -> bool:
        """True when nothing can pass."""
        some = self.absent or self.other or self.false or self.true
        return not some and self.number == EMPTY and self.string == EMPTY


ALL: Final = Constraint(absent=True, other=True, false=True, true=True, number=FULL, string=FULL)


def constraint(leaf: Filter) -> Constraint:
    """What a single comparison lets through."""
    values = value_set(leaf)
    return Constraint(
        other=_wants_nan(leaf),
        false=False in values,
        true=True in values,
        number=values.numbers,
        string=values.strings,
        doubtful=bool(values.patterns),
    )


def complement(one: Constraint) -> Constraint:
    """What `one` does not let through; of a doubtful one, whatever it may be wrong about as well."""
    if one.doubtful:
        return msgspec.structs.replace(ALL, doubtful=True)
    return Constraint(
        absent=not one.absent,
        other=not one.other,
        false=not one.false,
        true=not one.true,
        number=outside(one.number),
        string=outside(one.string),
    )


def intersect(one: Constraint, two: Constraint) -> Constraint:
    """What passes both; equal to NONE in all but the doubt when nothing does."""
    return Constraint(
        absent=one.absent and two.absent,
        other=one.other and two.other,
        false=one.false and two.false,
        true=one.true and two.true,
        number=meet(one.number, two.number),
        string=meet(one.string, two.string),
        doubtful=one.doubtful or two.doubtful,
    )


def unite(one: Constraint, two: Constraint) -> Constraint:
    """What passes at least one of them."""
    return Constraint(
        absent=one.absent or two.absent,
        other=one.other or two.other,
        false=one.false or two.false,
        true=one.true or two.true,
        number=join(one.number, two.number),
        string=join(one.string, two.string),
        doubtful=one.doubtful or two.doubtful,
    )


def _wants_nan(leaf: Filter) -> bool:
    """NaN is present, and not equal to any number."""
    unequal = isinstance(leaf, Compare) and leaf.operator == "!=" and family(leaf.value) is Family.NUMBER
    return unequal or isinstance(leaf, Exists)
