"""Orders of stages: least depth on small graphs, few crossings between sites, and circles refused."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ordering.shapes import from_edges, graphs
from ordering.test_depth_bound import least_depth
from ordering.test_elimination import named
from tidings.errors import InputError
from tidings.ordering.depth_bound import depth_bound
from tidings.ordering.elimination import StageGraph, eliminate
from tidings.ordering.orders import pieces
from tidings.ordering.precedence import (
    Climb,
    by_identifier,
    by_relation,
    by_site,
    crossings_of,
    improved,
    shallow,
    way,
)


def climbs_of(graph, weights):
    """One kind of request for each stage, which needs all that the stage overlaps with."""
    return [
        Climb(place, mask, weight) for place, (mask, weight) in enumerate(zip(graph.neighbours, weights, strict=True))
    ]


def crossings(graph, order, sites, climbs):
    """Messages between sites, weighed."""
    tree = eliminate(graph, order)
    return sum(climb.weight * crossings_of([sites[stage] for stage in way(tree, graph, climb)]) for climb in climbs)


@given(graphs(5))
def test_shallow_is_least_on_small_graphs(neighbours):
    """Where every order is tried: the true least depth, and so not below the bound."""
    graph = named(neighbours)
    assert depth_bound(neighbours) <= least_depth(neighbours) == eliminate(graph, shallow(graph)).depth


def test_shallow_finds_the_least_depth_of_most_larger_graphs():
    """200 graphs of seven to nine stages: at least 19 of 20 exact, never more than one too deep."""
    rng = np.random.default_rng(7)
    above = []
    for _ in range(200):
        size, share = int(rng.integers(7, 10)), rng.random()
        neighbours = from_edges(size, [pair for pair in combinations(range(size), 2) if rng.random() < share])
        graph = named(neighbours)
        above.append(eliminate(graph, shallow(graph)).depth - least_depth(neighbours))
    assert min(above) == 0
    assert max(above) <= 1
    assert above.count(0) >= 190


@given(graphs(9), st.lists(st.integers(0, 9), min_size=9, max_size=9))
def test_among_equally_deep_orders_requests_take_few_steps(neighbours, weights):
    """The search ends where moving one stage to another rank helps no more."""
    graph = named(neighbours)
    assume(len(pieces(neighbours, (1 << len(neighbours)) - 1)) == 1)
    climbs = climbs_of(graph, weights[: len(neighbours)])

    def cost(order):
        tree = eliminate(graph, order)
        return tree.depth, sum(climb.weight * (len(way(tree, graph, climb)) - 1) for climb in climbs)

    order = shallow(graph, climbs)
    assert sorted(order) == sorted(graph.stages)
    for stage in order:
        rest = [other for other in order if other != stage]
        for rank in range(len(order)):
            assert cost((*rest[:rank], stage, *rest[rank:])) >= cost(order)


def test_the_heavier_of_two_stays_on_top():
    """Two stages that overlap: the one with more requests is the root."""
    graph = named([0b10, 0b01])
    assert shallow(graph, climbs_of(graph, [1, 5])) == ("g1", "g0")
    assert shallow(graph, climbs_of(graph, [5, 1])) == ("g0", "g1")


@given(
    graphs(6),
    st.lists(st.sampled_from("xyz"), min_size=6, max_size=6),
    st.lists(st.integers(1, 9), min_size=6, max_size=6),
)
def test_by_site_crosses_no_more_than_shallow(neighbours, homes, weights):
    """It names every stage once, and is never worse between sites than the order that looks at depth alone."""
    graph = named(neighbours)
    sites = dict(zip(graph.stages, homes, strict=False))
    climbs = climbs_of(graph, weights[: len(neighbours)])
    order = by_site(graph, sites, climbs)
    assert sorted(order) == sorted(graph.stages)
    assert crossings(graph, order, sites, climbs) <= crossings(graph, shallow(graph, climbs), sites, climbs)


@given(
    graphs(4),
    st.lists(st.sampled_from("xyz"), min_size=4, max_size=4),
    st.lists(st.integers(1, 9), min_size=4, max_size=4),
)
def test_by_site_has_the_fewest_crossings_of_few_stages(neighbours, homes, weights):
    """Against all orders."""
    graph = named(neighbours)
    sites = dict(zip(graph.stages, homes, strict=False))
    climbs = climbs_of(graph, weights[: len(neighbours)])
    fewest = min(crossings(graph, order, sites, climbs) for order in permutations(graph.stages))
    assert crossings(graph, by_site(graph, sites, climbs), sites, climbs) == fewest


def test_what_is_rare_climbs_to_what_is_busy():
    """A rare stage that overlaps with two busy ones of other sites stands below both: their requests stay at home."""
    graph = named(from_edges(3, [(0, 1), (0, 2)]))
    sites, climbs = {"g0": "a", "g1": "b", "g2": "c"}, climbs_of(graph, [1, 100, 100])
    order = by_site(graph, sites, climbs)
    assert order[-1] == "g0"
    assert crossings(graph, order, sites, climbs) == 3
    assert eliminate(graph, order).depth == 3
    assert shallow(graph, climbs)[0] == "g0"


def test_what_ties_sites_together_can_be_on_top():
    """More stages than are searched: two sites of ten in a row, tied by one overlap; the rest stays inside its site."""
    rows = [(10 * site + place, 10 * site + place + 1) for site in range(2) for place in range(9)]
    graph = named(from_edges(20, [*rows, (4, 15)]))
    sites = {stage: "ab"[place // 10] for place, stage in enumerate(graph.stages)}
    climbs = climbs_of(graph, [1] * 20)
    order = by_site(graph, sites, climbs)
    assert crossings(graph, order, sites, climbs) <= 2
    assert eliminate(graph, order).depth <= 7


def test_identifiers_rank_stages_by_their_first_topic():
    """t2 before t10; the order of naming says nothing."""
    assert by_identifier({"x": ("t10", "t11"), "y": ("t30", "t2")}) == ("y", "x")


def test_a_relation_is_kept():
    """Pairs stand in their order, everything else as given."""
    assert by_relation(("a", "b", "c", "d"), [("d", "a"), ("c", "d")]) == ("b", "c", "d", "a")
    assert by_relation(("a", "b"), []) == ("a", "b")


@pytest.mark.parametrize(
    ("above", "says"),
    [
        ([("a", "b"), ("b", "c"), ("c", "a")], "circle: a above b above c above a|circle: b above c above a above b"),
        ([("a", "a")], "circle: a above a"),
        ([("a", "x")], "names x, which is no stage"),
    ],
)
def test_a_relation_without_an_order_is_refused(above, says):
    """A circle is shown, in the direction in which it was given."""
    with pytest.raises(InputError, match=says):
        by_relation(("a", "b", "c"), above)


def test_ways_end_at_the_highest_stage_needed():
    """Through every ancestor, needed or not."""
    graph = named(from_edges(4, [(0, 3), (1, 3), (1, 2)]))
    tree = eliminate(graph, graph.stages)
    assert way(tree, graph, Climb(3, 0b0001, 1)) == ["g3", "g1", "g0"]
    assert way(tree, graph, Climb(3, 0b0010, 1)) == ["g3", "g1"]
    assert way(tree, graph, Climb(1, 0b1100, 1)) == ["g1"]


@pytest.mark.parametrize(("sites", "count"), [("a", 0), ("aa", 0), ("ab", 2), ("aba", 2), ("abc", 3), ("aab", 2)])
def test_crossings_count_the_way_back(sites, count):
    """The completed timestamp returns from the highest stage to the first."""
    assert crossings_of(sites) == count


def test_no_stages_have_no_order():
    """An empty graph."""
    assert shallow(StageGraph((), ())) == by_site(StageGraph((), ()), {}) == ()


def test_moving_one_at_a_time_ends_where_no_move_helps():
    """Against every single move from where it ended; the start is never cheaper."""
    cost = {name: weight for weight, name in enumerate(("c", "a", "d", "b", "e"))}

    def disorder(order):
        return (sum(cost[one] > cost[other] for place, one in enumerate(order) for other in order[place:]),)

    found = improved(("a", "b", "c", "d", "e"), disorder)
    assert found == ("c", "a", "d", "b", "e")
    assert improved(found, disorder) == found
