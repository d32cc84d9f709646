"""Random graphs: what every one of them has, and that all of them can come."""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.scenario import random_graph
from tidings.scenario.random_graph import is_connected, random_regular, random_tree, tree_and_more
from tidings.vocabulary.streams import Streams

seeds = st.integers(0, 2**63 - 1)


def reached(count, pairs):
    """Nodes that node 0 can reach, by spreading until nothing changes."""
    found = {0}
    for _ in range(count):
        found |= {node for pair in pairs if found & set(pair) for node in pair}
    return found


def check_simple(count, pairs):
    """Pairs of different nodes that are there, smaller first, each once."""
    assert all(0 <= one < other < count for one, other in pairs)
    assert len(set(pairs)) == len(pairs)


def degrees(pairs):
    """Neighbours by node."""
    return Counter(itertools.chain.from_iterable(pairs))


@given(st.integers(1, 40), seeds)
def test_trees_are_trees(count, seed):
    """Connected, with one link less than nodes."""
    pairs = random_tree(count, Streams(seed)("tree"))
    check_simple(count, pairs)
    assert len(pairs) == count - 1
    assert len(reached(count, pairs)) == count


def test_all_trees_are_equally_likely():
    """The 16 labelled trees of four nodes, within five standard deviations."""
    generator, trials = Streams(1)("trees"), 16_000
    seen = Counter(frozenset(random_tree(4, generator)) for _ in range(trials))
    assert len(seen) == 16
    deviation = (trials / 16 * 15 / 16) ** 0.5
    assert all(abs(times - trials / 16) < 5 * deviation for times in seen.values())


POSSIBLE = [
    (count, degree)
    for count in range(2, 13)
    for degree in range(1, count)
    if count * degree % 2 == 0 and (degree > 1 or count == 2)
]


@pytest.mark.parametrize(("count", "degree"), POSSIBLE)
def test_regular_graphs_of_every_small_size(count, degree):
    """Every degree exactly, connected, for some seeds."""
    for seed in range(10):
        pairs = random_regular(count, degree, Streams(seed)("regular"))
        check_simple(count, pairs)
        assert set(degrees(pairs).values()) == {degree}
        assert len(reached(count, pairs)) == count


@given(st.integers(4, 60), st.integers(2, 12), seeds)
def test_regular_graphs(count, degree, seed):
    """Larger ones, too."""
    degree = min(degree, count - 1)
    degree -= count * degree % 2
    pairs = random_regular(count, degree, Streams(seed)("regular"))
    check_simple(count, pairs)
    assert degrees(pairs) == dict.fromkeys(range(count), degree)
    assert len(reached(count, pairs)) == count


@pytest.mark.parametrize(("count", "degree", "graphs"), [(5, 2, 12), (6, 3, 70), (6, 4, 15)])
def test_regular_graphs_are_equally_likely(count, degree, graphs):
    """All connected labelled graphs of the degree come, each as often, within five standard deviations."""
    generator, trials = Streams(2)("regular"), 40 * graphs
    seen = Counter(frozenset(random_regular(count, degree, generator)) for _ in range(trials))
    deviation = (40 * (1 - 1 / graphs)) ** 0.5
    assert len(seen) == graphs
    assert all(abs(times - 40) < 5 * deviation for times in seen.values())


def test_graphs_that_fall_apart_are_drawn_again():
    """Eight nodes of degree 3 can be two squares with diagonals; no one is given those."""

    def apart(seed):
        return not is_connected(8, random_graph._paired(8, 3, Streams(seed)("x")))

    seed = next(filter(apart, range(10_000)))
    assert len(reached(8, random_regular(8, 3, Streams(seed)("x")))) == 8


def test_large_regular_graphs():
    """Twenty thousand nodes."""
    pairs = random_regular(20_000, 5, Streams(1)("large"))
    check_simple(20_000, pairs)
    assert set(degrees(pairs).values()) == {5}
    assert is_connected(20_000, pairs)


@given(st.integers(1, 12), st.integers(0, 20), seeds)
def test_trees_with_more(count, extra, seed):
    """Connected, simple, and not more than asked for."""
    pairs = tree_and_more(count, extra, Streams(seed)("more"))
    check_simple(count, pairs)
    assert count - 1 <= len(pairs) <= count - 1 + extra
    assert len(reached(count, pairs)) == count


@given(st.integers(1, 8), st.data())
def test_connectedness_is_what_spreading_finds(count, data):
    """Against the slow way, for any graph."""
    possible = list(itertools.combinations(range(count), 2))
    pairs = data.draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []
    assert is_connected(count, pairs) == (len(reached(count, pairs)) == count)


@given(seeds)
def test_the_generator_decides(seed):
    """The same stream, the same graph."""
    for make in (lambda g: random_tree(30, g), lambda g: random_regular(30, 4, g), lambda g: tree_and_more(30, 9, g)):
        assert make(Streams(seed)("x")) == make(Streams(seed)("x"))


@pytest.mark.parametrize(("count", "degree"), [(4, 0), (4, 4), (5, 3), (4, 1)])
def test_impossible_degrees_are_bugs(count, degree):
    """The caller has checked."""
    with pytest.raises(AssertionError):
        random_regular(count, degree, Streams(1)("x"))


def test_switching_gives_up_where_nothing_fits():
    """One link cannot take in a second one between the same nodes, nor a loop at its end."""
    for bad in ((0, 1), (0, 0)):
        assert not random_graph._repair([(0, 1)], [bad], Streams(1)("x"))


def test_switching_takes_in_a_bad_pair():
    """A loop is opened: both its halves get ends of another link."""
    pairs = [(1, 2)]
    assert random_graph._repair(pairs, [(0, 0)], Streams(1)("x"))
    assert sorted(pairs) == [(0, 1), (0, 2)]


def test_no_graph_of_impossible_degree_is_found():
    """Two nodes cannot have two neighbours each: the search ends."""
    with pytest.raises(AssertionError, match="no graph of 2 nodes with degree 2"):
        random_graph._paired(2, 2, Streams(1)("x"))
