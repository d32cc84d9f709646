"""Subscribers, drawn."""

import pytest

from scenario_texts import BROKERS, PUBLISHER, SMALL, SUBSCRIBER, TOP, world_of
from tidings.errors import ScenarioError
from tidings.vocabulary.filter_parser import parse_filter
from tidings.vocabulary.instant import FOREVER, SECOND

ENTRY = SUBSCRIBER.replace("filter = 'topic == \"t\"'\n", "")
LINE = "[overlay]\ngenerate = 'line'\nbrokers = 6\n"
PUBLISHERS = PUBLISHER.replace('"a"', '"b0"').replace('topic = "t"', 'topic = "t"\ncount = 2\nper = "publisher"')
EACH = "\n[[subscriber]]\nid = 's'\neach = 'broker and topic'\nfilter = 'topic == $topic'\n"


def subscribers_of(folder, keys, more=""):
    """The subscribers of a small world whose one entry has other keys."""
    return world_of(folder, TOP + BROKERS + PUBLISHER + ENTRY + keys + "\n" + more).subscribers


def test_a_plain_subscriber(tmp_path):
    """Filter in canonical text, its topics, and defaults."""
    (one,) = subscribers_of(tmp_path, "filter = '(topic==\"t\")  and x>1.0'")
    assert one.filter == 'topic == "t" and x > 1'
    assert one.topics == ("t",)
    assert (one.deadline_ns, one.deadlines, one.joins_ns, one.leaves_ns) == (FOREVER, {}, None, None)
    assert (one.requires, one.site, one.link, one.mobility) == (None, None, None, None)


def test_copies_take_their_values(tmp_path):
    """A list goes round; choices and distributions draw for each copy; zipf draws whole numbers."""
    keys = """count = 200
    filter = 'topic == $topic and x <= $x and y == $y'
    vary = { topic = ["t", "u"], x = { dist = "zipf", values = 20, exponent = 1.0 }, y = { choice = [true, false] } }"""
    found = subscribers_of(tmp_path, keys)
    assert [one.id for one in found[:2]] == ["s0", "s1"]
    assert [one.topics for one in found[:3]] == [("t",), ("u",), ("t",)]
    terms = [{term.attribute: term.value for term in parse_filter(one.filter).terms} for one in found]
    assert {type(term["x"]) for term in terms} == {int}
    assert {term["y"] for term in terms} == {True, False}
    assert 20 < sum(term["x"] == 1 for term in terms) < 100


def test_topics_define_the_filter_or_narrow_it(tmp_path):
    """A list, with a filter and without."""
    (one,) = subscribers_of(tmp_path, 'topics = ["t"]')
    assert (one.filter, one.topics) == ('topic == "t"', ("t",))
    (one,) = subscribers_of(tmp_path, 'topics = ["t"]\nfilter = "x > 1"')
    assert (one.filter, one.topics) == ('topic == "t" and x > 1', ("t",))


def test_a_number_of_topics_is_drawn_by_popularity(tmp_path):
    """At the subscriber's site, from a stream of its own."""
    more = "[topics]\ncount = 50\npopularity = { dist = 'power', exponent = 1.5 }"
    (one,) = subscribers_of(tmp_path, "topics = 10", more)
    assert len(one.topics) == 10
    assert all(name.startswith("t") for name in one.topics)
    assert parse_filter(one.filter).values == tuple(sorted(one.topics))
    with pytest.raises(ScenarioError) as caught:
        subscribers_of(tmp_path, "topics = 51", more)
    assert caught.value.key == "subscriber[0].topics"


def test_topics_that_nobody_publishes_on_are_refused(tmp_path):
    """It is a misspelt name, most likely."""
    with pytest.raises(ScenarioError, match='did you mean "t"') as caught:
        subscribers_of(tmp_path, 'topics = ["tt"]')
    assert caught.value.key == "subscriber[0].topics[0]"


@pytest.mark.parametrize("guarantee", ["total", "causal", "groups"])
def test_an_order_across_topics_needs_a_finite_set(tmp_path, guarantee):
    """From the filter, or beside it."""
    order = f"[ordering]\nguarantee = '{guarantee}'"
    with pytest.raises(ScenarioError, match="give topics") as caught:
        subscribers_of(tmp_path, "filter = 'x > 1'", order)
    assert caught.value.key == "subscriber[0].filter"
    assert subscribers_of(tmp_path, "filter = 'x > 1'\ntopics = ['t']", order)[0].topics == ("t",)
    assert subscribers_of(tmp_path, "filter = 'x > 1'", "[ordering]\nguarantee = 'fifo'")[0].topics is None


def test_coming_and_going(tmp_path):
    """Instants as given; what is drawn is drawn for each copy."""
    (one,) = subscribers_of(tmp_path, "filter = 'true'\njoins = '3s'\nleaves = '5s'")
    assert (one.joins_ns, one.leaves_ns) == (3 * SECOND, 5 * SECOND)
    (one,) = subscribers_of(tmp_path, "filter = 'true'\nstays = '5s'")
    assert (one.joins_ns, one.leaves_ns) == (None, 5 * SECOND)
    law = "{ dist = 'exponential', mean = '1s' }"
    found = subscribers_of(tmp_path, f"count = 20\nfilter = 'true'\njoins = {law}\nstays = {law}")
    assert len({one.joins_ns for one in found}) == 20
    assert all(one.leaves_ns > one.joins_ns for one in found)


def test_names_are_taken_once(tmp_path):
    """Across entries, and by copies that spell the same."""
    with pytest.raises(ScenarioError, match="an id of its own") as caught:
        world_of(tmp_path, SMALL + SUBSCRIBER)
    assert caught.value.key == "subscriber[1].id"


def test_filters_that_vary_makes_impossible(tmp_path):
    """The sample was good, a later value is not: the message shows what became of it."""
    long = '"' + "x" * 65_000 + '"'
    keys = f"count = 2\nfilter = 'x in ({', '.join(['$x'] * 20)})'\nvary = {{ x = [1, {long}] }}"
    with pytest.raises(ScenarioError) as caught:
        subscribers_of(tmp_path, keys)
    assert caught.value.key == "subscriber[0].filter"
    assert "for s1" in caught.value.remedy


def test_each_broker_and_topic(tmp_path):
    """Named after both; the publishers' own brokers are left out."""
    found = world_of(tmp_path, TOP + LINE + PUBLISHERS + EACH).subscribers
    assert [one.id for one in found] == [f"s-b{broker}-t{topic}" for broker in range(1, 6) for topic in range(2)]
    assert [one.broker for one in found[:3]] == ["b1", "b1", "b2"]
    assert found[0].filter == 'topic == "t0"'
    assert len({one.id for one in found}) == 10


def test_shares_are_drawn_once_per_topic(tmp_path):
    """Over many topics the mean share is met, and topics differ more than by chance of the coin."""
    many = PUBLISHERS.replace("count = 2", "count = 400").replace("brokers = 6", "brokers = 26")
    line = LINE.replace("6", "26")
    share = "share = { dist = 'uniform', low = 0.2, high = 0.6 }\n"
    found = world_of(tmp_path, TOP + line + many + EACH + share).subscribers
    assert len(found) / (400 * 25) == pytest.approx(0.4, abs=0.03)
    counts = dict.fromkeys((f"t{number}" for number in range(400)), 0)
    for one in found:
        counts[one.topics[0]] += 1
    mean = len(found) / 400
    variance = sum((count - mean) ** 2 for count in counts.values()) / 399
    coin_alone = 25 * 0.4 * 0.6
    assert variance > 1.5 * coin_alone


def test_a_share_must_be_a_probability(tmp_path):
    """Also one that is drawn."""
    with pytest.raises(ScenarioError) as caught:
        world_of(tmp_path, TOP + LINE + PUBLISHERS + EACH + "share = 1.5")
    assert caught.value.key == "subscriber[0].share"


def test_more_topics_change_no_draw_of_the_others(tmp_path):
    """Each topic has its own stream."""
    few = world_of(tmp_path, TOP + LINE + PUBLISHERS + EACH + "share = 0.5").subscribers
    more = PUBLISHERS.replace("count = 2", "count = 5")
    many = world_of(tmp_path, TOP + LINE + more + EACH + "share = 0.5").subscribers
    assert [one for one in many if one.topics[0] in ("t0", "t1")] == list(few)


def test_each_leaves_out_brokers_of_those_who_draw_their_topics(tmp_path):
    """They may publish on any topic that can be drawn."""
    drawing = PUBLISHER.replace('"a"', '"b3"').replace('topic = "t"\n', "")
    found = world_of(tmp_path, TOP + LINE + drawing + EACH + "[topics]\ncount = 2").subscribers
    assert [one.broker for one in found] == [f"b{number}" for number in (0, 0, 1, 1, 2, 2, 4, 4, 5, 5)]


def test_there_is_a_limit_on_what_each_makes(tmp_path):
    """A million."""
    text = TOP + "[overlay]\ngenerate='line'\nbrokers=2001\n[topics]\ncount=501\n" + EACH
    with pytest.raises(ScenarioError, match="at most 1000000") as caught:
        world_of(tmp_path, text)
    assert caught.value.key == "subscriber[0].each"
