"""Shares of publications by topic and site."""

import math

import pytest

from tidings.errors import InputError
from tidings.ordering.traffic import Traffic, traffic_of


def test_weights_become_shares():
    """Of everything together; sites in the order of their identifiers, topics as given; absent ones have none."""
    traffic = traffic_of(("t1", "t2", "t3"), {"t2": {"s10": 1, "s2": 2}, "t1": {"s10": 1}})
    assert traffic == Traffic(("s2", "s10"), ((0.0, 0.25), (0.5, 0.25), (0.0, 0.0)))
    assert traffic.totals == (0.25, 0.75, 0.0)
    assert traffic.homes == (1, 0, 0)
    assert traffic.heaviest((0, 2)) == 1
    assert traffic.heaviest((0, 1)) == 0


@pytest.mark.parametrize("popularity", [None, {}, {"a": {"x": 0.0}}])
def test_without_weights_all_topics_are_alike(popularity):
    """And sites are not told apart."""
    traffic = traffic_of(("a", "b", "c", "d"), popularity)
    assert traffic.sites == ("",)
    assert traffic.totals == (0.25,) * 4
    assert traffic.homes == (0,) * 4


def test_no_topics_have_no_traffic():
    """Nothing to share."""
    assert traffic_of((), None) == Traffic(("",), ())


@pytest.mark.parametrize("weight", [-1, math.nan, math.inf])
def test_weights_are_numbers_from_zero(weight):
    """Anything else names topic and site."""
    with pytest.raises(InputError, match="popularity of a at 'x' is"):
        traffic_of(("a",), {"a": {"x": weight}})


def test_unknown_topics_are_named():
    """A popularity for nothing is a mistake."""
    with pytest.raises(InputError, match="given for b, which is not among the 1 topics"):
        traffic_of(("a",), {"b": {"x": 1}})
