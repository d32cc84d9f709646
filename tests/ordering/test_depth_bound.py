"""The lower bound against the true least depth of small graphs."""

from functools import cache

import pytest
from hypothesis import given

from ordering.shapes import from_edges, graphs
from tidings.ordering.depth_bound import depth_bound
from tidings.ordering.elimination import members
from tidings.ordering.orders import pieces


def least_depth(neighbours):
    """The dumb twin: the treedepth by its definition, trying every stage as the root of every part."""

    @cache
    def of(part):
        found = pieces(neighbours, part)
        if len(found) != 1:
            return max(map(of, found), default=0)
        return 1 + min(of(part ^ (1 << root)) for root in members(part))

    return of((1 << len(neighbours)) - 1)


@given(graphs(8))
def test_no_tree_is_less_deep_than_the_bound(neighbours):
    """And the bound is never nothing."""
    assert 1 <= depth_bound(neighbours) <= least_depth(neighbours)


@pytest.mark.parametrize(
    ("size", "edges", "bound"),
    [
        (6, [(one, other) for one in range(6) for other in range(one)], 6),
        (7, [(place, place + 1) for place in range(6)], 3),
        (8, [(place, place + 1) for place in range(7)], 4),
        (4, [(0, 1), (1, 2), (2, 3), (3, 0)], 3),
        (5, [(0, place) for place in range(1, 5)], 2),
        (4, [], 1),
    ],
    ids=["clique", "path of 7", "path of 8", "square", "star", "apart"],
)
def test_known_shapes(size, edges, bound):
    """Cliques, paths, a square and a star: the bound is exact there."""
    assert depth_bound(from_edges(size, edges)) == bound == least_depth(from_edges(size, edges))


def test_an_outer_part_does_not_hide_a_dense_one():
    """The bound is that of the densest part, wherever it stands."""
    clique = [(one, other) for one in range(3, 8) for other in range(3, one)]
    assert depth_bound(from_edges(8, [(0, 1), (1, 2), (2, 3), *clique])) == 5


def test_no_stages_need_no_depth():
    """An empty graph."""
    assert depth_bound([]) == 0
