"""Pairs shown in opposite orders, exactly, among two subscribers and among many."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checking import twin
from checking.histories import history_of, rows_of_runs, sequences, showings_only
from tidings.checking.pairwise_order import order_conflicts


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        ([], 0),
        ([[0, 1, 2]], 0),
        ([[0, 1, 2], [0, 1, 2]], 0),
        ([[0, 1, 2], [2, 1, 0]], 3),
        ([[0, 1], [1, 2], [2, 0]], 0),
        ([[0, 1], [1, 0], [0, 1]], 1),
        ([[0, 1, 2, 3], [0, 2, 1, 3]], 1),
        ([[2, 1, 0], [2, 1, 0]], 0),
        ([[0, 1], [2, 3]], 0),
    ],
)
def test_planted_conflicts_are_counted(orders, expected):
    """Only common events can conflict; a cycle of three is no conflict."""
    assert order_conflicts(showings_only(*orders)) == (expected, True)


@pytest.mark.parametrize("subscribers", [63, 64, 65, 130])
def test_one_dissenter_among_many(subscribers):
    """The subscribers are compared in groups; whoever dissents, in whatever group, is found."""
    for dissenter in (0, subscribers // 2, subscribers - 1):
        orders = [[0, 1, 2]] * subscribers
        orders[dissenter] = [1, 0, 2]
        assert order_conflicts(showings_only(*orders)) == (1, True)


def test_many_events_and_one_exchange():
    """A long common order with one pair of neighbours exchanged in one of three."""
    order = list(range(2_000))
    other = [*order[:700], 701, 700, *order[702:]]
    assert order_conflicts(showings_only(order, other, order)) == (1, True)


@given(sequences)
def test_agrees_with_the_twin_on_orders(orders):
    """All sequences over few events: many conflicts."""
    deliveries = {f"s{index}": order for index, order in enumerate(orders)}
    rows = {"deliveries": [], "interests": [], "publications": []}
    history = showings_only(*orders)
    for subscriber, order in deliveries.items():
        rows["deliveries"] += [
            {"subscriber": subscriber, "event": event, "position": place, "incarnation": 0, "out_of_order": False}
            for place, event in enumerate(order)
        ]
    assert order_conflicts(history) == (twin.conflicts(rows), True)


@given(rows_of_runs())
def test_agrees_with_the_twin_on_runs(rows):
    """With duplicates, tags and restarts."""
    assert order_conflicts(history_of(**rows)) == (twin.conflicts(rows), True)


@given(sequences, st.integers(0, 10))
def test_a_cap_gives_a_lower_bound_and_says_so(orders, cap):
    """Never more than there are; exact when the cap was not met."""
    history = showings_only(*orders)
    whole = order_conflicts(history)
    capped = order_conflicts(history, pairs_max=cap)
    assert capped.pairs <= whole.pairs
    assert capped == whole or not capped.exact


def test_a_cap_still_finds_conflicts():
    """The beginning is compared exactly."""
    shuffled = list(range(64))
    random.Random(1).shuffle(shuffled)
    found = order_conflicts(showings_only(range(64), shuffled, range(64)), pairs_max=200)
    assert 0 < found.pairs <= 200
    assert not found.exact
