"""Relevance: never a wrong no, few wrong yeses, and exact answers where topics decide."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import events, events_near, filters
from tidings.ordering.publication_record import Past
from tidings.ordering.relevance import REMEMBERED, Relevance
from tidings.ordering.summary import summarise
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_parser import parse_filter


def event(topic, **attributes):
    """An event of which only topic and attributes matter."""
    return Event(id=0, publisher="p", topic=topic, published_ns=0, attributes=attributes)


def pasts_of(one):
    """What records of topics, of summaries and basic ones tell of an event."""
    return [Past(0, topic=one.topic), Past(0, summary=summarise(one)), Past(0)]


def answers(wishes, one):
    """What each of the three says."""
    relevance = Relevance()
    for number, wish in enumerate(wishes):
        relevance.wish(number, wish)
    return [relevance.may_matter(past) for past in pasts_of(one)]


@given(st.lists(filters, max_size=3), st.data())
def test_there_is_no_wrong_no(wishes, data):
    """Whatever is wanted may matter, by each kind of record: a false positive costs delay, a false negative order."""
    one = data.draw(events_near(*wishes) if wishes else events)
    if any(holds(wish, one) for wish in wishes):
        assert answers(wishes, one) == [True, True, True]


@given(st.sampled_from(["a", "a/b", "a/c", "$s/x", "b"]), st.sampled_from(["a", "a/b", "b", "x"]))
def test_topics_decide_filters_on_topics(topic, other):
    """With topics only in filter and record the answer is exact."""
    texts = [
        f'topic == "{other}"',
        f'not topic == "{other}"',
        f'topic in ("{other}", "b")',
        'topic matches "a/+" or topic matches "#"',
        'topic startswith "a" and not topic matches "+/b"',
        'topic > "a"',
        "exists(topic)",
        "true",
        "false",
    ]
    for text in texts:
        wish = parse_filter(text)
        assert answers([wish], event(topic))[0] == holds(wish, event(topic)), text


@pytest.mark.parametrize(
    ("text", "by_topic", "by_summary"),
    [
        ('symbol == "IBM"', True, True),
        ('symbol == "SUN"', True, False),
        ('symbol in ("SUN", "HP")', True, False),
        ('symbol in ("SUN", "IBM")', True, True),
        ("price > 1000", True, True),
        ("volume > 1000", True, False),
        ("exists(volume)", True, False),
        ('name startswith "x"', True, False),
        ("volume between 1 and 2", True, False),
        ('name matches "a/+"', True, False),
        ("price == 10.0", True, True),
        ("not volume > 1000", True, True),
        ("not price > 1000", True, True),
        ('topic == "quote/nyse" and volume > 1', True, False),
        ('topic == "trade" and price > 1', False, False),
        ('topic == "trade" or price > 1', True, True),
        ('not (topic == "quote/nyse" or price > 1)', False, True),
        ('not (topic == "trade" and volume > 1)', True, True),
        ('topic matches "quote/+"', True, True),
        ('topic matches "+/nyse/#"', True, True),
        ('topic matches "trade/#"', False, False),
        ('topic matches "quote/ldn"', False, False),
        ('topic startswith "tra"', False, True),
    ],
)
def test_what_each_record_can_tell(text, by_topic, by_summary):
    """Of a quote of IBM at 10: topics know nothing of attributes, summaries nothing of order and prefixes."""
    one = event("quote/nyse", symbol="IBM", price=10)
    assert answers([parse_filter(text)], one) == [by_topic, by_summary, True]


def test_without_a_wish_nothing_matters():
    """Not even what nothing is told of."""
    assert answers([], event("a")) == [False, False, False]


def test_wishes_come_and_go():
    """Answers follow at once, and taking back what was never asked for is harmless."""
    relevance = Relevance()
    past = Past(0, topic="a")
    relevance.wish(7, parse_filter('topic == "a"'))
    assert relevance.may_matter(past)
    relevance.wish(7, parse_filter('topic == "b"'))
    assert [relevance.may_matter(past) for _ in range(2)] == [False, False]
    relevance.wish(8, parse_filter('topic == "a"'))
    assert relevance.may_matter(past)
    relevance.unwish(8)
    relevance.unwish(9)
    assert not relevance.may_matter(past)


def test_remembered_answers_have_a_bound():
    """And stay right beyond it."""
    relevance = Relevance()
    relevance.wish(0, parse_filter('topic == "t7"'))
    for _ in range(2):
        for number in range(REMEMBERED + 10):
            assert relevance.may_matter(Past(0, topic=f"t{number}")) == (number == 7)
            assert len(relevance._answers) <= REMEMBERED
