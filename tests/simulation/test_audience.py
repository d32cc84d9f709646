"""The audience of events that were given up: by the filters of all, and by where everybody sits, against a plain walk."""

import numpy as np
import pytest

from simulation.campaign import case_of
from simulation.watching import samples
from simulation.worlds import make_world, publisher, subscriber
from tidings.checking.evaluate import wants
from tidings.scenario.world import Link
from tidings.simulation.audience import Audience
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter_parser import parsed

STAR = [Link(between=("m", leaf)) for leaf in "abc"]


def test_only_those_behind_the_broker():
    """An event from a that is given up at m is missed at m, b and c; at b, by b only; at a, by all."""
    people = [subscriber(f"at-{home}", home) for home in "mabc"]
    people.append(subscriber("other", "b", 'topic == "u"'))
    world = make_world("mabc", links=STAR, publishers=[publisher(broker="a", topic=("t", "u"))], subscribers=people)
    codes = {one.id: 100 + place for place, one in enumerate(people)}
    event = Event(0, "p", "t", 0, {})
    found = Audience(world, codes).behind([(event, "m"), (event, "b"), (event, "a"), (event, "c")])
    names = {code: name for name, code in codes.items()}
    assert [sorted(names[code] for code in one.tolist()) for one in found] == [
        ["at-b", "at-c", "at-m"],
        ["at-b"],
        ["at-a", "at-b", "at-c", "at-m"],
        ["at-c"],
    ]


def behind_by_walking(world, event, broker):
    """The twin: subscribers whose way from the publisher's broker, in the event's tree, leads through `broker`."""
    home = {one.id: one.broker for one in world.publishers}[event.publisher]
    (tree,) = [one for one in world.trees if event.topic in one.topics]
    found = set()
    for one in world.subscribers:
        way = way_between(tree.links, home, one.broker)
        if broker in way and wants(parsed(one.filter), event.topic, event.attributes):
            found.add(one.id)
    return found


def way_between(links, start, end):
    """Brokers on the only way in a tree."""
    ways = [[start]]
    for way in ways:
        if way[-1] == end:
            return way
        neighbours = [b if a == way[-1] else a for a, b in links if way[-1] in (a, b)]
        ways += [[*way, other] for other in neighbours if other not in way]
    raise AssertionError(f"{end} cannot be reached from {start}")


@pytest.mark.parametrize("seed", range(1, 25))
def test_against_a_walk(seed):
    """For worlds of the campaign, every broker and every kind of event."""
    world = case_of(seed).world
    codes = {one.id: place for place, one in enumerate(world.subscribers)}
    names = list(codes)
    events = [
        Event(one.id, publisher.id, one.topic, 0, one.attributes)
        for publisher in world.publishers
        for one in samples(world, 5)
        if one.topic in publisher.topics
    ]
    given_up = [(event, broker.id) for event in events for broker in world.brokers]
    found = Audience(world, codes).behind(given_up)
    for (event, broker), one in zip(given_up, found, strict=True):
        assert {names[code] for code in one.tolist()} == behind_by_walking(world, event, broker)


def test_nothing_given_up_costs_nothing():
    """No events, no answers."""
    assert Audience(make_world(), {"s": 0}).behind([]) == []


def test_codes_are_what_tables_use():
    """Arrays of integers, the same whenever they are asked for."""
    audience, given_up = Audience(make_world(), {"s": 7}), [(Event(0, "p", "t", 0, {}), "a")]
    for (found,) in (audience.behind(given_up), audience.behind(given_up)):
        assert found.dtype == np.int64
        assert found.tolist() == [7]
