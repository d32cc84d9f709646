"""The tables of clients and topics: what fits together and what does not."""

from fractions import Fraction
from pathlib import Path

import pytest

from tidings.errors import ScenarioError
from tidings.scenario.client_tables import (
    DEADLINE,
    Deadline,
    PublisherEntry,
    SubscriberEntry,
    TopicEntry,
    TopicsTable,
)
from tidings.scenario.schema import dump_table, read_table
from tidings.scenario.source import Place, Source

PLACE = Place(Source(Path(__file__)), "here")
EACH = {"each": "broker and topic", "filter": "topic == $topic"}
DRAWN = {"dist": "uniform", "low": "0s", "high": "9s"}

GOOD = [
    (TopicsTable, {"count": 200, "popularity": {"dist": "power", "exponent": 0.9}}),
    (TopicEntry, {"name": "t", "popularity": {"": 0.5}}),
    (PublisherEntry, {"every": "1s"}),
    (PublisherEntry, {"every": "1s", "topic": "t", "per": "publisher", "count": 3}),
    (PublisherEntry, {"every": "1s", "topic": ["a", "b"], "lifetime": "1s", "payload": 20}),
    (PublisherEntry, {"every": "1s", "topics": ["a", "b"], "attributes": {"x": 1, "y": {"choice": ["a"]}}}),
    (PublisherEntry, {"trace": "day.parquet", "link": {"delay": "1ms"}}),
    (SubscriberEntry, {"filter": "x > 1", "deadline": "1s", "requires": 0.9}),
    (SubscriberEntry, {"topics": 10, "deadline": "2.5x shortest"}),
    (SubscriberEntry, {"topics": ["a", "b"], "deadlines": {"p": "1s"}}),
    (SubscriberEntry, {"filter": "x > $x", "vary": {"x": [1, 2]}, "count": 2}),
    (SubscriberEntry, {"filter": "x > 1", "joins": "1s", "leaves": "2s"}),
    (SubscriberEntry, {"filter": "x > 1", "joins": DRAWN, "stays": "2s"}),
    (SubscriberEntry, {**EACH, "share": 0.5}),
    (SubscriberEntry, {"filter": "true", "mobility": {"model": "random-waypoint", "speed": "1m/s"}}),
]

BAD = [
    (TopicsTable, {}, "count", "is missing"),
    (TopicsTable, {"count": 0}, "count", "from 1"),
    (TopicEntry, {"name": "t", "popularity": {"": -1}}, "popularity.", "from 0"),
    (PublisherEntry, {}, "every", "give every"),
    (PublisherEntry, {"every": "1s", "trace": "x"}, "every", "not both"),
    (PublisherEntry, {"trace": "x", "profile": "y"}, "every", "not both"),
    (PublisherEntry, {"profile": "y", "topic": "t"}, "topic", "the profile says this already"),
    (PublisherEntry, {"trace": "x", "payload": 5}, "payload", "the trace says this already"),
    (PublisherEntry, {"every": "1s", "like": "ibm"}, "like", "give profile, too"),
    (PublisherEntry, {"every": "0s"}, "every", "above 0"),
    (PublisherEntry, {"every": "1s", "topic": "a", "topics": ["b"]}, "topics", "not both"),
    (PublisherEntry, {"every": "1s", "per": "publisher"}, "per", "numbers one topic"),
    (PublisherEntry, {"every": "1s", "per": "publisher", "topic": ["a"]}, "per", "numbers one topic"),
    (PublisherEntry, {"every": "1s", "topic": []}, "topic", "1 to"),
    (PublisherEntry, {"every": "1s", "topic": "a/#"}, "topic", "wildcards"),
    (PublisherEntry, {"every": "1s", "attributes": {"topic": 1}}, "attributes.topic", "reserved"),
    (PublisherEntry, {"every": "1s", "attributes": {"a b": 1}}, "attributes.a b", "no filter can speak"),
    (PublisherEntry, {"every": "1s", "attributes": {"and": 1}}, "attributes.and", "no filter can speak"),
    (PublisherEntry, {"trace": "x", "topic": "t"}, "topic", "the trace says"),
    (PublisherEntry, {"trace": "x", "attributes": {"x": 1}}, "attributes", "the trace says"),
    (PublisherEntry, {"every": "1s", "count": 0}, "count", "from 1"),
    (PublisherEntry, {"every": "1s", "lifetime": "0s"}, "lifetime", "longer than nothing"),
    (SubscriberEntry, {}, "filter", "is missing"),
    (SubscriberEntry, {"topics": 0}, "topics", "from 1"),
    (SubscriberEntry, {"topics": "a"}, "topics", "a number of topics"),
    (SubscriberEntry, {"topics": ["a", "a"]}, "topics[1]", "twice"),
    (SubscriberEntry, {"filter": "true", "share": 0.5}, "share", "belongs to each"),
    (SubscriberEntry, {**EACH, "count": 3}, "count", "leave count out"),
    (SubscriberEntry, {**EACH, "broker": "a"}, "broker", "leave broker out"),
    (SubscriberEntry, {**EACH, "topics": 3}, "topics", "leave topics out"),
    (SubscriberEntry, {**EACH, "vary": {"topic": [1]}}, "vary.topic", "gives $topic its value"),
    (SubscriberEntry, {"filter": "true", "vary": {"a b": [1]}}, "vary.a b", "used as $name"),
    (SubscriberEntry, {"filter": "true", "leaves": "1s", "stays": "1s"}, "stays", "not both"),
    (SubscriberEntry, {"filter": "true", "joins": "2s", "leaves": "2s"}, "leaves", "after joins"),
    (SubscriberEntry, {"filter": "true", "joins": DRAWN, "leaves": "20s"}, "leaves", "give stays instead"),
    (SubscriberEntry, {"filter": "true", "leaves": "0s"}, "leaves", "after the start"),
    (SubscriberEntry, {"filter": "true", "requires": 2}, "requires", "from 0 to 1"),
    (SubscriberEntry, {"filter": "true", "deadline": 3}, "deadline", '"3x shortest"'),
    (SubscriberEntry, {"filter": "true", "deadline": "3 shortest"}, "deadline", '"3x shortest"'),
    (SubscriberEntry, {"filter": "true", "deadline": "0x shortest"}, "deadline", "above 0"),
    (SubscriberEntry, {"filter": "true", "deadline": "0s"}, "deadline", "longer than nothing"),
]


@pytest.mark.parametrize(("table", "content"), GOOD)
def test_good_tables_survive_being_written(table, content):
    """Reading what was written gives the same."""
    entry = read_table(table, content, PLACE)
    assert read_table(table, dump_table(entry), PLACE) == entry


@pytest.mark.parametrize(("table", "content", "key", "remedy"), BAD)
def test_bad_tables_are_refused_at_the_key(table, content, key, remedy):
    """The key that has to change, and what would be right."""
    with pytest.raises(ScenarioError) as caught:
        read_table(table, content, PLACE)
    assert caught.value.key == f"here.{key}"
    assert remedy in caught.value.remedy


def test_names_are_always_written():
    """Also where they are the default."""
    assert dump_table(read_table(PublisherEntry, {"every": "1s"}, PLACE))["id"] == "p"


@pytest.mark.parametrize(
    ("text", "deadline"),
    [
        ("3x shortest", Deadline(multiple=Fraction(3))),
        ("1.25x shortest", Deadline(multiple=Fraction(5, 4))),
        ("123456789.123456789x shortest", Deadline(multiple=Fraction(123456789123456789, 10**9))),
        ("100x shortest", Deadline(multiple=Fraction(100))),
        ("200ms", Deadline(ns=200_000_000)),
    ],
)
def test_deadlines_are_durations_or_multiples(text, deadline):
    """Multiples are exact."""
    assert DEADLINE.read(text, PLACE) == deadline
    assert DEADLINE.write(deadline) == text
