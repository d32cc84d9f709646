"""Every pair against the reference order, once for each sequence, however it is found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checking.histories import history_of, pairs_of, sequences, showings_only, shown
from tidings.checking.reversed_pairs import reference_ranks, reversed_pairs, spread

permutations = st.lists(st.integers(0, 40).flatmap(lambda size: st.permutations(range(size))), max_size=6)


def flat(orders):
    """Sequence numbers and ranks, as the function takes them."""
    numbers = np.repeat(np.arange(len(orders)), [len(order) for order in orders])
    return numbers, np.array([rank for order in orders for rank in order], np.int64)


def naive(orders):
    """The pairs, sorted."""
    return sorted((low, high) for order in orders for high, low in pairs_of(order) if high > low)


@given(permutations)
def test_agrees_with_all_pairs(orders):
    """Sequences of any lengths at once, powers of two or not."""
    lower, higher = reversed_pairs(*flat(orders), limit=10**6)
    assert sorted(zip(lower.tolist(), higher.tolist(), strict=True)) == naive(orders)


@given(permutations)
def test_the_limit_is_exact(orders):
    """As many as allowed are given, one more is refused."""
    count = len(naive(orders))
    assert reversed_pairs(*flat(orders), limit=count) is not None
    if count:
        assert reversed_pairs(*flat(orders), limit=count - 1) is None


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33])
def test_all_reversed_and_none(size):
    """The extremes, around powers of two."""
    assert len(reversed_pairs(*flat([range(size)]), limit=10**6)[0]) == 0
    assert len(reversed_pairs(*flat([range(size)[::-1]]), limit=10**6)[0]) == size * (size - 1) // 2


@given(sequences)
def test_the_reference_is_one_order_of_all_events(orders):
    """Every event has a place of its own."""
    history = showings_only(*orders)
    assert sorted(reference_ranks(history)) == list(range(len(history.events)))


def test_one_straggler_does_not_move_an_event():
    """Event 0 comes late to one of three; the order of the other two stands."""
    late = [*shown("s2", 1, at=1_001), *shown("s2", 0, at=9_000)]
    late[1]["position"] = 1
    history = history_of(deliveries=[*shown("s0", 0, 1), *shown("s1", 0, 1), *late])
    assert reference_ranks(history).tolist() == [0, 1]


def test_spread_counts_up_from_each_beginning():
    """Empty stretches vanish."""
    assert spread(np.array([5, 9, 1]), np.array([2, 0, 3])).tolist() == [5, 6, 1, 2, 3]
