"""A stage's process beside a broker: it begins with its log, and nonsense does not stop it."""

from node.ordered_ring import Ring
from sequencing.board import event
from tidings.node.overlay_port import carried_by
from tidings.sequencing import encoded
from tidings.sequencing.messages import Published, Reached, Requested
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Deliver
from tidings.vocabulary.machine import FramesArrived, PublishRequested, SubscribeRequested


def ring():
    """Subscriber s wants both topics."""
    one = Ring()
    one.tell("s", SubscribeRequested(0, 'topic in ("a", "b")'))
    return one


def test_it_goes_on_with_its_log():
    """Numbers go on, under the next term; what was logged and not heard is asked for."""
    one = ring()
    one.lose = lambda to, carrier: to == "s" and isinstance(carried_by(carrier), Published)
    one.tell("p", PublishRequested(event(0)))
    one.lose = lambda to, carrier: False
    assert len(one.log) == 1
    one.start_stage()
    one.tell("p", PublishRequested(event(1)))
    assert one.events("s") == []
    one.ring("s")
    assert one.events("s") == [("a", 0), ("a", 1)]
    assert [(stamp.number, stamp.term) for stamp in one.machines["stage"].stamped] == [(2, 2)]


def test_while_it_is_away_publishers_keep_their_events():
    """They are sent again when it is back."""
    one = ring()
    stage = one.machines.pop("stage")
    one.tell("p", PublishRequested(event(0)))
    assert one.shown["p"] == []
    one.machines["stage"] = stage
    one.ring("p")
    assert one.events("s") == [("a", 0)]


def test_what_was_published_is_probed():
    """After a while, and the world waits for that."""
    one = ring()
    one.lose = lambda to, carrier: to == "s" and isinstance(carried_by(carrier), Published)
    one.tell("p", PublishRequested(event(0)))
    one.lose = lambda to, carrier: False
    assert one.machines["stage"].holds
    one.ring("stage")
    one.ring("s")
    assert one.events("s") == [("a", 0)]


def test_nonsense_is_reported_and_harms_nobody():
    """Bytes that are no message, a request for a topic of somebody else, and a message that stages do not take."""
    one = ring()
    wrong = (
        b"?",
        encoded(Requested(1, "z", "x", 0, 1, event(5, "z"))),
        encoded(Reached(1, "a", 1)),
    )
    for number, payload in enumerate(wrong):
        carrier = Event(7_000 + number, "x", "$order/in/a", 0, {}, payload=payload)
        one.tell("stage", FramesArrived("b", (Deliver(carrier),)))
    assert [drop.reason for drop in one.reported["stage"]] == ["malformed", "malformed"]
    assert one.machines["stage"].process.refused == 1
    one.tell("p", PublishRequested(event(0)))
    assert one.events("s") == [("a", 0)]


def test_it_has_no_clients():
    """It is one itself."""
    assert ring().machines["stage"].clients == ()
