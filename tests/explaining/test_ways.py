"""The way of an event: hops as the copies went, and where they ended."""

import pytest

from explaining.worlds import CRASH, rows, simulated
from tidings.explaining.story import story_of
from tidings.explaining.ways import way_to


@pytest.fixture(scope="module")
def crashed(tmp_path_factory):
    """A run in which the middle broker fails for a while, and the first link loses packets."""
    return simulated(tmp_path_factory.mktemp("ways"), CRASH)


def stories(crashed, outcome):
    """Of events with this outcome for the far subscriber."""
    folder, _ = crashed
    for row in rows(folder, "publications"):
        story = story_of(folder, row["event"])
        if any((fate.subscriber, fate.outcome) == ("s", outcome) for fate in story.fates):
            yield story


def test_what_arrived_came_hop_by_hop(crashed):
    """From the publisher's broker to the subscriber's, in time."""
    story = next(stories(crashed, "on_time"))
    way = way_to(story, crashed[1], "c")
    assert [(hop["sender"], hop["receiver"]) for hop in way.hops] == [("a", "b"), ("b", "c")]
    assert way.hops[0]["sent_ns"] < way.hops[1]["sent_ns"]
    assert (way.last, way.next) == ("c", None)


def test_at_home_there_is_no_way(crashed):
    """The publisher's own broker has it at once."""
    way = way_to(next(stories(crashed, "on_time")), crashed[1], "a")
    assert (way.hops, way.last, way.next) == ([], "a", None)


def test_what_was_lost_ended_somewhere(crashed):
    """Between the last broker that had it and the next on the tree."""
    ends = {(way.last, way.next) for way in (way_to(story, crashed[1], "c") for story in stories(crashed, "lost"))}
    assert ("a", "b") in ends
    assert ends <= {("a", "b"), ("b", "c")}


def test_without_a_world_less_is_known(crashed):
    """The way itself is still seen."""
    story = next(stories(crashed, "on_time"))
    assert len(way_to(story, None, "c").hops) == 2
    lost = next(stories(crashed, "lost"))
    assert way_to(lost, None, "c").next is None
    assert way_to(lost, crashed[1], None).hops == []
