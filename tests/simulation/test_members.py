"""Members: interests in the making, whom an interest can reach, numbers of clients, and what clients remember."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulation.worlds import make_world, publisher, subscriber
from tidings.node.client import REMEMBERED
from tidings.scenario.world import Link, Reliability, Tree
from tidings.simulation.members import Interest, Memory, Numbered, Reach


def interest(*reachable):
    """An interest requested at 5."""
    return Interest(subscriber(), 5, reachable=frozenset(reachable))


def test_an_interest_becomes_effective_once():
    """At the first confirmation that leaves out nobody who could be reached."""
    one = interest("a", "b")
    one.confirmed(7, ("b", "c"))
    assert one.effective_ns is None
    one.confirmed(8, ("c",))
    one.confirmed(9, ())
    assert one.effective_ns == 8


def test_those_who_could_not_be_reached_are_not_waited_for():
    """Whoever was down at the request may be missing for ever."""
    one = interest("a")
    one.confirmed(7, ("b", "c"))
    assert one.effective_ns == 7


def test_an_interest_that_was_taken_back_is_never_effective():
    """A confirmation that comes too late changes nothing."""
    one = interest("a")
    one.until_ns = 6
    one.confirmed(7, ())
    assert one.effective_ns is None


class Process:
    """Up or down."""

    def __init__(self, up):
        self.up = up


class Wire:
    """A direction that is held down by so many outages."""

    def __init__(self, down=0):
        self.down = down


SQUARE = [Link(between=pair) for pair in (("a", "b"), ("b", "c"), ("c", "d"), ("a", "d"))]
TREES = (
    Tree(name="one", links=(("a", "b"), ("b", "c"), ("c", "d")), topics=("t",)),
    Tree(name="other", links=(("a", "d"), ("c", "d"), ("b", "c")), topics=("u",)),
)


def reached(wish, *, down=(), cut=(), **more):
    """Whom an interest at a can reach in a square with two trees."""
    world = make_world("abcd", links=SQUARE, publishers=[publisher(topic=("t", "u"))], trees=TREES, **more)
    hosts = {name: Process(name not in down) for name in "abcd"}
    ways = [way for link in SQUARE for way in (link.between, link.between[::-1])]
    channels = {way: Wire(int(way in cut)) for way in ways}
    return "".join(sorted(Reach(world).reachable(subscriber(text=wish), hosts, channels)))


@pytest.mark.parametrize(
    ("down", "cut", "t", "u"),
    [
        ((), (), "abcd", "abcd"),
        (("b",), (), "a", "acd"),
        (("d",), (), "abc", "a"),
        ((), (("b", "c"),), "ab", "acd"),
        ((), (("c", "b"),), "ab", "acd"),
        ((), (("d", "a"),), "abcd", "a"),
    ],
)
def test_reach_follows_the_trees_that_the_interest_uses(down, cut, t, u):
    """Both ways must be open, since the confirmation has to come back; a wish without topics uses all trees."""
    assert reached('topic == "t"', down=down, cut=cut) == t
    assert reached('topic == "u"', down=down, cut=cut) == u
    both = "".join(sorted({*t, *u}))
    assert reached("x > 1", down=down, cut=cut) == reached('topic in ("t", "u")', down=down, cut=cut) == both


@pytest.mark.parametrize(
    ("down", "cut", "all_of"), [((), (("a", "b"),), "abcd"), (("b", "d"), (), "a"), (("b",), (), "acd")]
)
def test_reach_is_that_of_the_overlay_where_interests_are_led_around(down, cut, all_of):
    """Whatever its trees."""
    world = Reliability(mechanism="bypass")
    for wish in ('topic == "t"', 'topic == "u"', "x > 1"):
        assert reached(wish, down=down, cut=cut, reliability=world) == all_of


def test_an_interest_in_nothing_reaches_nobody():
    """A topic that nobody publishes on has no tree."""
    assert reached('topic == "nowhere"') == ""


def test_numbers_become_codes_and_names():
    """Clients in bulk by their code, those with an endpoint of their own by name; the list of names grows."""
    numbered = Numbered({"x": 10, "y": 11, "z": 12}, {"y"})
    codes, alone = numbered.translate(["x"], np.array([0]))
    assert (codes.tolist(), alone) == ([10], [])
    codes, alone = numbered.translate(["x", "y", "z"], np.array([0, 1, 2]))
    assert (codes.tolist(), alone) == ([10, 12], ["y"])
    codes, alone = numbered.translate(["x", "y", "z"], np.array([1]))
    assert (codes.tolist(), alone) == ([], ["y"])


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 5), st.sets(st.integers(0, 4))), max_size=30))
def test_nobody_is_shown_an_event_twice(deliveries):
    """Within what clients remember: each client of a broker gets each event once."""
    memory, shown = Memory(remembered=6), set()
    for broker, event, clients in deliveries:
        fresh = memory.unseen(broker, event, np.array(sorted(clients), np.int64)).tolist()
        assert fresh == sorted(client for client in clients if (broker, event, client) not in shown)
        shown |= {(broker, event, client) for client in fresh}


def test_memory_is_bounded():
    """At least so many events of a broker are recognised, and at most twice as many."""
    memory, client = Memory(remembered=10), np.array([1])
    for event in range(100):
        assert memory.unseen("a", event, client).tolist() == [1]
    assert not any(len(memory.unseen("a", event, client)) for event in range(90, 100))
    younger, older = memory._generations["a"]
    assert len(younger) + len(older) <= 20
    assert Memory()._remembered == REMEMBERED
