"""Pairs of events and keys, whichever way the words are gone through."""

import numpy as np
import pytest

from tidings.matching.search import KEY_BITS, NO_PAIR, find_pairs
from tidings.matching.table import Table
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import And, Between, Matches, holds
from tidings.vocabulary.streams import Streams

AXES = "abcdefg"


def crowd(count: int, width: float, axes: str):
    """Ranges on some axes, every tenth with a doubtful pattern."""
    random = Streams(count)(f"crowd {width} {axes}")
    wishes = []
    for key in range(count):
        terms = [
            Between(axis, float(low), float(low + width))
            for axis, low in zip(axes, random.random(len(axes)), strict=True)
        ]
        wishes.append(And((*terms, Matches("note", "a/+/b"))) if key % 10 == 0 else And(tuple(terms)))
    events = [
        Event(
            0,
            "p",
            "t",
            0,
            {"note": "a/x/b" if event % 2 else "a/x/c"}
            | dict(zip(axes, random.random(len(axes)).tolist(), strict=True)),
        )
        for event in range(24)
    ]
    return wishes, events


def pairs_in_portions(table: Table, events, room: int):
    """What is found, and what of it is doubtful."""
    columns = table.encoder.encode(events)
    out = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64), np.empty(1)
    place, certain, doubtful, portions = (0, 0), set(), set(), 0
    while place[0] < table._gate.shape[0]:
        found, unsure, *place = find_pairs(table._bits, table._state, table.slots.key_of, columns, tuple(place), out)
        asked = set(out[1][:unsure].tolist())
        for at, pair in enumerate(out[0][:found].tolist()):
            if pair != NO_PAIR:
                (doubtful if at in asked else certain).add(divmod(pair, 1 << KEY_BITS))
        assert all(out[0][at] != NO_PAIR for at in asked)
        portions += 1
    return certain, doubtful, portions


@pytest.mark.parametrize(
    ("count", "width", "axes"),
    [(40, 0.5, "a"), (700, 0.3, "ab"), (5_000, 0.2, "abc"), (5_000, 0.9, "abcde"), (6_000, 0.02, AXES)],
)
def test_certain_pairs_hold_and_no_pair_is_missing(count, width, axes):
    """Many words and few, one attribute and more than four."""
    wishes, events = crowd(count, width, axes)
    table = Table(enumerate(wishes))
    certain, doubtful, portions = pairs_in_portions(table, events, 1 << 18)
    expected = {(at, key) for at, event in enumerate(events) for key, wish in enumerate(wishes) if holds(wish, event)}
    assert portions == 1
    assert certain <= expected <= certain | doubtful
    assert all(key % 10 == 0 for _, key in doubtful)
    assert not certain & doubtful


def test_portions_add_up():
    """With room for one block of one event, the search stops and goes on."""
    wishes, events = crowd(5_000, 0.8, "ab")
    table = Table(enumerate(wishes))
    whole = pairs_in_portions(table, events, 1 << 18)
    parts = pairs_in_portions(table, events, 4_096)
    assert whole[:2] == parts[:2]
    assert parts[2] > 10


def test_slots_that_were_given_back_are_not_found():
    """The gate is shut though their bits stay."""
    wishes, events = crowd(300, 0.9, "ab")
    table = Table(enumerate(wishes))
    before, _, _ = pairs_in_portions(table, events, 1 << 18)
    table.remove(range(0, 300, 2))
    after, doubtful, _ = pairs_in_portions(table, events, 1 << 18)
    assert {(event, key) for event, key in before if key % 2} == after
    assert not doubtful
