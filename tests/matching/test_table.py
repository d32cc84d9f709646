"""A table answers like the filters in it."""

import numpy as np
import pytest

from matching.bulk import Bulk, differences
from tidings.matching.limits import ATTRIBUTES_MAX
from tidings.matching.linear import LinearMatcher
from tidings.matching.table import Table
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import Among, And, Between, Compare, Everything, Nothing, Or, StartsWith, holds
from tidings.vocabulary.streams import Streams


def answers(table: Table, wishes: dict, events) -> None:
    """Equal to those of the plain matcher."""
    plain = LinearMatcher()
    plain.add_many(wishes.items())
    found = table.find(events, lambda key, event: holds(wishes[key], event))
    assert differences(plain.match(events), found) == []


def event(**attributes) -> Event:
    """On a topic of no interest."""
    return Event(0, "p", "t", 0, attributes)


def test_a_table_without_attributes():
    """Everything, nothing, and filters that are too large for slots."""
    pairs = And(tuple(Or((Compare(f"a{number}", "<", 1), Compare(f"b{number}", ">", 9))) for number in range(10)))
    wishes = {1: Everything(), 2: Nothing(), 4: pairs}
    table = Table(wishes.items())
    values = {f"a{number}": 0 for number in range(10)}
    answers(table, wishes, [event(), event(**values)])
    assert [keys.tolist() for keys in table.find([event(**values)], lambda _key, _event: True)] == [[1, 4]]


def test_an_empty_table_takes_filters():
    """It starts with nothing."""
    table = Table([])
    assert table.find([event()], lambda _key, _event: True)[0].tolist() == []
    wishes = {5: Compare("x", "==", 1)}
    assert table.insert(wishes.items())
    answers(table, wishes, [event(x=1), event(x=2), event()])


def test_attributes_beyond_the_bound_are_decided_by_the_filter():
    """Also those that come later."""
    wishes = {
        number: And((Compare("x", ">", number), Compare(f"y{number}", "==", "z")))
        for number in range(ATTRIBUTES_MAX + 9)
    }
    table = Table(wishes.items())
    newcomer = {1_000: And((Among("set", ("s", "t")), StartsWith("new", "n"), Compare("other", "==", "o")))}
    assert table.insert(newcomer.items())
    wishes |= newcomer
    events = [event(x=20, **{f"y{number}": "z"}) for number in wishes]
    answers(
        table,
        wishes,
        [*events, event(set="s", new="nn", other="o"), event(set="s", new="nn"), event(set="u", new="nn", other="o")],
    )


@pytest.mark.parametrize("seed", range(2))
def test_insertions_and_removals(seed):
    """Slots are used again, small tables say when they are full, large ones grow."""
    bulk = Bulk(Streams(seed)("table"))
    wishes = dict(enumerate(bulk.wishes(300)))
    table = Table(wishes.items())
    for step in range(12):
        gone = [key for key in wishes if bulk.random.random() < 0.2]
        table.remove(gone)
        for key in gone:
            del wishes[key]
        fresh = {10_000 * (step + 1) + key: wish for key, wish in enumerate(bulk.wishes(60))}
        wishes |= fresh
        if not table.insert(fresh.items()):
            table = Table(wishes.items())
        answers(table, wishes, bulk.events(40))


def test_a_large_table_doubles():
    """Blocks are added when slots run out."""
    wishes = {key: Between("x", float(key), float(key + 3)) for key in range(4_000)}
    table = Table(wishes.items())
    fresh = {key: Between("x", float(key), float(key + 3)) for key in range(4_000, 15_000)}
    assert table.insert(fresh.items())
    assert table.inserted == 11_000
    wishes |= fresh
    answers(table, wishes, [event(x=value) for value in (-1, 2, 3_999.5, 4_000, 14_999, 20_000)])


def test_a_small_table_does_not_grow():
    """It is cheaper to make a new one."""
    table = Table({0: Everything()}.items())
    assert not table.insert({key: Everything() for key in range(1, 1_000)}.items())
    assert table.find([event()], lambda _key, _event: True)[0].tolist() == [0]


def test_strings_without_room_need_a_new_table():
    """Labels between two neighbours run out."""
    table = Table([(0, Compare("x", "==", "a")), (1, Compare("x", "==", "c"))])
    text, key = "b", 2
    while table.insert([(key, Compare("x", "==", text))]):
        text, key = f"{text}b", key + 1
        assert key < 100
    assert table.find([event(x="a"), event(x=text[:-1]), event(x=text)], lambda _key, _event: True)[1].tolist() == [
        key - 1
    ]


def test_matches_come_in_portions_when_there_are_many():
    """More pairs than there is room for."""
    wishes = {key: Compare("x", ">", key % 7) for key in range(6_000)}
    table = Table(wishes.items(), pairs_max=1)
    assert table._out[0].size == 4_096
    answers(table, wishes, [event(x=value) for value in range(9)])


def test_answers_are_ascending_though_slots_are_not():
    """And a key with several slots comes once."""
    either = Or((And((Compare("x", ">", 1), Compare("y", ">", 1))), And((Compare("x", ">", 0), Compare("z", ">", 1)))))
    wishes = {key: either if key % 3 else Between("x", float(-key), float(key)) for key in range(500)}
    table = Table(wishes.items())
    (keys,) = table.find([event(x=2.5, y=2, z=2)], lambda _key, _event: True)
    assert (np.diff(keys) > 0).all()
    answers(table, wishes, [event(x=2.5, y=2, z=2), event(x=0.5, z=2)])
