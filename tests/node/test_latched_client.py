"""The latched endpoint: stamps what is published, holds what comes in, and passes on all else."""

import pytest

from tidings.node import Client, ClientOptions, LatchedClient, LatchedOptions
from tidings.ordering.latch import LatchOptions
from tidings.ordering.publication_record import PublicationRecord
from tidings.ordering.stamp_coding import stamped, unstamped
from tidings.vocabulary.event import Event, event_id
from tidings.vocabulary.frames import Accepted, Deliver, Publish, Subscribe, Subscribed, Unsubscribe
from tidings.vocabulary.instant import FOREVER
from tidings.vocabulary.machine import (
    FramesArrived,
    PublishRequested,
    ShowAccepted,
    ShowEvent,
    ShowSubscribed,
    SubscribeRequested,
    UnsubscribeRequested,
)

HOLD = 100


def endpoint(record=25, **more):
    """Around a plain client of broker b, with a constant latch."""
    options = LatchedOptions(name="s", latch=LatchOptions(hold_ns=HOLD), record=record, about="topics", **more)
    return LatchedClient(options, Client(ClientOptions(name="s", broker="b")))


def said(numbers, topics="t", expires_ns=FOREVER):
    """Events of publisher p as they travel, in the order published; a topic for each, going round."""
    record, found = PublicationRecord(25), {}
    for number in range(max(numbers) + 1):
        one = Event(event_id(0, number), "p", topics[number % len(topics)], number, {}, expires_ns)
        found[number] = stamped(one, record.stamp(one))
    return [found[number] for number in numbers]


def arrive(client, now, *events):
    """Frames of the broker."""
    client.receive(FramesArrived("b", tuple(map(Deliver, events))), now)


def shown(client):
    """Numbers shown, each with when it had arrived."""
    return [(show.event.published_ns, show.arrived_ns) for show in client.drain().show if isinstance(show, ShowEvent)]


def wanting(text="true", **more):
    """An endpoint whose application has subscribed."""
    client = endpoint(**more)
    client.receive(SubscribeRequested(0, text), 0)
    client.drain()
    return client


def test_what_is_published_carries_its_stamp():
    """The broker sees one payload; the second event tells of the first."""
    client = endpoint()
    first, second = (Event(event_id(0, number), "s", "t", number, {}, payload=b"x") for number in (0, 1))
    client.receive(PublishRequested(first), 0)
    client.receive(PublishRequested(second), 1)
    frames = [send.frame for send in client.drain().send]
    assert all(type(frame) is Publish for frame in frames)
    assert [unstamped(frame.event)[0] for frame in frames] == [first, second]
    assert [past.topic for past in unstamped(frames[1].event)[1].before] == ["t"]


def test_order_is_restored():
    """Number 1 waits for number 0, and is shown as its publisher said it, with the time of its arrival."""
    client = wanting()
    arrive(client, 10, *said([1]))
    assert shown(client) == []
    assert client.deadline() == 10 + HOLD
    arrive(client, 20, *said([0]))
    assert shown(client) == [(0, 20), (1, 10)]
    assert client.counts.held == 1
    assert client.deadline() is None


def test_a_hole_is_waited_for_until_the_latch_is_over():
    """Not longer."""
    client = wanting()
    arrive(client, 10, *said([1]))
    client.expire(10 + HOLD - 1)
    assert shown(client) == []
    client.expire(10 + HOLD)
    assert shown(client) == [(1, 10)]


def test_holes_that_nobody_wants_are_skipped():
    """By the record, as the wishes stand; a wish that is taken back counts no more."""
    client = wanting('topic == "b"')
    arrive(client, 5, *said([1], "ab"))
    assert shown(client) == [(1, 5)]
    client.receive(SubscribeRequested(1, 'topic == "a"'), 6)
    arrive(client, 7, *said([3], "ab"))
    assert shown(client) == []
    client.receive(UnsubscribeRequested(1), 8)
    arrive(client, 9, *said([5], "ab"))
    assert shown(client) == [(3, 7), (5, 9)]


@pytest.mark.parametrize("more", [{"deadline_ns": 40}, {"deadlines": {"p": 40}, "deadline_ns": 7}])
def test_nothing_is_held_past_its_deadline(more):
    """Published at 1, of use until 41."""
    client = wanting(**more)
    arrive(client, 10, *said([1]))
    assert client.deadline() == 41
    client.expire(41)
    assert shown(client) == [(1, 10)]


def test_nor_past_its_lifetime():
    """At its last instant it is still alive."""
    client = wanting()
    arrive(client, 10, *said([1], expires_ns=30))
    assert client.deadline() == 30
    client.expire(30)
    assert shown(client) == [(1, 10)]


def test_what_expires_in_a_late_driver_is_reported():
    """With the name of whom it was for."""
    client = wanting()
    arrive(client, 10, *said([1], expires_ns=30))
    client.expire(31)
    (drop,) = client.drain().report
    assert (drop.event.published_ns, drop.reason, drop.towards) == (1, "expired", ("s",))


def test_nonsense_is_dropped_and_reported():
    """An event of a publisher that does not stamp hurts nobody else."""
    client = wanting()
    arrive(client, 5, Event(event_id(1, 0), "q", "t", 0, {}), *said([0]))
    effects = client.drain()
    assert [show.event.publisher for show in effects.show] == ["p"]
    assert [(drop.event.publisher, drop.reason, drop.towards) for drop in effects.report] == [
        ("q", "malformed", ("s",))
    ]


def test_everything_else_passes():
    """Wishes to the broker, answers to the application."""
    client = endpoint()
    client.receive(SubscribeRequested(4, "true"), 0)
    client.receive(UnsubscribeRequested(4), 0)
    assert [send.frame for send in client.drain().send] == [Subscribe(4, "true"), Unsubscribe(4)]
    client.receive(FramesArrived("b", (Accepted(7), Subscribed(4))), 0)
    assert client.drain().show == [ShowAccepted(7), ShowSubscribed(4, ())]


def test_duplicates_are_shown_once():
    """The inner endpoint knows them again."""
    client = wanting()
    arrive(client, 5, *said([0]), *said([0]))
    assert shown(client) == [(0, 5)]
