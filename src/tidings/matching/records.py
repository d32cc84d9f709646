"""Filters taken apart into columns: which slot asks what of which attribute.

Most filters are conjunctions of comparisons with short numbers and strings; these are taken apart in one pass without
any object of their own. The others go through `conjunctions`.
"""

import math
from collections.abc import Iterable
from typing import Any, Final

from tidings.matching.conjunctions import Conjunction, conjunctions
from tidings.matching.constraint import Constraint
from tidings.matching.doubles import place_of_cut
from tidings.vocabulary.filter import Among, And, Between, Compare, Filter, StartsWith
from tidings.vocabulary.spans import EMPTY, FULL, Spans, points, prefixed
from tidings.vocabulary.value import Family

ABSENT: Final = 1
OTHER: Final = 2
FALSE: Final = 4
TRUE: Final = 8
NUMBER: Final = 16
STRING: Final = 32
NUMBER_PART: Final = 64
STRING_PART: Final = 128
UNASKED: Final = 255
"""What passes, as bits; a PART is what lies within the record's bounds and, if there is a set, within that as well."""

_EXACT: Final = 1 << 53
_BETWEEN_ONLY: Final = {Between}
_FLOAT_ONLY: Final = {float}
_TEXT_ONLY: Final = {str}
_SIMPLE: Final = (EMPTY, FULL)


class AttributeNumbers(dict[str, int]):
    """Numbers the attributes from 0 as they are asked for."""

    def __missing__(self, attribute: str) -> int:
        """A new number."""
        number = self[attribute] = len(self)
        return number


class Records:
    """What many filters ask, flat. Slots are counted from 0; `table.Table` says where they really are."""

    def __init__(self) -> None:
        self.attribute_numbers = AttributeNumbers()
        self.keys: list[int] = []
        """Of each slot, the key of its filter."""
        self.counts: list[int] = []
        """Of each slot, how many records it has; there may be several for one attribute: all of them must pass."""
        self.attributes: list[int] = []
        self.passes: list[int] = []
        self.lows: list[float] = []
        self.highs: list[float] = []
        """Of each record; both bounds belong to what passes. Bounds that are strings stand in the next three."""
        self.point_records: list[int] = []
        self.point_texts: list[str] = []
        self.text_spans: list[tuple[int, Spans]] = []
        """Records that stand for an interval of strings."""
        self.sets: list[tuple[int, int, Family, Spans]] = []
        """Slot, attribute, family and the values that pass, where these are no interval."""
        self.doubtful: list[int] = []
        """Slots at which the filter itself must decide in the end."""

    def collect(self, items: Iterable[tuple[int, Filter]]) -> None:
        """Take all filters apart."""
        for key, wish in items:
            marks = self._marks()
            if self._plain(wish):
                self.keys.append(key)
                self.counts.append(len(self.lows) - marks[0])
            else:
                self._shorten(marks)
                self._thorough(key, wish)

    def texts(self) -> dict[int, list[str]]:
        """The strings that need places, by attribute."""
        named: dict[int, list[str]] = {}
        for record, text in zip(self.point_records, self.point_texts, strict=True):
            named.setdefault(self.attributes[record], []).append(text)
        for record, spans in self.text_spans:
            named.setdefault(self.attributes[record], []).extend(cut[0] for cut in spans.cuts)
        for _, attribute, family, spans in self.sets:
            if family is Family.STRING:
                named.setdefault(attribute, []).extend(cut[0] for cut in spans.cuts)
        return named

    def _plain(self, wish: Any) -> bool:
        """Records of a conjunction of simple comparisons; False, with rubbish at the end, for anything else."""
        terms: tuple[Any, ...] = wish.terms if type(wish) is And else (wish,)
        if set(map(type, terms)) == _BETWEEN_ONLY:
            lows, highs = [term.low for term in terms], [term.high for term in terms]
            if set(map(type, lows + highs)) == _FLOAT_ONLY:  # The hot path of bulk inserts.
                numbers = self.attribute_numbers
                self.attributes += [numbers[term.attribute] for term in terms]
                self.passes += [NUMBER_PART] * len(terms)
                self.lows += lows
                self.highs += highs
                return True
        return all(map(self._plain_term, terms))

    def _plain_term(self, term: Any) -> bool:
        """Append one record, if `term` is simple."""
        kind = type(term)
        passes = NUMBER_PART
        if kind is Between and _is_short(term.low) and _is_short(term.high):
            low, high = term.low, term.high
        elif kind is Compare and term.operator == "==" and type(term.value) is str:
            self.point_records.append(len(self.lows))
            self.point_texts.append(term.value)
            passes, low, high = STRING_PART, 0.0, 0.0
        elif kind is Compare and term.operator == "==" and type(term.value) is bool:
            passes, low, high = TRUE if term.value else FALSE, -math.inf, math.inf
        elif kind is Compare and term.operator != "!=" and _is_short(term.value):
            low, high = _interval(term.operator, term.value)
        elif kind is StartsWith and term.prefix:
            low, high = self._text_part(term.attribute, prefixed(term.prefix))
            passes = STRING_PART
        elif kind is Among and set(map(type, term.values)) == _TEXT_ONLY:
            low, high = self._text_part(term.attribute, points(term.values))
            passes = STRING_PART
        else:
            return False
        self.attributes.append(self.attribute_numbers[term.attribute])
        self.passes.append(passes)
        self.lows.append(low)
        self.highs.append(high)
        return True

    def _text_part(self, attribute: str, spans: Spans) -> tuple[float, float]:
        """Note strings that a record lets through; gives bounds, which are overwritten when all strings have places."""
        around = _hull(spans)
        if around != spans:
            self.sets.append((len(self.keys), self.attribute_numbers[attribute], Family.STRING, spans))
        self.text_spans.append((len(self.lows), around))
        return -math.inf, math.inf

    def _marks(self) -> tuple[int, int, int, int]:
        return len(self.lows), len(self.point_records), len(self.text_spans), len(self.sets)

    def _shorten(self, marks: tuple[int, int, int, int]) -> None:
        """Forget what was appended since."""
        for column in (self.attributes, self.passes, self.lows, self.highs):
            del column[marks[0] :]
        del self.point_records[marks[1] :], self.point_texts[marks[1] :]
        del self.text_spans[marks[2] :], self.sets[marks[3] :]

    def _thorough(self, key: int, wish: Filter) -> None:
        alternatives = conjunctions(wish)
        if alternatives is None:
            self.doubtful.append(len(self.keys))
            alternatives = [{}]
        for alternative in alternatives:
            self._conjunction(alternative)
            self.keys.append(key)
            self.counts.append(len(alternative))

    def _conjunction(self, conjunction: Conjunction) -> None:
        doubtful = False
        for attribute, asked in conjunction.items():
            low, high, unsettled = self._bounds(attribute, asked)
            doubtful = doubtful or unsettled
            self.attributes.append(self.attribute_numbers[attribute])
            self.passes.append(_passes(asked))
            self.lows.append(low)
            self.highs.append(high)
        if doubtful:
            self.doubtful.append(len(self.keys))

    def _bounds(self, attribute: str, asked: Constraint) -> tuple[float, float, bool]:
        """The bounds of one record, and whether they let through too much."""
        number, string = asked.number not in _SIMPLE, asked.string not in _SIMPLE
        if number and string:  # There is one pair of bounds for an attribute: two families do not fit.
            return -math.inf, math.inf, True
        if string:
            return *self._text_part(attribute, asked.string), asked.doubtful
        if not number:
            return -math.inf, math.inf, asked.doubtful
        around = _hull(asked.number)
        if around != asked.number:
            self.sets.append((len(self.keys), self.attribute_numbers[attribute], Family.NUMBER, asked.number))
        places = [place_of_cut(cut) for cut in around.cuts]
        return *bounds(places, begins=around.begins), asked.doubtful


def bounds(places: list[float], *, begins: bool) -> tuple[float, float]:
    """The first and last double of an interval whose cuts lie just below `places`."""
    low = -math.inf if begins else places[0]
    return low, math.inf if len(places) == 1 - begins else math.nextafter(places[-1], -math.inf)


def _is_short(value: object) -> bool:
    """True for floats, and for integers that are doubles because they are small."""
    return type(value) is float or (type(value) is int and -_EXACT <= value <= _EXACT)


def _interval(operation: str, value: float) -> tuple[float, float]:
    match operation:
        case "<":
            return -math.inf, math.nextafter(value, -math.inf)
        case "<=":
            return -math.inf, value
        case ">":
            return math.nextafter(value, math.inf), math.inf
        case ">=":
            return value, math.inf
        case _:
            return value, value


def _hull(spans: Spans) -> Spans:
    """The smallest interval around a set."""
    ends = spans.begins == bool(len(spans.cuts) % 2)
    first = () if spans.begins else spans.cuts[:1]
    return Spans(begins=spans.begins, cuts=first + (spans.cuts[-1:] if ends else ()))


def _passes(asked: Constraint) -> int:
    number = NUMBER if asked.number == FULL else NUMBER_PART if asked.number != EMPTY else 0
    string = STRING if asked.string == FULL else STRING_PART if asked.string != EMPTY else 0
    return asked.absent * ABSENT + asked.other * OTHER + asked.false * FALSE + asked.true * TRUE + number + string
