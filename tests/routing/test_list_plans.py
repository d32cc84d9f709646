"""Lists of all brokers from one picture: those of the recursion, by publisher and what is left of its deadlines."""

import numpy as np
import pytest

from tidings.routing.expectations import expect, lattice, shortest_delays
from tidings.routing.link_quality import LinkQuality
from tidings.routing.list_plans import PICTURES_MAX, ListPlans

NAMES = "abcdef"
MS = 1_000_000


def drawn(seed):
    """Links of a random graph of six brokers."""
    dice = np.random.default_rng(seed)
    links = {}
    for place, one in enumerate(NAMES):
        for other in NAMES[place + 1 :]:
            if dice.random() < 0.6 or ord(other) == ord(one) + 1:
                quality = LinkQuality(1e6 * float(dice.integers(10, 50)), float(dice.uniform(0.7, 1)))
                links[one, other] = links[other, one] = quality
    return links


@pytest.mark.parametrize("seed", range(6))
def test_lists_are_those_of_the_recursion(seed):
    """For every broker, one destination at a time by hand."""
    links, deadlines = drawn(seed), {"p": {"c": 90 * MS, "e": 120 * MS, "f": 200 * MS}}
    picture = ListPlans(NAMES, deadlines, 1).picture(links)
    net = lattice(NAMES, links)
    spent = shortest_delays(net, [0])[0]
    for name, deadline in deadlines["p"].items():
        found = expect(net, [NAMES.index(name)], np.maximum(deadline - spent, 0)[None])
        lists = picture.lists("a", "p", name)
        for place, here in enumerate(NAMES):
            expected = tuple(NAMES[one] for one in found.order[0, place].tolist() if one >= 0)
            assert lists.order(here, name) == expected
            if expected:
                assert lists.delay_ns(here, name) == pytest.approx(float(found.delays_ns[0, place]), rel=1e-3)


def test_without_a_deadline_all_with_a_way_are_listed():
    """Whoever publishes, the lists are the same."""
    links = drawn(1)
    picture = ListPlans(NAMES, {"p": {"b": 1}}, 1).picture(links)
    lists = picture.lists("a", "q", "f")
    assert lists is picture.lists("b", "p", "f")
    for here in "abcde":
        assert set(lists.order(here, "f")) == {there for one, there in links if one == here}


def test_worked_out_once_for_all_destinations_of_a_publisher():
    """And its broker."""
    picture = ListPlans(NAMES, {"p": {"b": 99, "c": 99}}, 1).picture(drawn(2))
    assert picture.lists("a", "p", "b") is picture.lists("a", "p", "c")
    assert picture.lists("d", "p", "c") is not picture.lists("a", "p", "c")


def test_equal_links_give_one_picture_and_only_the_last_few_are_kept():
    """Brokers that believe the same share what is worked out."""
    plans = ListPlans(NAMES, {}, 2)
    first = plans.picture(drawn(0))
    assert plans.picture(drawn(0)) is first
    for seed in range(1, PICTURES_MAX + 1):
        plans.picture(drawn(seed))
    assert plans.picture(drawn(0)) is not first


def test_shortest_delays_are_at_hand():
    """Infinite where there is no way."""
    links = {("a", "b"): LinkQuality(5.0, 1.0), ("b", "a"): LinkQuality(5.0, 1.0)}
    picture = ListPlans("abc", {}, 1).picture(links)
    assert picture.shortest_ns("a", "b") == 5
    assert picture.shortest_ns("a", "c") == float("inf")
