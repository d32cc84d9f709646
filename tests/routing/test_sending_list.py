"""Sending lists: Eq. 3 against walking through all outcomes, Theorem 1 against all orders."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidings.routing.sending_list import NEVER, Offer, best_order, expectation

OFFERS = st.lists(st.builds(Offer, st.floats(0, 1e9), st.floats(0.001, 1.0)), min_size=1, max_size=6)


def walked(offers):
    """The dumb twin: every outcome (which neighbour is the first to deliver) with its probability and its delay."""
    outcomes = []
    for place, offer in enumerate(offers):
        chance = offer.ratio * math.prod(1 - one.ratio for one in offers[:place])
        outcomes.append((chance, sum(one.delay_ns for one in offers[: place + 1])))
    ratio = sum(chance for chance, _ in outcomes)
    return Offer(sum(chance * delay for chance, delay in outcomes) / ratio, ratio)


@given(OFFERS)
def test_the_expectation_is_the_mean_over_all_outcomes(offers):
    """Eq. 3."""
    found, expected = expectation(offers), walked(offers)
    assert found.ratio == pytest.approx(expected.ratio)
    assert found.delay_ns == pytest.approx(expected.delay_ns)


@settings(max_examples=300)
@given(OFFERS)
def test_theorem_1_no_order_beats_sorting_by_d_over_r(offers):
    """Brute force over all orders: none has a smaller expected delay."""
    best = expectation([offers[place] for place in best_order(offers)])
    least = min(expectation(order).delay_ns for order in itertools.permutations(offers))
    assert best.delay_ns <= least * (1 + 1e-9)


@given(OFFERS)
def test_the_order_does_not_change_what_is_delivered(offers):
    """Only the delay depends on it."""
    best = expectation([offers[place] for place in best_order(offers)])
    assert best.ratio == pytest.approx(expectation(offers).ratio)


def test_theorem_1_minimises_the_mean_and_not_the_lateness():
    """A case where the best mean is late more often: the theorem promises the mean only."""
    sure, quick = Offer(100.0, 1.0), Offer(95.0, 0.9)
    assert best_order([sure, quick]) == [0, 1]
    deadline = 98.0
    in_time = {"by the theorem": 0.0, "quick first": quick.ratio}
    assert sure.delay_ns > deadline >= quick.delay_ns
    assert in_time["quick first"] > in_time["by the theorem"]


def test_equal_offers_keep_their_order():
    """Ties never depend on anything but the order given."""
    assert best_order([Offer(2.0, 0.5), Offer(4.0, 1.0), Offer(2.0, 0.5)]) == [0, 1, 2]


def test_what_cannot_deliver_comes_last():
    """An offer of 0 is no offer."""
    assert best_order([Offer(0.0, 0.0), Offer(9.0, 0.5)]) == [1, 0]


def test_nothing_to_try_promises_nothing():
    """No neighbour, no delivery."""
    assert expectation([]) == NEVER
    assert expectation([Offer(1.0, 0.0)]) == NEVER
