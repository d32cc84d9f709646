"""Strings as places on a line of doubles, so that strings are compared as fast as numbers.

Every string that a filter names has a label; labels ascend as the strings do, with room between neighbours. A string
that no filter names gets a place strictly between its neighbours' labels.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable
from itertools import groupby

from tidings.matching.limits import STRINGS_REMEMBERED_MAX
from tidings.vocabulary.spans import Cut

_STEPS_MIN = 16
"""Doubles that must fit between two neighbours: one for the upper side of a label, one for strings between them."""


class TextLine:
    """The strings that filters name about one attribute, in order; they are never forgotten."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts = sorted(set(texts))
        self._labels = [float(place) for place in range(len(self._texts))]
        self._places = dict(zip(self._texts, self._labels, strict=True))
        self._remembered: dict[str, float] = {}

    def place(self, text: str) -> float:
        """The label of `text`, or its place between the labels around it."""
        known = self._places.get(text)
        if known is None:
            known = self._remembered.get(text)
        if known is None:
            known = self._between(bisect_left(self._texts, text))
            if len(self._remembered) >= STRINGS_REMEMBERED_MAX:
                self._remembered.clear()
            self._remembered[text] = known
        return known

    def place_of_cut(self, cut: Cut) -> float:
        """The smallest double above the cut; the cut's string must have a label."""
        label = self._places[cut[0]]
        return math.nextafter(label, math.inf) if cut[1] else label

    def insert(self, texts: Iterable[str]) -> bool:
        """Give labels to more strings; False, and nothing is changed, when there is no room between two labels."""
        fresh = sorted({text for text in texts if text not in self._places})
        additions: list[float] = []
        for position, group in groupby(fresh, key=lambda text: bisect_left(self._texts, text)):
            labels = self._labels_within(position, len(list(group)))
            if labels is None:
                return False
            additions += labels
        if fresh:
            self._places.update(zip(fresh, additions, strict=True))
            self._texts = sorted(self._texts + fresh)
            self._labels = sorted(self._labels + additions)
            self._remembered.clear()
        return True

    def _between(self, position: int) -> float:
        (label,) = self._spread(*self._gap(position, 1), 1)
        return label

    def _gap(self, position: int, count: int) -> tuple[float, float]:
        """The labels around the gap before `position`; at the ends as far away as `count` new labels need."""
        if not self._labels:
            return 0.0, float(count + 1)
        low = self._labels[position - 1] if position else self._labels[0] - count - 1
        high = self._labels[position] if position < len(self._labels) else self._labels[-1] + count + 1
        return low, high

    def _labels_within(self, position: int, count: int) -> list[float] | None:
        low, high = self._gap(position, count)
        room = _STEPS_MIN * max(math.ulp(low), math.ulp(high))
        return self._spread(low, high, count) if (high - low) / (count + 1) >= room else None

    @staticmethod
    def _spread(low: float, high: float, count: int) -> list[float]:
        step = (high - low) / (count + 1)
        return [low + step * (number + 1) for number in range(count)]
