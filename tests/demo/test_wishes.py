"""What subscribers want: filters that mean something to the events recorded."""

from demo.made_profiles import profile
from tidings.checking.evaluate import wants
from tidings.demo.cities import CITIES
from tidings.demo.wishes import TOGETHER_MAX, told_apart, wishes
from tidings.vocabulary.filter_parser import parse_filter

OWN = [profile(name, topics=(name,), prices=(1.0, 2.0, 3.0, 4.0), rate=rate) for name, rate in (("A", 9.0), ("B", 1.0))]


def test_a_topic_of_its_own_tells_a_publisher_apart():
    """Nothing else is asked for; several topics are listed."""
    assert told_apart(OWN) == ['topic == "A"', 'topic == "B"']
    assert told_apart([profile("C", topics=("x", 'y"z'))]) == ['topic in ("x", "y\\"z")']


def test_a_shared_topic_needs_an_attribute():
    """One that is a text and the same in all events of the publisher; without one the topic has to do."""
    both = [profile("ibm", symbol='"IBM"', open="true", prices=(1.0, 2.0)), profile("bac", symbol='"BAC"')]
    assert told_apart(both) == ['topic == "t" and symbol == "IBM"', 'topic == "t" and symbol == "BAC"']
    assert told_apart([profile("x"), profile("y")]) == ['topic == "t"'] * 2


def test_wishes_are_filters_that_hold_for_something():
    """Of each subscriber, for an event of somebody; brokers and names are as they should be."""
    found = wishes(OWN, 60, seed=1)
    assert [one.id for one in found] == [f"desk{number}" for number in range(60)]
    assert {one.broker for one in found} <= set(CITIES)
    for one in found:
        wish = parse_filter(one.filter)
        assert any(wants(wish, topic, {"price": 4.0}) for topic in ("A", "B")), one
        assert one.filter.count("topic") <= TOGETHER_MAX


def test_every_third_follows_a_price():
    """Above a level that the day before passed now and then."""
    found = wishes(OWN, 30, seed=1)
    levels = [one.filter for one in found if "price" in one.filter]
    assert len(levels) == 10
    assert all(level.endswith(("1.0", "2.0", "3.0")) for level in levels)
    assert not [one for one in wishes([profile("x")], 30, seed=1) if "price" in one.filter]


def test_the_same_seed_wants_the_same():
    """Another seed something else."""
    assert wishes(OWN, 20, seed=1) == wishes(OWN, 20, seed=1)
    assert wishes(OWN, 20, seed=1) != wishes(OWN, 20, seed=2)


def test_busy_publishers_are_followed_more():
    """By the root of their rates."""
    found = [one.filter for one in wishes(OWN, 300, seed=1) if one.filter.count("topic") == 1]
    assert sum('"A"' in text for text in found) > 1.5 * sum('"B"' in text for text in found)
