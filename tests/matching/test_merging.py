"""Texts that adjoin become one, and want the same."""

import pytest

from matching.bulk import Bulk
from tidings.matching.limits import MERGE_CANDIDATES_MAX
from tidings.matching.merging import MergeStage
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.filter_text import format_filter
from tidings.vocabulary.streams import Streams


class Behind:
    """A stage and what has come out of it."""

    def __init__(self, rank: int = 0) -> None:
        self.stage = MergeStage(rank)
        self.texts: dict[str, None] = {}

    def change(self, added, removed=()) -> list[str]:
        """What is told afterwards, sorted."""
        changes = [*((text, True) for text in added), *((text, False) for text in removed)]
        for text, comes in self.stage.change(iter(changes)):
            assert comes != (text in self.texts)
            if comes:
                self.texts[text] = None
            else:
                del self.texts[text]
        return sorted(self.texts)


@pytest.mark.parametrize(
    ("parts", "merged"),
    [
        (["price between 1 and 2", "price between 2 and 5"], ["price between 1 and 5"]),
        (["price < 1", "price between 1 and 5"], ["price <= 5"]),
        (["price > 5", "price >= 3 and price <= 5"], ["price >= 3"]),
        (["price between 1 and 9", "price between 2 and 5"], ["price between 1 and 9"]),
        (["price < 1", "price > 1"], ["price < 1", "price > 1"]),
        (["price < 1", "price >= 1"], ["price < 1", "price >= 1"]),
        (["price > 1", "price > 2", "price < 0"], ["price < 0", "price > 1"]),
        (['side == "a"', 'side in ("b", "c")'], ['side in ("a", "b", "c")']),
        (["side == 1", "side == 2"], ["side in (1, 2)"]),
        (["side == 1", 'side == "a"'], ['side == "a"', "side == 1"]),
        (['side < "b"', 'side startswith "b"'], ['side < "c"']),
        (["a == 1 and b == 1", "a == 2 and b == 1"], ["a in (1, 2) and b == 1"]),
        (["a == 1 and b == 1", "a == 1 and b == 2"], ["a == 1 and b == 1", "a == 1 and b == 2"]),
        (["a == 1 and not b == 1", "a == 2 and not b == 1"], ["a in (1, 2) and not b == 1"]),
        (["not a == 1", "not a == 2"], ["not a == 1", "not a == 2"]),
        (["a != 1", "a != 2"], ["a != 1", "a != 2"]),
        (["a == true", "a == false"], ["a == false", "a == true"]),
        (["exists(a)", "a == 1"], ["a == 1", "exists(a)"]),
        (["a == 1 and (a == 2 or b == 1)", "a == 3"], ["a == 1 and (a == 2 or b == 1)", "a == 3"]),
        (["true", "false"], ["false", "true"]),
        (['topic matches "x/+/y"', 'topic == "z"'], ['topic == "z"', 'topic matches "x/+/y"']),
    ],
)
def test_what_adjoins_is_merged_and_nothing_else(parts, merged):
    """And comes apart again."""
    canonical = [format_filter(parsed(text)) for text in parts]
    wanted = sorted(format_filter(parsed(text)) for text in merged)
    behind = Behind()
    assert behind.change(canonical) == wanted
    assert behind.change([], canonical[:1]) == sorted(canonical[1:]) or len(parts) > 2
    assert behind.change([], canonical[1:]) == []
    assert behind.stage._members == {}


def test_the_second_stage_looks_at_the_second_attribute():
    """By name, `topic` last; texts with fewer attributes pass."""
    parts = ['a == 1 and topic == "x"', 'a == 1 and topic == "y"', "a == 2"]
    assert Behind(1).change(parts) == sorted(['a == 1 and topic in ("x", "y")', "a == 2"])


def test_true_and_false_within_a_text_are_no_attributes():
    """Canonical texts have none; others do no harm."""
    texts = ["a == 1 and (b == 1 or not true)", "a == 2 and (b == 1 or not true)"]
    assert Behind().change(texts) == ["a in (1, 2) and b == 1"]


def test_those_beyond_the_bound_stay_apart():
    """Correct, and only more than necessary."""
    count = MERGE_CANDIDATES_MAX + 5
    told = Behind().change([f"price == {number}" for number in range(count)])
    assert len(told) == 6


@pytest.mark.parametrize("rank", [0, 1])
def test_what_is_told_wants_the_same(rank):
    """A random walk, on random events."""
    bulk = Bulk(Streams(rank)("merging"))
    behind, inside = Behind(rank), {}
    for _ in range(40):
        added = {text: None for text in (format_filter(bulk.narrow()) for _ in range(3)) if text not in inside}
        inside |= added
        removed = [text for text in inside if bulk.random.random() < 0.1]
        behind.change(added, removed)
        for text in removed:
            del inside[text]
        for event in bulk.events(30):
            wanted = [any(holds(parsed(text), event) for text in texts) for texts in (inside, behind.texts)]
            assert wanted[0] == wanted[1]
    assert behind.change([], inside) == []
