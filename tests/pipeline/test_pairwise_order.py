"""Pairs in conflict, against the plain check and a dumb twin."""

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tidings.checking.pairwise_order import order_conflicts as plain_conflicts
from tidings.pipeline.pairwise_order import Conflicts, PairLimits, merged_spans, order_conflicts, pair_stage
from tidings.pipeline.workspace import Workspace

spans = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 4)).map(lambda pair: (pair[0], sum(pair))), max_size=8)


@given(spans)
def test_merged_spans_cover_the_same(given_spans):
    """Every place between the ends, no span touches another."""
    low, high = (np.array([one[side] for one in given_spans], np.int64) for side in (0, 1))
    found = list(zip(*(one.tolist() for one in merged_spans(low, high)), strict=True))

    def gaps(pairs):
        # Halves stand for what lies between two neighbours.
        return {half for one, other in pairs for half in range(2 * one, 2 * other + 1)}

    assert gaps(found) == gaps(given_spans)
    assert all(one[1] < other[0] for one, other in pairwise(found))


def test_pairs_are_all_that_were_shown_in_reverse(audited):
    """Once for each subscriber who saw them so."""
    by_client = {}
    for row in sorted(audited.rows("showings"), key=lambda row: row["place"]):
        if row["ordered"]:
            by_client.setdefault(row["client"], []).append(row["reference"])
    wanted = Counter((b, a) for order in by_client.values() for a, b in combinations(order, 2) if a > b)
    rows = audited.rows("pairs-0")
    assert Counter((row["lower"], row["higher"]) for row in rows if not row["span"]) == wanted
    covered = {half for row in rows if row["span"] for half in range(2 * row["lower"], 2 * row["higher"] + 1)}
    assert covered == {half for b, a in wanted for half in range(2 * b, 2 * a + 1)}


def test_conflicts_are_those_of_the_plain_check(audited):
    """Exactly."""
    plain = plain_conflicts(audited.history)
    found = order_conflicts(audited.stage("showings"), audited.stage("pairs-0").drop("overflow"), PairLimits())
    assert (found.pairs, found.exact) == (plain.pairs, plain.exact)
    assert found.pairs > 100


def test_bits_of_many_receivers(spark, tmp_path):
    """A pair that all who saw both saw in reverse is no conflict; one who did not makes it one, in any word of bits."""
    rows = [(client, place, event) for client in range(70) for place, event in enumerate((2, 1), 1)]
    rows += [(100 + one, 1, event) for one in range(80) for event in (1, 2) if one % 2 == event % 2]
    rows.append((300, 1, 3))  # Who saw neither: sizes alone decide nothing.
    odd = [(200, 1, 1), (200, 2, 2)]
    for extra, conflicts in (([], 0), (odd, 1)):
        frame = spark.createDataFrame(
            [(c, p, e, True) for c, p, e in rows + extra],
            "client bigint, place int, reference bigint, ordered boolean",
        )
        space = Workspace(spark, tmp_path / f"w{conflicts}", "x")
        pairs, whole = pair_stage(space, frame, PairLimits())
        assert whole
        assert order_conflicts(frame, pairs, PairLimits()) == Conflicts(conflicts, True)
        sampled = order_conflicts(frame, pairs, PairLimits(words_max=1))
        assert not sampled.exact
        assert sampled.pairs <= conflicts


def test_limits_make_lower_bounds(audited, tmp_path):
    """Too many pairs: fewer conflicts, and not called exact."""
    exact = plain_conflicts(audited.history).pairs
    showings = audited.stage("showings")
    space = Workspace(audited.space.spark, tmp_path / "w", "x")
    few = PairLimits(pairs_max=300)
    pairs, whole = pair_stage(space, showings, few)
    found = order_conflicts(showings, pairs, few)
    assert not whole
    assert 0 < found.pairs < exact
    all_pairs = audited.stage("pairs-0").drop("overflow")
    # Spans stay whole, so that cycles do not become fewer.
    assert {tuple(row) for row in pairs.where("span").collect()} == {
        tuple(row) for row in all_pairs.where("span").collect()
    }
