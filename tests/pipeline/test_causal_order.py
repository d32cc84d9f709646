"""Effects before causes, against the plain check and a dumb twin."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tidings.checking.causal_order import causal_order as plain_causal
from tidings.pipeline.causal_order import causal_order, inverted_pairs
from tidings.pipeline.publisher_order import suspect_stage
from tidings.pipeline.showings import showing_stage
from tidings.pipeline.workspace import Workspace

elements = st.lists(st.tuples(st.integers(0, 30), st.integers(-1, 30)), max_size=40)


@given(elements)
def test_pairs_are_counted_as_by_hand(rows):
    """All pairs of an earlier one that has seen the rank of a later one."""
    seen, rank = (np.array([row[side] for row in rows], np.int64) for side in (0, 1))
    wanted = sum(0 <= other[1] <= one[0] for one, other in combinations(rows, 2))
    assert inverted_pairs(seen, rank) == wanted


def test_a_sequence_in_order_costs_nothing():
    """And a reversed one has every pair."""
    ascending = np.arange(100_000)
    assert inverted_pairs(ascending, ascending) == 0
    assert inverted_pairs(ascending[:2_000][::-1], ascending[:2_000][::-1]) == 2_000 * 1_999 // 2


def test_inversions_are_those_of_the_plain_check(audited):
    """With causes that reactions carried from publisher to publisher."""
    plain = plain_causal(audited.history)
    found = causal_order(audited.space, *(audited.stage(name) for name in ("showings", "events", "suspects")))
    assert (found.inversions, found.exact) == (plain.inversions, True)
    assert plain.exact
    assert audited.rows("carried")


def test_showings_before_publications_are_a_lower_bound(audited, tmp_path):
    """Such logs have no causes to speak of; the plain check says so, too."""
    shown = audited.stage("showings").selectExpr(
        "* except (delivered_ns)", "delivered_ns - 10000000000 as delivered_ns"
    )
    space = Workspace(audited.space.spark, tmp_path / "w", "x")
    suspects = suspect_stage(space, shown)
    assert not causal_order(space, shown, audited.stage("events"), suspects).exact


def test_the_stages_are_what_the_check_reads(audited):
    """Made again from the log they are the same."""
    space = Workspace(audited.space.spark, audited.space.path, "made")
    again = showing_stage(space, audited.read, audited.stage("clients"), audited.stage("events"))
    assert again.count() == audited.folder.table("deliveries").num_rows
