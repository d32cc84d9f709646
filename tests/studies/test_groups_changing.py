"""Members that come and go: what is counted of one world, and the figures."""

import pytest

from tidings.ordering.group_directory import GroupDirectory
from tidings.studies.groups_changing import (
    LOOKS,
    RETIREMENTS,
    OrderJob,
    WaysJob,
    changing_figures,
    orders_kept,
    settle,
    ways_kept,
)
from tidings.studies.study_run import StudyRun


def test_settled_directories_have_no_lagging_members():
    """Ends are seen at once, nodes are gone: one id for each group, the new one with all members."""
    directory = GroupDirectory({"a": ("g",), "b": ("g", "h"), "c": ("h",)})
    directory.join("c", "g")
    settle(directory)
    assert directory.members("g.2") == ["a", "b", "c"]
    assert directory.entrance("g.1") is None
    assert directory.drain() == []
    assert len(directory.nodes) == 2


def test_the_same_world_under_every_retirement():
    """Ours keeps order in all of ten, the published ones do not; as much changes in each."""
    ours, sequencers, both = orders_kept(OrderJob(seed=1, k=1, runs=range(10)))
    assert not any(one.waits or one.disagrees for one in ours)
    assert any(one.disagrees for one in sequencers) or any(one.waits for one in both)
    assert all(one.changes == 20 for one in ours)
    assert sum(one.heirs for one in ours) > 5
    assert sum(one.let_in for one in ours) > 5
    assert len(RETIREMENTS) == 3


def test_ways_become_longer_than_planned():
    """Measured at the start, where both are the same, and after so many changes each time."""
    found = ways_kept(WaysJob(seed=1, draw=0, k=2, changes=60))
    assert [one.changes for one in found] == [60 // LOOKS * look for look in range(LOOKS + 1)]
    assert found[0].kept == found[0].planned
    assert found[-1].kept > 1.2 * found[-1].planned
    assert found == ways_kept(WaysJob(seed=1, draw=0, k=2, changes=60))
    anew = ways_kept(WaysJob(seed=1, draw=0, k=2, changes=60, every=15))
    assert [one.planned for one in anew] == [one.planned for one in found]
    assert anew[-1].kept < found[-1].kept


@pytest.mark.slow
def test_all_of_it():
    """The quick form: order is kept by ours alone, and ways become longer."""
    order, ways = changing_figures(StudyRun())
    rows = {row.what: row.ours for figure in (order, ways) for row in figure.findings}
    for k in (1, 2):
        for what in ("somebody waits for ever", "two disagree"):
            assert rows[f"k = {k}, ours: runs in which {what}"] == 0
        assert rows[f"k = {k}, atoms retire as published: runs in which two disagree"] > 0
    assert len(ways.plots[0].curves) == 6
    anew = rows["k = 2, planned anew every 30 changes: nodes that a message visits after 310 changes"]
    assert anew < rows["k = 2, only ever changed: nodes that a message visits after 300 changes"]
