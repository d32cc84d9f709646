"""Covered texts hide behind shown ones."""

import pytest

from matching.bulk import Bulk
from tidings.matching import covering
from tidings.matching.covering import Covering
from tidings.matching.limits import COVERED_CANDIDATES_MAX
from tidings.vocabulary.filter_logic import covers
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.filter_text import format_filter
from tidings.vocabulary.streams import Streams

PLENTY = 10_000


class Shown:
    """A covering and what it shows."""

    def __init__(self) -> None:
        self.covering = Covering()
        self.texts: dict[str, None] = {}

    def change(self, added, removed=(), proofs_max=PLENTY) -> list[str]:
        """What is shown afterwards, sorted."""
        for text, comes in self.covering.change(list(added), list(removed), proofs_max):
            assert comes != (text in self.texts)
            if comes:
                self.texts[text] = None
            else:
                del self.texts[text]
        return sorted(self.texts)


def test_the_last_cover_brings_back_all_behind_it():
    """Covers of covers."""
    shown = Shown()
    assert shown.change(["price > 3", "price > 2", "price > 1"]) == ["price > 1"]
    assert shown.change([], ["price > 1"]) == ["price > 2"]
    assert shown.change([], ["price > 3"]) == ["price > 2"]
    assert shown.change([], ["price > 2"]) == []


def test_topics_are_searched_apart_and_together():
    """A text on one topic hides behind one on all topics, and the other way round when that comes later."""
    shown = Shown()
    narrow = 'price > 2 and topic == "a"'
    assert shown.change([narrow, 'price > 2 and topic == "b"']) == [narrow, 'price > 2 and topic == "b"']
    assert shown.change(['price > 1 and topic == "a"']) == ['price > 1 and topic == "a"', 'price > 2 and topic == "b"']
    assert shown.change(["price > 0"]) == ["price > 0"]
    assert shown.change(['price > 5 and topic in ("a", "b")']) == ["price > 0"]


def test_empty_texts_and_such_without_witnesses_are_shown():
    """Correct, and only more than necessary."""
    shown = Shown()
    assert shown.change(["true", "false"]) == ["false", "true"]
    assert shown.change([], ["true", "false"]) == []


def test_without_proofs_everything_is_shown():
    """The bound of a change."""
    shown = Shown()
    assert shown.change(["price > 1", "price > 2"], proofs_max=0) == ["price > 1", "price > 2"]
    assert shown.change(["price > 3"], proofs_max=1) == ["price > 1", "price > 2"]


def test_of_many_shown_texts_only_the_oldest_are_pushed_aside():
    """The bound of one text."""
    shown = Shown()
    count = COVERED_CANDIDATES_MAX + 20
    shown.change([f"price == {number}" for number in range(count)])
    assert len(shown.change(["price >= 0"])) == 21
    assert len(shown.change([], ["price >= 0"])) == count


@pytest.mark.parametrize("seed", range(4))
def test_nothing_shown_is_covered_by_anything_shown(seed):
    """On small sets the search is complete, whatever came and went."""
    bulk = Bulk(Streams(seed)("covering"))
    shown, inside = Shown(), {}
    for _ in range(25):
        added = {text: None for text in (format_filter(bulk.narrow()) for _ in range(3)) if text not in inside}
        inside |= added
        removed = [text for text in inside if bulk.random.random() < 0.1]
        shown.change(added, removed)
        for text in removed:
            del inside[text]
        assert set(shown.texts) <= set(inside)
        for text in inside:
            if text not in shown.texts:
                assert any(covers(parsed(cover), parsed(text)) for cover in shown.texts)
        known = {text: covering._facts(text) for text in shown.texts}
        for text, facts in known.items():
            if facts.corners:
                assert not any(other != text and covers(known[other].wish, facts.wish) for other in known)
