"""Whole ways: against all simple paths of small graphs, walked one by one."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidings.routing.link_quality import LinkQuality
from tidings.routing.ways import CANDIDATES, delay_ways, hop_ways, second_way, shortest_simple_ways

DIAMOND = {("a", "b"): 1, ("b", "d"): 1, ("a", "c"): 3, ("c", "d"): 2, ("b", "c"): 5, ("a", "d"): 9}


def both_ways(delays, ratio=0.9):
    """Directed links of these delays, each way alike."""
    links = {}
    for (one, other), delay in delays.items():
        links[one, other] = links[other, one] = LinkQuality(float(delay), ratio)
    return links


@st.composite
def graphs(draw):
    """Up to six brokers, any links, whole delays that differ enough."""
    count = draw(st.integers(2, 6))
    names = [f"b{place}" for place in range(count)]
    pairs = draw(st.lists(st.sampled_from(list(itertools.combinations(names, 2))), min_size=1, unique=True))
    delays = draw(st.lists(st.integers(1, 1000), min_size=len(pairs), max_size=len(pairs)))
    return names, both_ways(dict(zip(pairs, delays, strict=True)))


def simple_ways(names, links, origin, goal):
    """The dumb twin: every row of different brokers that the links allow, with its delay."""
    found = []
    between = [name for name in names if name not in (origin, goal)]
    for count in range(len(between) + 1):
        for middle in itertools.permutations(between, count):
            row = (origin, *middle, goal)
            hops = list(itertools.pairwise(row))
            if all(hop in links for hop in hops):
                found.append((sum(links[hop].delay_ns for hop in hops), row[1:]))
    return sorted(found)


def delay_of(links, origin, way):
    """Of all its hops."""
    return sum(links[hop].delay_ns for hop in itertools.pairwise((origin, *way)))


@given(graphs())
def test_ways_have_the_fewest_hops_or_the_least_delay(graph):
    """And lead to everybody that can be reached, nobody else."""
    names, links = graph
    hops, delays = (plan(names, links, names[0]) for plan in (hop_ways, delay_ways))
    for goal in names[1:]:
        all_ways = simple_ways(names, links, names[0], goal)
        assert (goal in hops) == (goal in delays) == bool(all_ways)
        if all_ways:
            assert len(hops[goal]) == min(len(way) for _, way in all_ways)
            assert delay_of(links, names[0], delays[goal]) == all_ways[0][0]


@given(graphs())
def test_ways_from_one_broker_form_a_tree(graph):
    """A broker is always reached by the same way, so one copy serves all behind it."""
    names, links = graph
    for plan in (hop_ways, delay_ways):
        ways = plan(names, links, names[0])
        assert all(ways[way[-2]] == way[:-1] for way in ways.values() if len(way) > 1)


@settings(max_examples=150)
@given(graphs())
def test_the_shortest_simple_ways_are_those_of_brute_force(graph):
    """As many as there are, up to five, by delay; each is a way."""
    names, links = graph
    all_ways = simple_ways(names, links, names[0], names[-1])
    found = shortest_simple_ways(names, links, names[0], names[-1])
    assert [delay_of(links, names[0], way) for way in found] == [delay for delay, _ in all_ways[:CANDIDATES]]
    assert len(set(found)) == len(found)
    assert {way for _, way in all_ways} >= set(found)


@given(graphs())
def test_the_second_way_shares_fewest_links(graph):
    """Of the candidates; of equals the shorter."""
    names, links = graph
    candidates = shortest_simple_ways(names, links, names[0], names[-1])
    if not candidates:
        return
    first = candidates[0]
    taken = set(itertools.pairwise((names[0], *first)))
    costs = [len(taken & set(itertools.pairwise((names[0], *way)))) for way in candidates[1:]]
    second = second_way(first, candidates, names[0])
    assert second == (candidates[1 + costs.index(min(costs))] if costs else None)


def test_a_diamond():
    """Worked by hand."""
    links = both_ways(DIAMOND)
    assert hop_ways("abcd", links, "a")["d"] == ("d",)
    assert delay_ways("abcd", links, "a")["d"] == ("b", "d")
    ways = shortest_simple_ways("abcd", links, "a", "d")
    assert ways[:3] == [("b", "d"), ("c", "d"), ("b", "c", "d")]
    assert second_way(("b", "d"), ways, "a") == ("c", "d")


def test_only_a_line_has_no_second_way():
    """Where there is one way, there is one way."""
    links = both_ways({("a", "b"): 1, ("b", "c"): 1})
    assert second_way(("b", "c"), shortest_simple_ways("abc", links, "a", "c"), "a") is None


def test_directions_count_together_in_trees():
    """What is measured differs a little each way; a tree takes the mean."""
    links = {("a", "b"): LinkQuality(1.0, 1), ("b", "a"): LinkQuality(9.0, 1), ("a", "c"): LinkQuality(2.0, 1)}
    links |= {("c", "b"): LinkQuality(2.0, 1)}
    assert delay_ways("abc", links, "a")["b"] == ("c", "b")


def test_the_origin_needs_no_way():
    """It is there already."""
    assert hop_ways("ab", both_ways({("a", "b"): 1}), "a")["a"] == ()


def test_a_stranger_is_an_error():
    """A broker that is not there cannot be an origin."""
    with pytest.raises(KeyError):
        hop_ways("ab", both_ways({("a", "b"): 1}), "z")
