"""Cycles in the union of all orders, the ones that no pair of subscribers shows among them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checking import twin
from checking.histories import history_of, rows_of_runs, sequences, showings_only
from tidings.checking.one_order import order_cycles, shortest_cycle
from tidings.checking.pairwise_order import order_conflicts


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        ([], 0),
        ([[0, 1, 2], [0, 2], [1, 2]], 0),
        ([[0, 1], [1, 0]], 1),
        ([[0, 1], [1, 2], [2, 0]], 1),
        ([[0, 1], [1, 0], [2, 3], [3, 2]], 2),
        ([[0, 1, 2, 3], [3, 2, 1, 0]], 1),
        ([[0, 1, 2], [5, 0]], 0),
    ],
)
def test_planted_cycles_are_counted(orders, expected):
    """Sets, not cycles: what hangs together is one."""
    assert order_cycles(showings_only(*orders)) == expected


def test_three_subscribers_close_a_cycle_without_any_conflict():
    """Pairwise agreement is weaker than one order."""
    history = showings_only([0, 1], [1, 2], [2, 0])
    assert order_conflicts(history).pairs == 0
    assert shortest_cycle(history) == (0, 1, 2)


def test_the_shortest_cycle_of_the_smallest_set():
    """A set of two stands beside one of three; within one set the short way is taken."""
    assert set(shortest_cycle(showings_only([0, 1], [1, 2], [2, 0], [3, 4], [4, 3]))) == {3, 4}
    ring = [[0, 1, 2, 3, 4], [4, 0], [3, 2]]
    assert set(shortest_cycle(showings_only(*ring))) == {2, 3}


def test_no_cycle_to_show():
    """Nothing is found where one order exists."""
    assert shortest_cycle(showings_only([0, 1, 2], [0, 2])) == ()
    assert shortest_cycle(history_of()) == ()


def test_a_cycle_around_a_thousand_subscribers():
    """Each sees two neighbours; only together they contradict each other."""
    size = 1_000
    history = showings_only(*([one, (one + 1) % size] for one in range(size)))
    assert order_cycles(history) == 1
    assert shortest_cycle(history) == tuple(range(size))


@given(rows_of_runs())
def test_agrees_with_the_twin(rows):
    """On random histories."""
    assert order_cycles(history_of(**rows)) == twin.cycles(rows)


@given(sequences)
def test_what_is_shown_is_a_cycle(orders):
    """Each step stands in some subscriber's order, and the last leads back to the first."""
    history = showings_only(*orders)
    cycle = shortest_cycle(history)
    steps = {pair for order in orders for pair in itertools.pairwise(order)}
    assert bool(cycle) == bool(order_cycles(history))
    assert len(set(cycle)) == len(cycle)
    assert {(cycle[at - 1], cycle[at]) for at in range(len(cycle))} <= steps


@given(st.permutations(range(8)), st.lists(st.sets(st.integers(0, 7))))
def test_projections_of_one_order_have_no_cycle(order, receivers):
    """However few events each subscriber is shown."""
    orders = [[event for event in order if event in mine] for mine in receivers]
    assert order_cycles(showings_only(*orders)) == 0
