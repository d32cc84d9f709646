"""How late the late ones are, and what waiting costs."""

from studies.tiny import TinyRun, rows
from tidings.studies.dcrd_delays import lateness, waiting


def test_shares_of_late_ones_grow_with_the_mark():
    """For each mesh and wait; the curves end at all of them, or nearly."""
    figure = lateness(TinyRun())
    found = rows(figure)
    for name in ("fully meshed, dcrd, one-way", "degree 8, dcrd, round-trip"):
        shares = [found[f"late ones within {mark} deadlines, {name}"].ours for mark in (1.25, 1.5, 1.75)]
        assert shares == sorted(shares)
    assert found["late ones within 1.5 deadlines, fully meshed, dcrd, one-way"].paper == "0.78"
    assert found["late ones within 1.5 deadlines, fully meshed, dcrd, round-trip"].paper is None
    assert all(curve.y == tuple(sorted(curve.y)) for curve in figure.plots[0].curves)


def test_waiting_is_told_apart_by_the_shortest_way():
    """Where it is one link, waiting for the round trip costs more than where it is longer."""
    found = rows(waiting(TinyRun(seed=3)))
    assert len(found) == 10
    costs = [
        found[f"on time {where}, fully meshed, dcrd, one-way"].ours
        - found[f"on time {where}, fully meshed, dcrd, round-trip"].ours
        for where in ("where the shortest way is one link", "where it is longer")
    ]
    assert costs[0] > costs[1]
    assert 0 < found["share whose shortest way is one link, degree 5"].ours < 1
