"""What is told wants exactly what was added, in whatever order texts came and went."""

import pytest

from matching.bulk import Bulk
from tidings.matching.aggregate import Aggregate
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.filter_text import format_filter
from tidings.vocabulary.streams import Streams

KINDS = [{"covering": covering, "merging": merging} for covering in (False, True) for merging in (False, True)]


def wanted(texts, events: list[Event]) -> list[bool]:
    """Which events at least one of the texts wants."""
    wishes = [parsed(text) for text in texts]
    return [any(holds(wish, event) for wish in wishes) for event in events]


class Neighbour:
    """Knows what it was told, and complains about nonsense."""

    def __init__(self) -> None:
        self.texts: set[str] = set()

    def hear(self, difference) -> None:
        """Note what is announced and withdrawn."""
        announced, withdrawn = difference
        assert list(announced) == sorted(set(announced))
        assert list(withdrawn) == sorted(set(withdrawn))
        assert not self.texts & set(announced)
        assert self.texts >= set(withdrawn)
        self.texts = self.texts - set(withdrawn) | set(announced)


def test_a_text_is_told_once_and_withdrawn_with_its_last_source():
    """Counts, not sets: two neighbours may want the same."""
    aggregate = Aggregate()
    assert aggregate.change(["price > 1", "price > 1"], []) == (("price > 1",), ())
    assert aggregate.change([], ["price > 1"]) == ((), ())
    assert aggregate.change([], ["price > 1"]) == ((), ("price > 1",))
    assert aggregate.announced == ()


def test_a_change_counts_in_before_it_counts_out():
    """A text that moves from one source to another is not told anew."""
    aggregate = Aggregate()
    aggregate.change(["price > 1"], [])
    assert aggregate.change(["price > 1"], ["price > 1"]) == ((), ())
    assert aggregate.change(["price > 2"], ["price > 1"]) == (("price > 2",), ("price > 1",))


def test_too_many_removals_are_refused_and_change_nothing():
    """The caller has lost count."""
    aggregate = Aggregate()
    aggregate.change(["price > 1"], [])
    with pytest.raises(ValueError, match="removed more often than added: price > 2"):
        aggregate.change(["price > 3"], ["price > 1", "price > 2"])
    assert aggregate.announced == ("price > 1",)
    assert aggregate.change([], ["price > 1"]) == ((), ("price > 1",))


def test_covered_texts_hide_and_come_back():
    """Behind the wide one, whichever came first."""
    aggregate = Aggregate()
    assert aggregate.change(["price > 2"], []) == (("price > 2",), ())
    assert aggregate.change(["price > 1"], []) == (("price > 1",), ("price > 2",))
    assert aggregate.change(["price > 3"], []) == ((), ())
    assert aggregate.change([], ["price > 1"]) == (("price > 2",), ("price > 1",))
    assert aggregate.change([], ["price > 3"]) == ((), ())
    assert aggregate.announced == ("price > 2",)


def test_without_covering_everything_is_told():
    """The plain way."""
    aggregate = Aggregate(covering=False)
    assert aggregate.change(["price > 1", "price > 2"], []) == (("price > 1", "price > 2"), ())


def test_merged_texts_replace_their_parts():
    """Ranges that touch, and lists."""
    aggregate = Aggregate(merging=True)
    aggregate.change(['topic == "a"', "price < 1"], [])
    assert aggregate.change(['topic == "b"'], []) == (('topic in ("a", "b")',), ('topic == "a"',))
    assert aggregate.change([], ['topic == "a"']) == (('topic == "b"',), ('topic in ("a", "b")',))


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_told_wants_exactly_what_was_added(kind, seed):
    """After every change of a random walk, on random events; nothing is left in the end."""
    bulk = Bulk(Streams(seed)("aggregate"))
    aggregate, neighbour = Aggregate(**kind), Neighbour()
    inside: list[str] = []
    for _ in range(40):
        added = [format_filter(bulk.narrow()) for _ in range(int(bulk.random.integers(0, 6)))]
        inside += added
        removed = [inside.pop(int(bulk.random.integers(len(inside)))) for _ in range(min(len(inside), 2))]
        neighbour.hear(aggregate.change(added, removed))
        assert aggregate.announced == tuple(sorted(neighbour.texts))
        events = bulk.events(30)
        assert wanted(inside, events) == wanted(neighbour.texts, events)
    neighbour.hear(aggregate.change([], inside))
    assert neighbour.texts == set()
    assert aggregate.change([], []) == ((), ())


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_any_order_means_the_same(kind):
    """Texts may be told differently after different histories; what they want is the same."""
    bulk = Bulk(Streams(5)("orders"))
    texts = [format_filter(bulk.narrow()) for _ in range(60)]
    passing = [format_filter(bulk.narrow()) for _ in range(30)]
    events = bulk.events(300)
    for _ in range(4):
        aggregate = Aggregate(**kind)
        aggregate.change(passing, [])
        for place in bulk.random.permutation(len(texts)):
            aggregate.change([texts[place]], [])
        for place in bulk.random.permutation(len(passing)):
            aggregate.change([], [passing[place]])
        assert wanted(aggregate.announced, events) == wanted(texts, events)
        known = aggregate.announced
        assert aggregate.change([], texts) == ((), known)


def test_covering_tells_less():
    """A table of nested ranges shrinks to its widest."""
    texts = [f"price between {low} and {100 - low}" for low in range(50)]
    assert Aggregate().change(texts, [])[0] == ("price between 0 and 100",)
