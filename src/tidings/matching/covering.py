"""Covering: of several filter texts only those are told that no other one covers.

A text that is covered hides behind its cover and comes back when the cover goes. Searches are bounded (`limits`): a
text whose cover was not found is told as well, which is correct and only more than necessary.
"""

from collections.abc import Iterator
from functools import lru_cache

import msgspec
import numpy as np

from tidings.matching.bitset import BitsetMatcher
from tidings.matching.limits import COVER_PROOFS_MAX, COVERED_CANDIDATES_MAX, FACTS_REMEMBERED_MAX
from tidings.matching.witness import witnesses
from tidings.vocabulary.event import Event
from tidings.vocabulary.extent import Extent, extent, extent_covers
from tidings.vocabulary.filter import TOPIC, Filter, holds
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.spans import finite


class _Facts(msgspec.Struct, frozen=True):
    """What is asked of one text again and again."""

    wish: Filter
    extent: Extent | None
    corners: tuple[Event, ...]
    topic: str | None
    """The only topic that it wants; None when there are several."""


@lru_cache(maxsize=FACTS_REMEMBERED_MAX)
def _facts(text: str) -> _Facts:
    wish = parsed(text)
    boxes = extent(wish)
    corners = witnesses(wish, boxes) if boxes else ()
    return _Facts(wish, boxes, corners, _only_topic(boxes))


def _only_topic(boxes: Extent | None) -> str | None:
    topics: dict[str, None] = {}
    for box in boxes or ():
        of_box = finite(box[TOPIC].strings) if TOPIC in box else None
        if of_box is None:
            return None
        topics.update(dict.fromkeys(of_box))
    return next(iter(topics)) if len(topics) == 1 else None


class Covering:
    """Different texts, some shown and the others hidden; every hidden one is covered by a shown one."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        """The shown texts, in the order in which they were shown, and their keys in the matcher."""
        self._texts: dict[int, str] = {}
        self._shown_by_topic: dict[str | None, dict[str, None]] = {}
        self._cover_of: dict[str, str] = {}
        self._hidden_by: dict[str, dict[str, None]] = {}
        self._matcher = BitsetMatcher()
        self._next_number = 0
        self._proofs_left = 0

    def change(self, added: list[str], removed: list[str], proofs_max: int) -> Iterator[tuple[str, bool]]:
        """Take texts in that are not here, and then out; says what is shown (True) and no longer shown, in turn."""
        self._proofs_left = proofs_max
        for text in added:
            yield from self._add(text)
        for text in removed:
            yield from self._remove(text)

    def _add(self, text: str) -> Iterator[tuple[str, bool]]:
        cover = self._find_cover(text)
        if cover is not None:
            self._hide(text, cover)
            return
        covered = list(self._find_covered(text))
        self._show(text)
        yield text, True
        for other in covered:
            self._unshow(other)
            yield other, False
            for behind in [other, *self._hidden_by.pop(other, ())]:
                self._hide(behind, text)

    def _remove(self, text: str) -> Iterator[tuple[str, bool]]:
        cover = self._cover_of.pop(text, None)
        if cover is not None:
            del self._hidden_by[cover][text]
            return
        self._unshow(text)
        yield text, False
        orphans = self._hidden_by.pop(text, {})
        for orphan in orphans:
            del self._cover_of[orphan]
        for orphan in orphans:
            yield from self._add(orphan)

    def _show(self, text: str) -> None:
        number = self._next_number
        self._next_number += 1
        self._numbers[text] = number
        self._texts[number] = text
        facts = _facts(text)
        self._shown_by_topic.setdefault(facts.topic, {})[text] = None
        self._matcher.add(number, facts.wish)

    def _unshow(self, text: str) -> None:
        number = self._numbers.pop(text)
        del self._texts[number]
        topic = _facts(text).topic
        del self._shown_by_topic[topic][text]
        if not self._shown_by_topic[topic]:
            del self._shown_by_topic[topic]
        self._matcher.remove(number)

    def _hide(self, text: str, cover: str) -> None:
        self._cover_of[text] = cover
        self._hidden_by.setdefault(cover, {})[text] = None

    def _find_cover(self, text: str) -> str | None:
        """A shown text that covers this one: it must want the corners, and then be proven."""
        facts = _facts(text)
        if not facts.corners:
            return None
        first, *others = self._matcher.match(facts.corners)
        for keys in others:
            first = np.intersect1d(first, keys, assume_unique=True)
        for number in first[:COVER_PROOFS_MAX].tolist():
            candidate = self._texts[number]
            if self._proven(_facts(candidate).extent, facts.extent):
                return candidate
        return None

    def _find_covered(self, text: str) -> Iterator[str]:
        """Shown texts that this one covers: it must want their corners, and then be proven."""
        facts = _facts(text)
        rivals = self._numbers if facts.topic is None else self._shown_by_topic.get(facts.topic, {})
        for other, _ in zip(rivals, range(COVERED_CANDIDATES_MAX), strict=False):
            theirs = _facts(other)
            wanted = bool(theirs.corners) and all(holds(facts.wish, corner) for corner in theirs.corners)
            if wanted and self._proven(facts.extent, theirs.extent):
                yield other

    def _proven(self, general: Extent | None, special: Extent | None) -> bool:
        if general is None or special is None or self._proofs_left == 0:
            return False
        self._proofs_left -= 1
        return extent_covers(general, special)
