"""Makers of brokers: what each is told."""

import pytest

from simulation.worlds import chain, make_world, publisher
from tidings.node import Broker
from tidings.scenario.world import Reliability, Routing
from tidings.simulation.brokers import broker_maker, renewal_ns, tree_brokers
from tidings.vocabulary.event import Event
from tidings.vocabulary.instant import SECOND


def ahead(event, count):
    """Nothing but the event itself."""
    return (event,)


def test_a_broker_knows_its_neighbours_in_every_tree():
    """And the tree of each topic."""
    links = [*chain("abc"), *chain("ca")]
    world = make_world("abc", links=links, publishers=[publisher(topic=("t", "u", "v", "w"))])
    make = broker_maker(world, ahead, dict)
    for name in "abc":
        options = make(name).options
        assert options.name == name
        for tree in world.trees:
            pairs = [pair for pair in tree.links if name in pair]
            assert sorted(options.neighbours[tree.name]) == sorted(a if b == name else b for a, b in pairs)
            assert all(options.tree_of(topic) == tree.name for topic in tree.topics)
    assert options.tree_of("unknown") is None


def test_options_of_the_scenario_reach_the_brokers():
    """Covering, merging, renewal, and what becomes of expired events."""
    world = make_world(
        routing=Routing(covering=False, merging=True),
        reliability=Reliability(mechanism="periodic", renew_ns=3 * SECOND, expired="carry"),
    )
    options = broker_maker(world, ahead, dict)("a").options
    assert (options.table.covering, options.table.merging) == (False, True)
    assert (options.renew_ns, options.drop_expired) == (3 * SECOND, False)
    assert options.table.ahead(Event(1, "p", "t", 0, {}), 4) == (Event(1, "p", "t", 0, {}),)


@pytest.mark.parametrize(
    ("mechanism", "renewal"),
    [
        ("none", None),
        ("periodic", 60 * SECOND),
        ("buffering", None),
        ("bypass", 60 * SECOND),
        ("bypass+buffering", 60 * SECOND),
    ],
)
def test_what_is_not_kept_is_renewed(mechanism, renewal):
    """Without a mechanism interests are never renewed; on disk they need not be, but for those of stand-ins."""
    assert renewal_ns(make_world(reliability=Reliability(mechanism=mechanism))) == renewal


def test_every_call_makes_a_new_machine():
    """A process that starts again remembers nothing; the class can be another one."""

    class Other(Broker):
        pass

    make = tree_brokers(make_world(), ahead, Other)
    assert make("a") is not make("a")
    assert type(make("b")) is Other


@pytest.mark.parametrize(
    ("mechanism", "kept", "led"),
    [("periodic", False, False), ("buffering", True, False), ("bypass", False, True), ("bypass+buffering", True, True)],
)
def test_the_mechanism_says_what_brokers_do(mechanism, kept, led):
    """Keep what they acknowledge, lead events around failures, both or neither."""
    world = make_world("abc", links=[*chain("abc"), *chain("ca")], reliability=Reliability(mechanism=mechanism))
    options = broker_maker(world, ahead, dict)("a").options
    assert options.keeps == kept
    assert (options.detours is not None) == led
    if led:
        assert set(map(frozenset, options.detours.overlay.links)) == {frozenset("ab"), frozenset("bc"), frozenset("ac")}
        assert {tree: others["a"] for tree, others in options.detours.trees.items()} == options.neighbours
