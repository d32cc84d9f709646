"""Elimination orders: each is an order, and each is good where it should be."""

import numpy as np
import pytest
from hypothesis import given

from ordering.shapes import from_edges, graphs
from ordering.test_depth_bound import least_depth
from ordering.test_elimination import named
from tidings.ordering.elimination import eliminate
from tidings.ordering.orders import by_degree, by_dissection, by_least_degree, by_least_height, pieces

ORDERS = (by_least_height, by_least_degree, by_dissection, by_degree)


def depth(neighbours, order):
    """Of the tree under an order of positions."""
    graph = named(neighbours)
    return eliminate(graph, [graph.stages[place] for place in order]).depth


@pytest.mark.parametrize("order", ORDERS)
@given(neighbours=graphs(8))
def test_every_position_once(order, neighbours):
    """And the tree is at least as deep as the least deep one."""
    found = order(neighbours)
    assert sorted(found) == list(range(len(neighbours)))
    assert depth(neighbours, found) >= least_depth(neighbours)


def path(size):
    """Positions in a row."""
    return from_edges(size, [(place, place + 1) for place in range(size - 1)])


def test_a_path_is_halved():
    """Nested dissection reaches the least depth of a path."""
    assert depth(path(127), by_dissection(path(127))) <= 8


def test_heights_halve_a_path_too():
    """Eliminating by height takes every other stage, then every other of the rest."""
    assert depth(path(127), by_least_height(path(127))) <= 9


@pytest.mark.parametrize("order", ORDERS)
def test_a_star_has_its_middle_on_top(order):
    """Whatever position the middle has."""
    for middle in range(5):
        star = from_edges(5, [(middle, place) for place in range(5) if place != middle])
        assert depth(star, order(star)) == 2


@pytest.mark.parametrize("order", ORDERS)
def test_parts_do_not_get_in_each_others_way(order):
    """Three cliques of four beside each other: depth 4."""
    edges = [(4 * part + one, 4 * part + other) for part in range(3) for one in range(4) for other in range(one)]
    assert depth(from_edges(12, edges), order(from_edges(12, edges))) == 4


def test_a_thousand_stages_are_no_trouble():
    """No recursion, whatever the depth; the best order is much better than that of the identifiers."""
    rng = np.random.default_rng(3)
    edges = {(int(max(pair)), int(min(pair))) for pair in rng.integers(0, 1000, (1500, 2)) if pair[0] != pair[1]}
    neighbours = from_edges(1000, sorted(edges))
    depths = [depth(neighbours, order(neighbours)) for order in ORDERS]
    assert min(depths) < 0.7 * depth(neighbours, range(1000))


def test_pieces_are_what_hangs_together_inside_a_part():
    """Stages outside the part connect nothing."""
    assert pieces(path(5), 0b11111) == [0b11111]
    assert pieces(path(5), 0b11011) == [0b00011, 0b11000]
    assert pieces(path(5), 0) == []
