"""The publishing end: everything reaches its stage, in order, and across topics where that is promised."""

import pytest

from sequencing.board import deployment, event
from tidings.errors import PeerError
from tidings.sequencing import OrderedPublisher
from tidings.sequencing.messages import Reached, Taken
from tidings.sequencing.publisher import RESEND_NS, TRIES_HELD, WAITING_MAX
from tidings.sequencing.request_desk import AHEAD_MAX


def publisher(**more):
    """One that has said where it listens."""
    one = OrderedPublisher(deployment(**more), "p")
    assert one.drain().listen == ["$order/to/p"]
    return one


def sent(one):
    """Topics and numbers of requests."""
    return [(message.topic, message.number) for _, message in one.drain().tell]


def test_requests_are_numbered_by_topic():
    """And go to the stage's name for the topic."""
    one = publisher()
    for number, topic in enumerate("aab"):
        one.publish(event(number, topic), 0)
    tell = one.drain().tell
    assert [(name, message.number) for name, message in tell] == [
        ("$order/in/a", 1),
        ("$order/in/a", 2),
        ("$order/in/b", 1),
    ]


def test_the_application_hears_what_is_on_the_log():
    """Once, in the order published."""
    one = publisher()
    for number in range(3):
        one.publish(event(number), 0)
    one.receive("", Taken(1, "a", 0, 2, 0), 1)
    one.receive("", Taken(1, "a", 0, 2, 1), 1)
    assert one.drain().taken == [event(0).id, event(1).id]
    assert one.holds
    one.receive("", Taken(1, "a", 0, 3, 3), 2)
    assert one.drain().taken == [event(2).id]
    assert (one.holds, one.deadline()) == (False, None)


def test_what_is_not_acknowledged_is_sent_again():
    """Ever more seldom, and after a while nobody waits for it."""
    one = publisher()
    one.publish(event(0), 0)
    one.drain()
    assert one.deadline() == RESEND_NS
    for _ in range(TRIES_HELD):
        assert one.holds
        one.expire(one.deadline())
        assert sent(one) == [("a", 1)]
    assert not one.holds
    assert one.deadline() is not None


def test_in_program_order_another_topic_waits():
    """Until the timestamps before it are complete; the same topic need not wait."""
    one = publisher(program_order=True)
    for number, topic in enumerate("aaba"):
        one.publish(event(number, topic), 0)
    assert sent(one) == [("a", 1), ("a", 2)]
    one.receive("", Taken(1, "a", 0, 2, 1), 1)
    assert one.drain().taken == [event(0).id, event(1).id]
    one.receive("", Taken(1, "a", 0, 2, 2), 2)
    assert sent(one) == [("b", 1)]
    one.receive("", Taken(1, "b", 0, 1, 1), 3)
    assert sent(one) == [("a", 3)]


def test_not_too_many_are_under_way():
    """The stage keeps no more than so many ahead of their turn."""
    one = publisher()
    for number in range(AHEAD_MAX + 5):
        one.publish(event(number), 0)
    assert len(sent(one)) == AHEAD_MAX


def test_there_is_an_end_to_what_waits():
    """Further events are given up, and that is said."""
    one = publisher(program_order=True)
    for number in range(WAITING_MAX + 1):
        one.publish(event(number), 0)
    (lost,) = one.drain().given_up
    assert (lost.event, lost.reason) == (event(WAITING_MAX), "queue")


def test_a_topic_without_a_stage_is_given_up():
    """Nobody could ever take it."""
    one = publisher()
    one.publish(event(0, "z"), 0)
    assert [lost.reason for lost in one.drain().given_up] == ["no stage"]


@pytest.mark.parametrize(
    "message", [Taken(2, "a", 0, 1, 1), Taken(1, "a", 1, 1, 1), Taken(1, "b", 0, 1, 1), Reached(1, "a", 1)]
)
def test_what_is_not_for_it_is_refused_and_counted(message):
    """Other versions, other incarnations, topics that it never published on."""
    one = publisher()
    one.publish(event(0), 0)
    one.receive("", message, 0)
    assert one.refused == 1
    assert one.drain().taken == []


def test_what_was_never_sent_cannot_be_taken():
    """PeerError, and nothing has changed."""
    one = publisher()
    one.publish(event(0), 0)
    with pytest.raises(PeerError, match="was the last sent"):
        one.receive("", Taken(1, "a", 0, 7, 0), 0)
    assert one.drain().taken == []
