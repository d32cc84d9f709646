"""Deadlines: durations, multiples of the shortest path, and single publishers."""

from fractions import Fraction
from pathlib import Path

import pytest

from tidings.errors import ScenarioError
from tidings.scenario.client_tables import Deadline, SubscriberEntry
from tidings.scenario.deadlines import Deadlines
from tidings.scenario.source import Place, Source
from tidings.scenario.world import Publisher
from tidings.vocabulary.instant import FOREVER
from tidings.vocabulary.overlay import Overlay

GRAPH = Overlay(("a", "b", "c", "z"), (("a", "b"), ("b", "c"), ("a", "c")), (10.0, 20.0, 100.0))
PUBLISHERS = (
    Publisher(id="p", broker="a", topics=("t",)),
    Publisher(id="q", broker="b", topics=("u", "t")),
    Publisher(id="any", broker="c", topics=()),
    Publisher(id="far", broker="z", topics=("t",)),
)


def deadlines_of(entry, broker="c", topics=None):
    """What one subscriber gets."""
    return Deadlines(GRAPH, PUBLISHERS).of(entry, broker, topics)


def test_without_deadline_events_are_never_late():
    """Those for single publishers hold all the same."""
    assert deadlines_of(SubscriberEntry(filter="true")) == (FOREVER, {})
    assert deadlines_of(SubscriberEntry(filter="true", deadlines={"p": 5})) == (FOREVER, {"p": 5})


def test_a_duration_holds_for_everyone():
    """But for those with one of their own."""
    entry = SubscriberEntry(filter="true", deadline=Deadline(ns=7), deadlines={"p": 5})
    assert deadlines_of(entry) == (7, {"p": 5})


def test_a_multiple_is_a_number_for_each_publisher():
    """Of the sum of mean delays along the shortest path; those without a way have none."""
    entry = SubscriberEntry(filter="true", deadline=Deadline(multiple=Fraction(3)))
    assert deadlines_of(entry) == (FOREVER, {"p": 90, "q": 60, "any": 0})
    entry = SubscriberEntry(filter="true", deadline=Deadline(multiple=Fraction(5, 4)), deadlines={"p": 5, "far": 6})
    assert deadlines_of(entry) == (FOREVER, {"p": 5, "q": 25, "any": 0, "far": 6})


def test_only_publishers_that_can_reach_it_count():
    """Those who share a topic, and those who may publish on any."""
    entry = SubscriberEntry(filter="true", deadline=Deadline(multiple=Fraction(1)))
    assert deadlines_of(entry, topics=("u",)) == (FOREVER, {"q": 20, "any": 0})
    assert deadlines_of(entry, broker="a", topics=("t",)) == (FOREVER, {"p": 0, "q": 10, "any": 30})


def test_subscribers_alike_share_one_table():
    """A hundred thousand of them need no more memory than one."""
    deadlines = Deadlines(GRAPH, PUBLISHERS)
    entry = SubscriberEntry(filter="true", deadline=Deadline(multiple=Fraction(3)))
    assert deadlines.of(entry, "c", ("t",))[1] is deadlines.of(entry, "c", ("t",))[1]


def test_publishers_that_do_not_exist_are_refused():
    """With the nearest name."""
    place = Place(Source(Path("x.toml")), "subscriber[0]")
    Deadlines(GRAPH, PUBLISHERS).check(place, SubscriberEntry(filter="true", deadlines={"far": 1}))
    with pytest.raises(ScenarioError, match='did you mean "far"') as caught:
        Deadlines(GRAPH, PUBLISHERS).check(place, SubscriberEntry(filter="true", deadlines={"fra": 1}))
    assert caught.value.key == "subscriber[0].deadlines.fra"
