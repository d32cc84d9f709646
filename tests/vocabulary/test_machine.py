"""The contract of machines, held by the smallest machine that has something of everything."""

import typing

import msgspec
import numpy as np
import pytest

from tidings.vocabulary import machine
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Accepted, Publish
from tidings.vocabulary.machine import (
    DeliverEvent,
    DropEvent,
    Effects,
    FramesArrived,
    Machine,
    NeighbourLost,
    NeighbourReturned,
    Notice,
    RecordsStored,
    SendFrame,
    ShowEvent,
    Started,
    StoreRecord,
)

EVENT = Event(1, "p", "t", 0, {})


class Echo:
    """Stores and acknowledges what is published, one second later."""

    def __init__(self) -> None:
        self.waiting: list[tuple[int, str, int]] = []
        self.effects = Effects()

    def receive(self, notice: Notice, now: int) -> None:
        match notice:
            case Started(records=records):
                self.effects.show.extend(ShowEvent(EVENT) for _ in records)
            case FramesArrived(sender, frames):
                for frame in frames:
                    if isinstance(frame, Publish):
                        self.waiting.append((now + 10, sender, frame.event.id))

    def expire(self, now: int) -> None:
        due = [one for one in self.waiting if one[0] <= now]
        self.waiting = [one for one in self.waiting if one[0] > now]
        for _, sender, event_id in due:
            self.effects.store.append(StoreRecord(str(event_id).encode()))
            self.effects.send.append(SendFrame(sender, Accepted(event_id)))

    def deadline(self) -> int | None:
        return min((one[0] for one in self.waiting), default=None)

    def drain(self) -> Effects:
        drained, self.effects = self.effects, Effects()
        return drained


def test_the_recipe_runs_a_machine():
    """Feed, drain, apply, re-arm: the whole life of a machine without a clock."""
    echo: Machine = Echo()
    echo.receive(Started(1, (b"1", b"2")), 0)
    assert len(echo.drain().show) == 2
    assert echo.deadline() is None
    echo.receive(FramesArrived("c", [Publish(EVENT), Accepted(3)]), 5)
    assert echo.drain().send == []
    assert echo.deadline() == 15
    echo.expire(14)
    assert echo.drain().store == []
    echo.expire(15)
    effects = echo.drain()
    assert (effects.store, effects.send) == ([StoreRecord(b"1")], [SendFrame("c", Accepted(1))])
    assert echo.deadline() is None
    assert echo.drain().send == []


def test_a_fresh_batch_is_empty_and_shares_nothing():
    """A caller owns what it drained."""
    first, second = Effects(), Effects()
    assert not first.anew
    for name in [name for name in Effects.__slots__ if name != "anew"]:
        assert getattr(first, name) == []
        getattr(first, name).append(None)
        assert getattr(second, name) == []
    with pytest.raises(AttributeError):
        first.sned = []


def test_notices_and_effects_cannot_be_changed():
    """What happened has happened."""
    for value, field in [
        (Started(1), "incarnation"),
        (FramesArrived("a", ()), "sender"),
        (RecordsStored(1), "count"),
        (NeighbourLost("a"), "name"),
        (NeighbourReturned("a"), "name"),
        (StoreRecord(b""), "record"),
        (SendFrame("a", Accepted(1)), "to"),
        (ShowEvent(EVENT), "event"),
        (DropEvent(EVENT, "expired"), "reason"),
        (DeliverEvent(EVENT, np.arange(2)), "clients"),
    ]:
        with pytest.raises(AttributeError):
            setattr(value, field, None)


def test_drops_are_for_everyone_unless_said_otherwise():
    """Empty `towards` is everyone behind the machine."""
    assert DropEvent(EVENT, "queue").towards == ()


def test_notices_are_told_in_the_past_tense_and_effects_as_wishes():
    """Names carry the design: a new one has to fit."""
    notices = [kind.__name__ for kind in typing.get_args(Notice)]
    assert all(name.endswith(("ed", "Lost")) for name in notices), notices
    structs = [kind for kind in vars(machine).values() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
    effects = [
        kind.__name__ for kind in structs if kind.__module__ == machine.__name__ and kind.__name__ not in notices
    ]
    assert all(name.startswith(("Store", "Send", "Deliver", "Show", "Drop", "Arm")) for name in effects), effects
