"""Which events a filter holds for, by brute force over columns.

No index, no covering, nothing that brokers use but the parser. For every attribute that filters name, the distinct
values are sorted within their family and numbered; a comparison is then a table of truth over these numbers. Events of
equal content (as far as filters can see) are evaluated once.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tidings.checking.history import Events, Flags, Integers, grouped
from tidings.errors import InputError
from tidings.vocabulary.filter import (
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
from tidings.vocabulary.filter_parser import parse_filter
from tidings.vocabulary.value import Value, parse_literal

RECENT_MAX = 64
"""Answers kept: many subscribers may have the same filter, and every answer is as long as the run."""

_RANKS = {bool: 0, int: 1, float: 1, str: 2}
_FAMILIES = 3


@dataclass(frozen=True)
class _Column:
    """One attribute: its distinct values, sorted family by family, and which of them each content has."""

    values: Sequence[Value]
    bounds: Sequence[int]
    """Where each family begins in `values`, and where the last one ends."""
    codes: Integers
    """Per content the position in `values`; -1 where the attribute is missing."""

    def where(self, truth: Flags) -> Flags:
        """The contents whose value is marked in `truth`, which has one more entry, false, for missing ones."""
        return truth[self.codes]

    def family(self, value: Value) -> tuple[int, int]:
        """The part of `values` that can be compared with `value`."""
        rank = _RANKS[type(value)]
        return self.bounds[rank], self.bounds[rank + 1]


class Selection:
    """Answers for one set of events and a list of filters, given as texts."""

    def __init__(self, events: Events, topics: Sequence[str], texts: Sequence[str]) -> None:
        self._wishes = [parse_filter(text) for text in texts]
        names = dict.fromkeys(name for wish in self._wishes for name in _names(wish))
        columns = {
            name: _column(*(_topics(events, topics) if name == TOPIC else _attribute(events, name))) for name in names
        }
        self._content = grouped(np.zeros(len(events), np.int64), *(column.codes for column in columns.values()))
        _, sample = np.unique(self._content, return_index=True)
        self._columns = {
            name: _Column(column.values, column.bounds, column.codes[sample]) for name, column in columns.items()
        }
        self._contents = len(sample)
        self._recent: dict[int, Flags] = {}

    def holds(self, position: int) -> Flags:
        """For each event: does the filter at `position` hold? Meaningless for events that were never published."""
        if position not in self._recent:
            if len(self._recent) == RECENT_MAX:
                del self._recent[next(iter(self._recent))]
            self._recent[position] = self._evaluate(self._wishes[position])[self._content]
        return self._recent[position]

    def _evaluate(self, wish: Filter) -> Flags:
        match wish:
            case Everything():
                return np.ones(self._contents, np.bool_)
            case Nothing():
                return np.zeros(self._contents, np.bool_)
            case Not(term):
                return ~self._evaluate(term)
            case And(terms):
                return reduce(np.logical_and, [self._evaluate(term) for term in terms])
            case Or(terms):
                return reduce(np.logical_or, [self._evaluate(term) for term in terms])
            case _:
                column = self._columns[wish.attribute]
                return column.where(_truth(column, wish))


def _truth(column: _Column, wish: Compare | Among | Between | StartsWith | Exists | Matches) -> Flags:
    truth = np.zeros(len(column.values) + 1, np.bool_)
    match wish:
        case Exists():
            truth[:-1] = True
        case Among(_, values):
            for value in values:
                _mark(truth, column, "==", value)
        case Compare(_, operator, value):
            _mark(truth, column, operator, value)
        case Between(_, low, high):
            above = truth.copy()
            _mark(above, column, ">=", low)
            _mark(truth, column, "<=", high)
            truth &= above
        case StartsWith(_, prefix):
            low, high = column.family(prefix)
            begin = bisect_left(column.values, prefix, low, high)
            truth[
                begin : bisect_right(column.values, prefix, begin, high, key=lambda text: str(text)[: len(prefix)])
            ] = True
        case _:
            low, high = column.family(wish.pattern)
            levels = _levels(wish.pattern)
            truth[low:high] = [levels.fullmatch(str(text)) is not None for text in column.values[low:high]]
    return truth


def _mark(truth: Flags, column: _Column, operator: str, value: Value) -> None:
    """Set what `operator value` is true for. Values of one family compare exactly, whatever their types."""
    low, high = column.family(value)
    below = bisect_left(column.values, value, low, high)
    above = bisect_right(column.values, value, low, high)
    begins = {"==": below, "<": low, "<=": low, ">": above, ">=": below, "!=": low}
    ends = {"==": above, "<": below, "<=": above, ">": high, ">=": high, "!=": high}
    truth[begins[operator] : ends[operator]] = True
    if operator == "!=":
        truth[below:above] = False


def _levels(pattern: str) -> re.Pattern[str]:
    """MQTT's wildcards as an expression over whole topics; a leading one does not stand for `$…`."""
    parts = {"+": "[^/]*", "#": ".*"}
    text = "/".join(parts.get(level, re.escape(level)) for level in pattern.split("/"))
    if text.endswith("/.*") and pattern.endswith("#"):
        text = text.removesuffix("/.*") + "(?:/.*)?"
    shield = r"(?!\$)" if pattern[0] in "+#" else ""
    return re.compile(shield + text, re.DOTALL)


def _names(wish: Filter) -> list[str]:
    match wish:
        case Everything() | Nothing():
            return []
        case Not(term):
            return _names(term)
        case And(terms) | Or(terms):
            return [name for term in terms for name in _names(term)]
        case _:
            return [wish.attribute]


def _topics(events: Events, topics: Sequence[str]) -> tuple[Sequence[Value], Integers]:
    return topics, np.where(events.published, events.topic, -1)


def _attribute(events: Events, name: str) -> tuple[Sequence[Value], Integers]:
    """The distinct values of an attribute, in any order, and which of them each event has."""
    offsets = events.attributes.offsets.to_numpy()
    keys = events.attributes.keys.slice(offsets[0], offsets[-1] - offsets[0])
    chosen = np.flatnonzero(pc.equal(keys, name).to_numpy(zero_copy_only=False))
    items = events.attributes.items.take(pa.array(chosen + offsets[0])).dictionary_encode()
    owners = np.repeat(events.rows, np.diff(offsets))[chosen]
    codes = np.full(len(events), -1, np.int64)
    codes[owners] = items.indices.to_numpy()
    return [_parsed(name, text) for text in items.dictionary.to_pylist()], codes


def _parsed(name: str, text: str) -> Value:
    try:
        return parse_literal(text)
    except ValueError as error:
        raise InputError(f"publications: attribute {name} = {text[:80]}: {error}") from error


def _column(values: Sequence[Value], codes: NDArray[np.int64]) -> _Column:
    ranked = [(_RANKS[type(value)], value) for value in values]
    distinct = sorted(dict.fromkeys(ranked))
    places = {value: place for place, value in enumerate(distinct)}
    lookup = np.array([*(places[value] for value in ranked), -1], np.int64)
    bounds = [bisect_left(distinct, rank, key=lambda pair: pair[0]) for rank in range(_FAMILIES + 1)]
    return _Column([value for _, value in distinct], bounds, lookup[codes])
