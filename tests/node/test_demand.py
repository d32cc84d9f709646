"""Demand: wishes and interests in all trees, and what a broker remembers of them."""

import pytest

from tidings.delivery.keeper import Noted
from tidings.delivery.soft_state import TRIES_MAX
from tidings.errors import PeerError
from tidings.matching import LinearMatcher
from tidings.node.demand import Demand, DemandOptions
from tidings.routing import TableOptions
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Interests, InterestsKnown, Subscribe, Subscribed, Unsubscribe
from tidings.vocabulary.instant import MINUTE, SECOND
from tidings.vocabulary.machine import SendFrame

TREES = {"one": ("n",), "two": ("m", "n")}
NEWS, QUOTES = 'topic == "news"', 'topic == "quote"'


def demand(incarnation=0, **changes):
    """Broker b, between m and n in one tree of two."""
    options = {
        "name": "b",
        "neighbours": TREES,
        "tree_of": {"news": "one", "quote": "two"}.get,
        "table": TableOptions(new_matcher=LinearMatcher),
        "renew_ns": None,
        "lasting": True,
    }
    return Demand(DemandOptions(**{**options, **changes}), incarnation)


def wanting(one, topic):
    """Neighbours and names of clients who want an event on a topic."""
    wanted = one.wanted(Event(1, "p", topic, 0, {}))
    clients = [one.wishes.clients[number] for number in one.wishes.clients_of(wanted.clients).tolist()]
    return wanted.others, clients


def test_what_is_new_is_told_from_what_is_said_again():
    """Only what is new needs to be written down."""
    one = demand()
    assert one.subscribe("s", Subscribe(1, NEWS))
    assert not one.subscribe("s", Subscribe(1, NEWS))
    assert one.subscribe("s", Subscribe(1, QUOTES))
    assert one.unsubscribe("s", Unsubscribe(1))
    assert not one.unsubscribe("s", Unsubscribe(1))
    assert one.learn("n", Interests("one", 0, 1, None, (NEWS,)), 0)
    assert not one.learn("n", Interests("one", 0, 1, 1), 0)
    assert one.learn("n", Interests("one", 0, 2, None, (NEWS,)), 0), "the next change counts from here"
    assert not one.learn("n", Interests("one", 0, 2, None, (NEWS,)), 0)
    assert not one.learn("n", Interests("one", 0, 1, None, ()), 0), "older than what is known"
    assert not one.learn("n", Interests("one", 0, 9, 8, (QUOTES,)), 0), "cannot be applied"


def test_a_batch_is_answered_once():
    """Several wishes make one change in each tree."""
    one = demand()
    one.subscribe("s", Subscribe(1, NEWS))
    one.subscribe("s", Subscribe(2, f'{NEWS} and x == 1 or topic == "news" and y == 2'))
    one.subscribe("t", Subscribe(1, QUOTES))
    frames = one.flush(0)
    assert [(frame.to, frame.frame.tree, frame.frame.version) for frame in frames] == [
        ("n", "one", 1),
        ("m", "two", 1),
        ("n", "two", 1),
    ]
    assert (one.flush(0), one.deadline) == ([], SECOND)


def test_a_wish_outside_all_trees_is_known_at_once():
    """There is nobody to tell."""
    one = demand()
    one.subscribe("s", Subscribe(1, 'topic == "other"'))
    assert one.flush(0) == [SendFrame("s", Subscribed(1))]


def test_strangers_are_refused():
    """A neighbour in one tree is none in another, and there are no other trees."""
    one = demand()
    for sender, tree in (("m", "one"), ("x", "two"), ("n", "none")):
        with pytest.raises(PeerError, match="is no neighbour of b"):
            one.learn(sender, Interests(tree, 0, 1, None, ()), 0)
        with pytest.raises(PeerError, match="is no neighbour of b"):
            one.hear(sender, InterestsKnown(tree, 0, 1, 1), 0)
    assert one.flush(0) == []


def test_the_notes_say_everything():
    """A new process that takes them in again wants what the old one wanted, and tells its neighbours all of it."""
    old = demand()
    old.subscribe("s", Subscribe(1, NEWS))
    old.subscribe("s", Subscribe(2, QUOTES))
    old.learn("m", Interests("two", 3, 7, None, (QUOTES,)), 0)
    old.flush(0)
    notes = tuple(old.notes())
    assert len(notes) == 3
    new = demand(incarnation=1)
    new.resume(notes, 0)
    assert [wanting(new, topic) for topic in ("news", "quote")] == [((), ["s"]), (("m",), ["s"])]
    told = [one for one in new.flush(0) if isinstance(one.frame, Interests)]
    assert [(one.to, one.frame.tree, one.frame.incarnation, one.frame.base, one.frame.added) for one in told] == [
        ("n", "one", 1, None, (NEWS,)),
        ("m", "two", 1, None, (QUOTES,)),
        ("n", "two", 1, None, (QUOTES,)),
    ]
    assert tuple(new.notes()) == notes


def test_notes_are_taken_in_in_their_order():
    """A wish that was taken back, and one that was changed."""
    one = demand()
    changes = [Subscribe(1, NEWS), Subscribe(2, NEWS), Unsubscribe(1), Subscribe(2, QUOTES)]
    one.resume([Noted("s", frame) for frame in changes], 0)
    one.flush(0)
    assert tuple(one.notes()) == (Noted("s", Subscribe(2, QUOTES)),)
    assert [wanting(one, topic)[1] for topic in ("news", "quote")] == [[], ["s"]]


def test_who_does_not_answer_is_waited_for_where_interests_last():
    """And is given up, and named, where they do not."""
    said = {}
    for lasting in (True, False):
        one, frames = demand(lasting=lasting), []
        one.subscribe("s", Subscribe(1, NEWS))
        one.flush(0)
        for _ in range(TRIES_MAX + 3):
            now = one.deadline
            one.due(now)
            frames += one.flush(now)
        said[lasting] = [frame.frame for frame in frames if frame.to == "s"]
    assert said == {True: [], False: [Subscribed(1, ("n",))]}


def test_who_has_returned_is_asked_at_once():
    """What it has not confirmed; nothing when it has confirmed everything."""
    one = demand()
    one.subscribe("s", Subscribe(1, NEWS))
    one.flush(0)
    for _ in range(9):
        one.due(one.deadline)
        one.flush(one.deadline)
    now = 10 * MINUTE
    one.hurry("n", now)
    one.flush(now)
    assert one.deadline == now
    one.hear("n", InterestsKnown("one", 0, 1, 1), now)
    assert one.flush(now) == [SendFrame("s", Subscribed(1))]
    one.hurry("n", now)
    one.hurry("m", now)
    one.flush(now)
    assert one.deadline is None
