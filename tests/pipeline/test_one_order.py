"""Strongly connected sets, against the plain check and by hand."""

from itertools import pairwise

import networkx as nx
import pytest

from tidings.checking.one_order import order_cycles as plain_cycles
from tidings.pipeline.one_order import Cycles, order_cycles
from tidings.pipeline.pairwise_order import PairLimits, pair_stage
from tidings.pipeline.workspace import Workspace

SEQUENCES = {
    "in order": [[1, 2, 3], [1, 3]],
    "two disagree": [[1, 2, 3, 4], [2, 1, 3, 4]],
    "three in a circle": [[1, 2], [2, 3], [3, 1]],
    "two sets": [[1, 2, 3, 4, 5, 6], [2, 1], [6, 5]],
    "sets that share a stretch": [[1, 4], [4, 1], [2, 3], [3, 2]],
    "a step back without a circle": [[5, 1], [2, 3]],
    "one large set": [[1, 2, 3, 4], [4, 1]],
}


def counted(spark, place, sequences, **limits):
    """The sets in these sequences of places in the reference order."""
    rows = [
        (client, place, event, True) for client, order in enumerate(sequences) for place, event in enumerate(order, 1)
    ]
    showings = spark.createDataFrame(rows, "client bigint, place int, reference bigint, ordered boolean")
    space = Workspace(spark, place, "x")
    pairs, _ = pair_stage(space, showings, PairLimits())
    return order_cycles(space, showings, pairs, **limits)


@pytest.mark.parametrize("name", SEQUENCES)
def test_sets_by_hand(spark, tmp_path, name):
    """As a graph library counts them in the whole graph of consecutive events."""
    graph = nx.DiGraph(edge for order in SEQUENCES[name] for edge in pairwise(order))
    wanted = sum(len(one) > 1 for one in nx.strongly_connected_components(graph))
    assert counted(spark, tmp_path / "w", SEQUENCES[name]) == Cycles(wanted, True)


def test_sets_are_those_of_the_plain_check(audited):
    """Exactly, over random logs."""
    found = order_cycles(audited.space, audited.stage("showings"), audited.stage("pairs-0"))
    assert found == Cycles(plain_cycles(audited.history), True)
    assert found.sets > 0


def test_a_large_island_gives_a_lower_bound(spark, tmp_path):
    """One set at most, whichever edges are looked at, and said so."""
    found = counted(spark, tmp_path / "w", [*SEQUENCES["two sets"], [6, 1]], edges_max=4)
    assert not found.exact
    assert found.sets <= 1
