"""The story of an event: what the logs say, and the outcome that an audit counts."""

from collections import Counter

import pytest

from explaining.worlds import CRASH, FIFO, rows, simulated
from tidings.checking import audit
from tidings.errors import InputError
from tidings.explaining.story import OUTCOMES, event_of, story_of


@pytest.fixture(scope="module")
def crashed(tmp_path_factory):
    """A run in which the middle broker fails for a while."""
    return simulated(tmp_path_factory.mktemp("story"), CRASH)


@pytest.fixture(scope="module")
def ordered(tmp_path_factory):
    """A run whose subscriber holds events back."""
    return simulated(tmp_path_factory.mktemp("ordered"), FIFO)


def test_outcomes_are_those_of_the_audit(crashed):
    """Summed over all events, for everyone; every outcome but one occurs."""
    folder, _ = crashed
    counts = Counter()
    for row in rows(folder, "publications"):
        counts.update((fate.subscriber, fate.outcome) for fate in story_of(folder, row["event"]).fates)
    report = audit(folder.path)
    expected = {
        (name, outcome): getattr(one, outcome)
        for name, one in report.subscribers.items()
        for outcome in OUTCOMES
        if getattr(one, outcome)
    }
    assert counts == expected
    assert {("s", "on_time"), ("s", "late"), ("s", "lost"), ("near", "on_time")} <= set(expected)


def test_a_story_has_the_rows_of_its_event(crashed):
    """And no others; outages are all there."""
    folder, _ = crashed
    event = rows(folder, "publications", number=7)[0]["event"]
    story = story_of(folder, event)
    assert story.publication["number"] == 7
    assert {row["event"] for row in (*story.copies, *story.drops)} <= {event}
    assert [row["component"] for row in story.outages] == ["b"]
    (near,) = [fate for fate in story.fates if fate.subscriber == "near"]
    assert (near.broker, near.outcome, near.repeats, near.unexpected) == ("a", "on_time", 0, False)
    assert near.showing["delivered_ns"] >= story.publication["published_ns"]


def test_events_have_two_names(crashed):
    """Their identity, and publisher and number."""
    folder, _ = crashed
    event = rows(folder, "publications", number=7)[0]["event"]
    assert event_of(folder, "p:7") == event_of(folder, str(event)) == event


@pytest.mark.parametrize("name", ["p", "p:", ":7", "p:-1", "x:7", "p:999999", ""])
def test_names_of_nothing_are_refused(crashed, name):
    """With what would be right."""
    with pytest.raises(InputError, match=r"publisher:number|published no event"):
        event_of(crashed[0], name)


def test_an_event_that_never_was(crashed):
    """Nobody published it."""
    with pytest.raises(InputError, match="never published"):
        story_of(crashed[0], 77 << 40)


def test_what_was_held_waited_for_what_came_later(ordered):
    """Events shown before it, though they arrived after it."""
    folder, _ = ordered
    shown = sorted(rows(folder, "deliveries", subscriber="s"), key=lambda row: row["position"])
    expected = {
        row["event"]: [one["event"] for one in shown[: row["position"]] if one["arrived_ns"] > row["arrived_ns"]]
        for row in shown
    }
    held = [event for event, waited in expected.items() if waited]
    assert len(held) > 10
    for event in held[:10]:
        (fate,) = [fate for fate in story_of(folder, event).fates if fate.subscriber == "s"]
        assert sorted(fate.waited_for) == sorted(expected[event])


def test_a_run_without_transmissions_has_a_story_too(tmp_path):
    """It only says less."""
    folder, _ = simulated(tmp_path, tables=("publications", "deliveries", "interests", "deadlines", "drops"))
    story = story_of(folder, event_of(folder, "p:3"))
    assert story.copies == []
    assert "transmissions" not in story.logged
    assert len(story.fates) == 2
