"""The endpoint of a client that roams."""

from tidings.node.roaming_client import SAY_AGAIN_NS, RoamingClient
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Deliver, MoveIn, Subscribe, Subscribed, Unsubscribe
from tidings.vocabulary.machine import (
    Attached,
    Detached,
    FramesArrived,
    ShowEvent,
    ShowSubscribed,
    SubscribeRequested,
    UnsubscribeRequested,
)

EVENT = Event(1, "p", "t", 0, {}, expires_ns=100)


def said(client):
    """Frames that it wants sent, with whom to."""
    return [(send.to, send.frame) for send in client.drain().send]


def told(client, *notices, now=0):
    """What it says after these."""
    for notice in notices:
        client.receive(notice, now)
    return said(client)


def test_each_coming_says_where_it_was_and_what_it_wants():
    """Sessions count up by one."""
    client = RoamingClient("c")
    assert told(client, SubscribeRequested(0, "true")) == [], "nobody is in reach"
    assert told(client, Attached("a")) == [("a", MoveIn(1, None, ((0, "true"),)))]
    assert told(client, Detached(), Attached("b")) == [("b", MoveIn(2, "a", ((0, "true"),)))]
    assert told(client, Detached(), Detached(), Attached("b")) == [("b", MoveIn(3, "b", ((0, "true"),)))]


def test_wishes_change_on_the_spot_or_with_the_next_coming():
    """Whoever is in reach hears them at once."""
    client = RoamingClient("c")
    told(client, SubscribeRequested(0, "true"), Attached("a"))
    assert told(client, SubscribeRequested(1, "x == 1"), UnsubscribeRequested(0)) == [
        ("a", Subscribe(1, "x == 1")),
        ("a", Unsubscribe(0)),
    ]
    assert told(client, Detached(), UnsubscribeRequested(1), Attached("b")) == [("b", MoveIn(2, "a", ()))]
    assert client.deadline() is None, "nothing is wanted, so nothing will be answered"


def test_it_says_again_that_it_has_come_until_it_is_answered():
    """Less and less often."""
    client = RoamingClient("c")
    told(client, SubscribeRequested(0, "true"), Attached("a"))
    assert client.deadline() == SAY_AGAIN_NS
    client.expire(SAY_AGAIN_NS - 1)
    assert said(client) == []
    client.expire(SAY_AGAIN_NS)
    assert said(client) == [("a", MoveIn(1, None, ((0, "true"),)))]
    assert client.deadline() == 3 * SAY_AGAIN_NS
    client.receive(FramesArrived("a", (Subscribed(0),)), 4)
    assert client.deadline() is None
    assert client.drain().show == [ShowSubscribed(0, ())]


def test_events_are_shown_once_wherever_they_come_from():
    """And only those of the broker that it is attached to."""
    client = RoamingClient("c")
    told(client, Attached("a"))
    client.receive(FramesArrived("a", (Deliver(EVENT),)), 1)
    assert client.drain().show == [ShowEvent(EVENT)]
    told(client, Detached(), Attached("b"))
    client.receive(FramesArrived("a", (Deliver(Event(2, "p", "t", 0, {})),)), 2)
    client.receive(FramesArrived("b", (Deliver(EVENT),)), 2)
    assert client.drain().show == []


def test_out_of_reach_nothing_is_due():
    """The next coming says it all."""
    client = RoamingClient("c")
    told(client, SubscribeRequested(0, "true"), Attached("a"), Detached())
    assert client.deadline() is None
    client.expire(10 * SAY_AGAIN_NS)
    assert said(client) == []
