"""Subscriptions of one session: what a topic filter and a content filter want together, and how an event is sent."""

from hypothesis import given
from hypothesis import strategies as st

from strategies import PATTERNS, events, narrow_filters
from tidings.mqtt.subscriptions import Grant, Subscription, Subscriptions, filter_text
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_parser import parsed
from tidings.vocabulary.filter_text import format_filter
from tidings.vocabulary.topic import matches_pattern


def event(topic="a/b", publisher="p", **attributes):
    """An event."""
    return Event(1, publisher, topic, 0, attributes)


@given(st.sampled_from(PATTERNS), st.none() | narrow_filters, events)
def test_a_topic_filter_and_a_content_filter_are_one_filter(pattern, content, one):
    """Both must hold, whatever the content filter says."""
    text = filter_text(pattern, "" if content is None else format_filter(content))
    both = matches_pattern(pattern, one.topic) and (content is None or holds(content, one))
    assert holds(parsed(text), one) == both


def test_awkward_topics_are_quoted():
    """A topic cannot end its own quotes."""
    for topic in ('a" or "b', "a\\", "é\t"):
        assert holds(parsed(filter_text(topic, "")), event(topic))
        assert not holds(parsed(filter_text(topic, "")), event("b"))


def test_a_wish_stands_for_its_content_alone():
    """Our client's: any topic, or every event."""
    assert filter_text("$tidings/wish/3", "price > 1") == "price > 1"
    assert filter_text("$tidings/wish/3", "") == "true"


def test_overlapping_subscriptions_are_sent_once():
    """With the highest quality and all identifiers of those that match."""
    ours = Subscriptions()
    ours.put(Subscription("a/#", 0, qos=0, identifier=7))
    ours.put(Subscription("+/b", 1, qos=2, identifier=9, as_published=True))
    ours.put(Subscription("a/b", 2, "price > 10", qos=1))
    assert ours.grant(event(), "s") == Grant(2, (7, 9), as_published=True)
    assert ours.grant(event("a/c"), "s") == Grant(0, (7,), as_published=False)
    assert ours.grant(event("c"), "s") is None
    assert len(ours) == 3
    assert [one.pattern for one in ours] == ["a/#", "+/b", "a/b"]


def test_who_excludes_itself_is_not_sent_its_own():
    """By this subscription; others may still bring it."""
    ours = Subscriptions()
    ours.put(Subscription("a/b", 0, no_local=True))
    assert ours.sole is None
    assert ours.grant(event(publisher="s"), "s") is None
    assert ours.grant(event(), "s") == Grant(0, (), as_published=False)
    ours.put(Subscription("a/#", 1, qos=1))
    assert ours.grant(event(publisher="s"), "s") == Grant(1, (), as_published=False)


def test_one_subscription_needs_no_second_look():
    """As long as it is alone."""
    ours = Subscriptions()
    ours.put(Subscription("a/b", 0, qos=1, identifier=3))
    assert ours.sole == Grant(1, (3,), as_published=False)
    ours.put(Subscription("a/c", 1))
    assert ours.sole is None
    ours.remove("a/c")
    assert ours.sole == Grant(1, (3,), as_published=False)


def test_a_subscription_takes_the_place_of_its_like():
    """The same topic filter again: other options, another number; numbers count on."""
    ours = Subscriptions()
    ours.put(Subscription("a/b", 0, qos=2))
    ours.put(Subscription("a/b", 4, "price > 10", qos=1))
    assert (len(ours), ours.next_number) == (1, 5)
    assert ours.get("a/b").number == 4
    assert ours.grant(event(price=11), "s") == Grant(1, (), as_published=False)
    assert ours.grant(event(price=9), "s") is None
    assert ours.remove("a/b").number == 4
    assert ours.remove("a/b") is None
    assert ours.grant(event(price=11), "s") is None
