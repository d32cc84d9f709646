"""Events as the rows and places of a table: one pass for each attribute, by whole columns where values are alike."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tidings.matching.doubles import greatest_double, is_double
from tidings.matching.layout import SINGLE_ROWS, Layout
from tidings.matching.levels import LEVEL_COUNT, LEVEL_NUMBERS
from tidings.matching.texts import TextLine
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import TOPIC

_ABSENT, _OTHER, _FALSE, _TRUE = range(SINGLE_ROWS)
_OF_TOPIC: Final = frozenset((TOPIC, LEVEL_COUNT, *LEVEL_NUMBERS))
_EXACT: Final = 1 << 53
_FEW: Final = 4
"""Up to so many events are encoded value by value."""


class Encoder:
    """Knows the attributes of one table and where their values belong."""

    def __init__(self, attributes: Sequence[str], lines: Sequence[TextLine], layout: Layout) -> None:
        self._attributes = attributes
        self._lines = lines
        self._layout = layout
        self._numbers = [layout.places_of(attribute, strings=False) for attribute in range(len(attributes))]
        self._strings = [layout.places_of(attribute, strings=True) for attribute in range(len(attributes))]
        self._number_list = [places.tolist() for places in self._numbers]
        self._string_list = [places.tolist() for places in self._strings]
        self._row_starts = layout.row_starts.tolist()

    def encode(self, events: Sequence[Event]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Of each event and attribute the row, counted through the table, and the place of its value.

        The place is NaN where a value is no double, so that the filter itself must decide unless the row is full.
        """
        rows = np.empty((len(events), len(self._attributes)), dtype=np.int32)
        values = np.empty((len(events), len(self._attributes)))
        if len(events) <= _FEW:
            for position, event in enumerate(events):
                for number, attribute in enumerate(self._attributes):
                    value = self._content(event, attribute)
                    rows[position, number], values[position, number] = self._single(number, value)
            return rows, values
        contents = [event.attributes for event in events]
        for number, attribute in enumerate(self._attributes):
            if attribute in _OF_TOPIC:
                column = [self._content(event, attribute) for event in events]
            else:
                column = [content.get(attribute) for content in contents]
            rows[:, number], values[:, number] = self._column(number, column)
            rows[:, number] += self._layout.row_starts[number]
        return rows, values

    @staticmethod
    def _content(event: Event, attribute: str) -> Any:
        """The value, also of the topic and its levels."""
        if attribute not in _OF_TOPIC:
            return event.attributes.get(attribute)
        if attribute == TOPIC:
            return event.topic
        levels = event.topic.split("/")
        if attribute == LEVEL_COUNT:
            return len(levels)
        number = LEVEL_NUMBERS[attribute]
        return levels[number] if number < len(levels) else None

    def _single(self, attribute: int, value: Any) -> tuple[int, float]:
        """Row and place of one value: quicker than a column of one."""
        start: int = self._row_starts[attribute]
        kind = type(value)
        place = 0.0
        if kind is float or kind is int:
            if value != value:  # noqa: PLR0124 - only NaN is not itself
                return start + _OTHER, value
            floor = value if kind is float else greatest_double(value)
            row = SINGLE_ROWS + bisect_right(self._number_list[attribute], floor)
            place = floor if floor == value else math.nan
        elif kind is str:
            place = self._lines[attribute].place(value)
            row = SINGLE_ROWS + 1 + len(self._number_list[attribute])
            row += bisect_right(self._string_list[attribute], place)
        elif kind is bool:
            row = _TRUE if value else _FALSE
        else:
            row = _ABSENT if value is None else _OTHER
        return start + row, place

    def _column(self, attribute: int, column: list[Any]) -> tuple[NDArray[np.int64] | int, NDArray[np.float64] | float]:
        kinds = list(map(type, column))
        different = set(kinds)
        if len(different) == 1:
            return self._alike(attribute, different.pop(), column)
        rows = np.empty(len(column), dtype=np.int64)
        values = np.empty(len(column))
        for kind in different:  # Each fills its own places: the order does not show.
            chosen = [position for position, one in enumerate(kinds) if one is kind]
            rows[chosen], values[chosen] = self._alike(attribute, kind, [column[position] for position in chosen])
        return rows, values

    def _alike(
        self, attribute: int, kind: type, column: list[Any]
    ) -> tuple[NDArray[np.int64] | int, NDArray[np.float64] | float]:
        """Rows and places of values of one type."""
        if kind is float:
            return self._floats(attribute, np.array(column))
        if kind is str:
            return self._texts(attribute, column)
        if kind is int:
            return self._integers(attribute, column)
        if kind is bool:
            return np.where(column, _TRUE, _FALSE), 0.0
        return (_ABSENT if kind is type(None) else _OTHER), 0.0

    def _floats(self, attribute: int, column: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        rows = np.searchsorted(self._numbers[attribute], column, side="right") + SINGLE_ROWS
        rows[np.isnan(column)] = _OTHER
        return rows, column

    def _integers(self, attribute: int, column: list[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        if min(column) >= -_EXACT and max(column) <= _EXACT:
            return self._floats(attribute, np.array(column, dtype=np.float64))
        floors = np.array([greatest_double(value) for value in column])  # A number is in the cell of its floor.
        rows, _ = self._floats(attribute, floors)
        return rows, np.where([is_double(value) for value in column], floors, np.nan)

    def _texts(self, attribute: int, column: list[str]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        numbers, strings = self._numbers[attribute], self._strings[attribute]
        places = np.array(list(map(self._lines[attribute].place, column)))
        return np.searchsorted(strings, places, side="right") + (SINGLE_ROWS + 1 + numbers.size), places
