"""The client endpoint: requests become frames, frames become what the application is shown, once and in time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import PeerError
from tidings.node import Client, ClientOptions
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Accepted, Deliver, Forward, Publish, Received, Subscribe, Subscribed, Unsubscribe
from tidings.vocabulary.machine import (
    DropEvent,
    FramesArrived,
    PublishRequested,
    SendFrame,
    ShowAccepted,
    ShowEvent,
    ShowSubscribed,
    Started,
    SubscribeRequested,
    UnsubscribeRequested,
)


def client(**changes):
    """An endpoint s at broker b."""
    return Client(ClientOptions(name="s", broker="b", **changes))


def event(number, expires_ns=100):
    """An event with that identity."""
    return Event(number, "p", "t", 0, {}, expires_ns)


def drained(machine):
    """What the machine wants, as plain lists; it never stores nor delivers."""
    effects = machine.drain()
    assert (effects.store, effects.deliver) == ([], [])
    return effects.send, effects.show, effects.report


@pytest.mark.parametrize(
    ("notice", "frame"),
    [
        (PublishRequested(event(1)), Publish(event(1))),
        (SubscribeRequested(4, "price > 10"), Subscribe(4, "price > 10")),
        (UnsubscribeRequested(4), Unsubscribe(4)),
    ],
)
def test_requests_go_to_the_broker(notice, frame):
    """Each as its frame, and nothing is shown."""
    machine = client()
    machine.receive(notice, 0)
    assert drained(machine) == ([SendFrame("b", frame)], [], [])
    assert drained(machine) == ([], [], [])


def test_answers_and_events_are_shown_in_the_order_read():
    """A batch keeps its order."""
    machine = client()
    machine.receive(FramesArrived("b", (Subscribed(4, ("c",)), Deliver(event(1)), Accepted(2), Deliver(event(3)))), 0)
    shown = [ShowSubscribed(4, ("c",)), ShowEvent(event(1)), ShowAccepted(2), ShowEvent(event(3))]
    assert drained(machine) == ([], shown, [])


def test_nothing_is_shown_after_its_lifetime():
    """At its last instant an event is still alive; later it is reported, for this client."""
    machine = client()
    machine.receive(FramesArrived("b", (Deliver(event(1)),)), 100)
    assert drained(machine) == ([], [ShowEvent(event(1))], [])
    machine.receive(FramesArrived("b", (Deliver(event(2)),)), 101)
    assert drained(machine) == ([], [], [DropEvent(event(2), "expired", ("s",))])


@given(st.lists(st.integers(0, 5), max_size=30))
def test_nothing_is_shown_twice(numbers):
    """Each event where it first came, however often it comes."""
    machine = client()
    machine.receive(FramesArrived("b", [Deliver(event(number)) for number in numbers]), 0)
    assert [show.event.id for show in drained(machine)[1]] == list(dict.fromkeys(numbers))


def test_the_memory_of_duplicates_is_bounded():
    """What came long before passes for new."""
    machine = client(remembered=2)
    machine.receive(FramesArrived("b", [Deliver(event(number)) for number in (1, 2, 3, 4, 5, 1)]), 0)
    assert [show.event.id for show in drained(machine)[1]] == [1, 2, 3, 4, 5, 1]


@pytest.mark.parametrize("frame", [Publish(event(1)), Forward(event(1)), Subscribe(1, "true")], ids=type)
def test_frames_that_no_client_takes_are_refused(frame):
    """With the broker's name and the kind."""
    with pytest.raises(PeerError, match=f"b sent {type(frame).__name__}, which no client takes"):
        client().receive(FramesArrived("b", (frame,)), 0)


def test_a_client_has_no_timer_and_no_beginning():
    """Start and timer do nothing."""
    machine = client()
    machine.receive(Started(3), 0)
    assert machine.deadline() is None
    machine.expire(5)
    assert drained(machine) == ([], [], [])


def test_a_client_with_receipts_says_what_it_was_sent():
    """Every time that it is sent it; its wishes say that it will."""
    machine = Client(ClientOptions(name="c", broker="b", receipts=True))
    machine.receive(SubscribeRequested(3, "true"), 0)
    machine.receive(FramesArrived("b", [Deliver(event(1)), Deliver(event(1))]), 0)
    effects = machine.drain()
    said = [send.frame for send in effects.send]
    assert said == [Subscribe(3, "true", "receipts"), Received((1,)), Received((1,))]
    assert len(effects.show) == 1
