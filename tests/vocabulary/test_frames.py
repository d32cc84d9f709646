"""Frames: values that can be told apart, compared and encoded."""

import typing

import msgspec
import pytest

from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import (
    Accepted,
    Deliver,
    Forward,
    Frame,
    Guard,
    HandedOver,
    HandoffAsked,
    Homeward,
    Interests,
    InterestsKnown,
    LinkReport,
    LinkReports,
    LinkReportsKnown,
    MoveIn,
    MoveOut,
    Packet,
    PacketTaken,
    Publish,
    PublishInTurn,
    Reached,
    Received,
    Relayed,
    ReportHeard,
    Routed,
    StandBy,
    Subscribe,
    Subscribed,
    Unsubscribe,
    event_of,
)

EVENT = Event(1, "p", "t", 0, {"n": 1})
FRAMES = [
    Publish(EVENT),
    Accepted(1),
    Subscribe(1, 'topic == "t"'),
    Unsubscribe(1),
    Subscribed(1),
    Subscribed(1, ("b3",)),
    Deliver(EVENT),
    Forward(EVENT),
    Received((1, 2)),
    Interests("tree", 1, 3, None, ("true",)),
    Interests("tree", 1, 3, 2, ("a == 1",), ("b == 2",)),
    InterestsKnown("tree", 1, 3, 2),
    InterestsKnown("tree", 1, 3, 2, behind=True, missing=("b1", "b2")),
    MoveIn(2, "b1", ((0, "true"),)),
    MoveIn(1, None, ()),
    MoveOut(2),
    Relayed(("b1", "b2"), HandoffAsked("c", 2, 0, copy=False, closing=True)),
    Relayed(("b2", "b1"), HandedOver("c", 2, 0, (EVENT,), complete=False)),
    Relayed(("b2", "b4", "b3"), StandBy("c", 2, ((0, "true"),))),
    Relayed(("b2", "b4", "b3"), Forward(EVENT)),
    LinkReports((LinkReport("b1", 0, 1, ("b2",)),)),
    LinkReportsKnown((("b1", 0, 1),)),
    ReportHeard((("b1", 0, 1, "b2"),)),
    Homeward("b1", PublishInTurn(2, 1, EVENT)),
    Routed(EVENT, (("b2", "b3"), ("b4",))),
    Packet(EVENT, 7, ("b2", "b3"), ("b1",)),
    Packet(EVENT, 7, ("b2",), ("b1", "b4"), 1, 2, back=True, guards=(Guard("b2", 9, ("b1",)),), spare=True),
    Reached(1, "b2", (("b3", "b1"),)),
    PacketTaken(7),
    PacketTaken(7, ("b3",)),
]


@pytest.mark.parametrize("frame", FRAMES, ids=repr)
def test_a_frame_survives_the_wire(frame):
    """Every kind is told by its tag, and comes back equal."""
    again = msgspec.msgpack.decode(msgspec.msgpack.encode(frame), type=Frame)
    assert again == frame
    assert type(again) is type(frame)


def test_every_kind_of_frame_is_tested_here():
    """A new kind has to be added above."""
    assert {type(frame) for frame in FRAMES} == set(typing.get_args(Frame))


@pytest.mark.parametrize("frame", FRAMES, ids=repr)
def test_a_frame_cannot_be_changed(frame):
    """It may lie in several queues at once."""
    with pytest.raises(AttributeError):
        setattr(frame, frame.__struct_fields__[0], None)


def test_frames_of_different_kinds_are_never_equal():
    """Even with the same content."""
    assert Deliver(EVENT) != Forward(EVENT)
    assert Accepted(1) != Unsubscribe(1)


def test_a_relayed_frame_goes_on_along_its_way():
    """To its end; the first broker never gets it back, and a stranger never gets it."""
    frame = Relayed(("a", "b", "c"), Forward(EVENT))
    assert [frame.after(name) for name in "bc"] == ["c", None]
    for name in "ax":
        with pytest.raises(ValueError, match="not in tuple"):
            frame.after(name)


def test_events_are_found_in_all_frames_that_bring_them():
    """And in no others."""
    bring = [Publish(EVENT), Forward(EVENT), Deliver(EVENT), Relayed(("a", "b"), Forward(EVENT))]
    assert [event_of(frame) for frame in bring] == [EVENT] * 4
    other = [Accepted(1), Received((1,)), Relayed(("a", "b"), StandBy("c", 2)), MoveOut(1)]
    assert [event_of(frame) for frame in other] == [None] * 4
