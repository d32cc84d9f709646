"""The ordered endpoint around a plain client: what is published goes to the stage, what is shown comes in order."""

import pytest

from node.ordered_ring import Ring
from sequencing.board import event
from tidings.errors import InputError
from tidings.node.overlay_port import carried_by
from tidings.sequencing.messages import Published
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Deliver
from tidings.vocabulary.machine import (
    FramesArrived,
    PublishRequested,
    ShowAccepted,
    ShowEvent,
    ShowSubscribed,
    SubscribeRequested,
    UnsubscribeRequested,
)

BOTH = 'topic in ("a", "b")'


def ring(text=BOTH, **more):
    """Both subscribers want both topics."""
    one = Ring(**more)
    for name in ("s", "u"):
        one.tell(name, SubscribeRequested(0, text))
    return one


def publish(one, *events):
    """Publisher p's application wants them published."""
    for each in events:
        one.tell("p", PublishRequested(each))


def test_what_is_published_is_shown_in_order_and_acknowledged():
    """To both, with the version, and to the publisher's application."""
    one = ring()
    publish(one, event(0), event(1, "b"))
    assert one.events("s") == one.events("u") == [("a", 0), ("b", 1)]
    assert [show.version for show in one.shown["s"] if isinstance(show, ShowEvent)] == [1, 1]
    assert [show for show in one.shown["p"] if isinstance(show, ShowAccepted)] == [
        ShowAccepted(event(0).id),
        ShowAccepted(event(1).id),
    ]


def test_what_the_last_leg_loses_is_asked_for():
    """What comes behind it waits, and the world waits for the answer."""
    one = ring()
    one.lose = lambda to, carrier: to == "s" and isinstance(carried_by(carrier), Published)
    publish(one, event(0))
    one.lose = lambda to, carrier: False
    publish(one, event(1, "b"))
    assert one.events("s") == []
    assert one.machines["s"].holds
    one.ring("s")
    assert one.events("s") == [("a", 0), ("b", 1)]
    assert not one.machines["s"].holds


def test_the_rest_of_a_filter_is_applied_after_the_order():
    """What it leaves out holds nobody up, and is not reported when it expires."""
    one = ring('topic == "a" and x == 1')
    cheap = Event(event(0).id, "p", "a", 0, {"x": 2}, 5)
    publish(one, cheap, Event(event(1).id, "p", "a", 1, {"x": 1}))
    assert one.events("s") == [("a", 1)]
    assert one.reported["s"] == []


def test_what_expires_on_its_way_is_given_up_for_this_subscriber():
    """It is never shown."""
    one = ring()
    one.now = 6
    publish(one, event(0, expires_ns=5), event(1))
    assert one.events("s") == [("a", 1)]
    assert [(drop.event.id, drop.reason, drop.towards) for drop in one.reported["s"]] == [
        (event(0).id, "expired", ("s",))
    ]


def test_a_joiner_is_in_when_every_topic_has_been_probed():
    """It hears so, and what was published before is not its own."""
    one = Ring(from_start=False)
    publish(one, event(0))
    one.tell("s", SubscribeRequested(3, BOTH))
    assert ShowSubscribed(3, ()) not in one.shown["s"]
    one.ring("s")
    assert one.shown["s"] == [ShowSubscribed(3, ())]
    publish(one, event(1))
    assert one.events("s") == [("a", 1)]


def test_the_same_wish_again_tells_the_broker_again():
    """And changes nothing else."""
    one = ring()
    one.wishes.clear()
    one.tell("s", SubscribeRequested(0, BOTH))
    publish(one, event(0))
    assert one.events("s") == []
    assert {text for (name, _), text in one.wishes.items() if name == "s"} == {
        'topic == "$order/to/s"',
        'topic == "$order/out/a"',
        'topic == "$order/out/b"',
    }


def test_wishes_are_renewed():
    """Every so often, for brokers that forget."""
    one = ring(renew_ns=100)
    one.wishes.clear()
    assert one.machines["s"].deadline() == 100
    one.ring("s")
    assert any(name == "s" for name, _ in one.wishes)
    assert one.machines["s"].deadline() == 200


def test_who_takes_a_wish_back_is_shown_nothing_more():
    """Its topics are left; a second time changes nothing."""
    one = ring()
    one.tell("s", UnsubscribeRequested(0))
    publish(one, event(0))
    assert (one.events("s"), one.events("u")) == ([], [("a", 0)])
    assert {text for (name, _), text in one.wishes.items() if name == "s"} == {'topic == "$order/to/s"'}


def test_nonsense_on_our_names_is_reported_and_harms_nobody():
    """It may come from anybody."""
    one = ring()
    one.tell("s", FramesArrived("b", (Deliver(Event(77, "x", "$order/out/a", 0, {}, payload=b"?")),)))
    assert [drop.reason for drop in one.reported["s"]] == ["malformed"]
    publish(one, event(0))
    assert one.events("s") == [("a", 0)]


def test_a_wish_needs_a_finite_set_of_topics():
    """InputError; a filter that holds for nothing is granted at once."""
    one = Ring()
    with pytest.raises(InputError, match="finite set of topics"):
        one.tell("s", SubscribeRequested(0, "x == 1"))
    one.tell("u", SubscribeRequested(0, "false"))
    assert one.shown["u"] == [ShowSubscribed(0, ())]
    assert one.machines["u"].subscription is None


def test_a_topic_without_a_stage_is_given_up_for_everybody():
    """The publisher's world hears why."""
    one = ring()
    publish(one, event(0, "z"))
    assert [(drop.reason, drop.towards) for drop in one.reported["p"]] == [("no stage", ())]
