"""Homes of clients that roam: what they are owed follows them, and what they publish keeps its order."""

import pytest

from node.network import options_on
from tidings.node import AT_HOME, Broker, HomeBroker, RoamingBroker, RoamingOptions
from tidings.node.home_broker import IN_TURN_MAX, Resident
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import (
    Accepted,
    ClientHears,
    ClientSays,
    Deliver,
    Forward,
    Homeward,
    MoveIn,
    MoveOut,
    PublishInTurn,
    Received,
    Relayed,
    Subscribed,
    Unsubscribe,
)
from tidings.vocabulary.instant import DAY, SECOND
from tidings.vocabulary.machine import FramesArrived, Started

WISH = 'topic == "t"'
LINE = [("a", "b"), ("b", "c")]


def event(number):
    """An event that client m publishes."""
    return Event(number, "m", "t", 0, {})


class House:
    """Broker a of a line of three, alone, with a client m whose home is `home`."""

    def __init__(self, home="a", keeps=True):
        self.now, self.home = 0, home
        ways = {"b": ("a", "b"), "c": ("a", "b", "c")}
        options = RoamingOptions(name="a", scheme="reactive", way=ways.get, keeping="none" if keeps else "plain")
        inside = RoamingBroker(Broker(options_on(LINE, keeps=keeps)["a"]), options)
        self.machine = HomeBroker(inside)
        self.machine.receive(Started(0), 0)
        self.effects = self.machine.drain()

    def hear(self, sender, *frames):
        """What it wants after these, as pairs of receiver and frame."""
        self.machine.receive(FramesArrived(sender, frames), self.now)
        self.effects = self.machine.drain()
        return [(send.to, send.frame) for send in self.effects.send]

    def homeward(self, *frames):
        """The client says something, while it is here."""
        return self.hear("m", *(Homeward(self.home, frame) for frame in frames))

    def remote(self, *frames, place="c"):
        """The client says something, while it is elsewhere."""
        return self.hear("b", *(Relayed((place, "b", "a"), ClientSays("m", frame)) for frame in frames))

    def wait(self, for_ns):
        """Let time pass; gives all that is sent meanwhile."""
        end, found = self.now + for_ns, []
        while (due := self.machine.deadline()) is not None and due <= end:
            self.now = max(self.now, due)
            self.machine.expire(self.now)
            found += [(send.to, send.frame) for send in self.machine.drain().send]
        self.now = end
        return found


def to_client(frames):
    """What goes to the client, here or elsewhere."""
    found = []
    for to, frame in frames:
        if to == "m":
            found.append(("here", frame))
        elif isinstance(frame, Relayed) and isinstance(frame.frame, ClientHears):
            found.append((frame.way[-1], frame.frame.frame))
    return [(place, one) for place, one in found if isinstance(one, Deliver | Accepted)]


MOVED = MoveIn(1, None, ((5, WISH),))


def test_what_a_client_does_not_acknowledge_is_sent_to_where_it_is():
    """Here, or over the way to the broker that it has come to; nowhere while nobody knows."""
    house = House()
    house.remote(MOVED)
    house.hear("b", Forward(event(1)))
    assert to_client(house.wait(1.5 * SECOND)) == [("c", Deliver(event(1)))]
    house.hear("m", MoveIn(2, None, ()))
    house.homeward(MoveIn(2, None, ((5, WISH),)))
    assert ("here", Deliver(event(1))) in to_client(house.wait(10 * SECOND))
    house.hear("m", MoveOut(2))
    assert to_client(house.wait(300 * SECOND)) == []
    assert [name for name, _ in house.machine.leftovers()] == ["m"]
    assert not house.machine.holds


def test_what_it_acknowledges_is_not_sent():
    """Whoever brought it."""
    house = House()
    house.remote(MOVED)
    house.hear("b", Forward(event(1)))
    house.remote(Received((1,)))
    assert to_client(house.wait(DAY)) == []
    assert list(house.machine.leftovers()) == []


def test_old_news_of_a_client_is_no_news():
    """It is where it was in the latest session."""
    house = House()
    house.remote(MoveIn(3, None, ((5, WISH),)))
    house.remote(MoveIn(2, None, ((5, WISH),)), place="b")
    house.remote(MoveOut(2))
    assert house.machine._residents["m"].place == "c"
    house.remote(MoveOut(3))
    assert house.machine._residents["m"].place is None


def test_a_home_is_told_when_its_client_has_gone():
    """By the broker that it was at, at once, and again when that is asked to pass something on."""
    house = House(home="c")
    house.hear("m", MoveIn(4, None, ()))
    ((to, said),) = house.homeward(MOVED)
    assert (to, said) == ("b", Relayed(("a", "b", "c"), ClientSays("m", MOVED)))
    gone = ("b", Relayed(("a", "b", "c"), ClientSays("m", MoveOut(4))))
    assert gone in house.hear("m", MoveOut(4))
    late = Relayed(("c", "b", "a"), ClientHears("m", 4, Deliver(event(1))))
    assert house.hear("b", late) == [gone]


def test_what_a_home_says_is_passed_on_while_the_client_is_there():
    """In the session that the home means."""
    house = House(home="c")
    house.hear("m", MoveIn(4, None, ()))
    said = [Relayed(("c", "b", "a"), ClientHears("m", session, Deliver(event(1)))) for session in (4, 3)]
    assert ("m", Deliver(event(1))) in house.hear("b", said[0])
    assert ("m", Deliver(event(1))) not in house.hear("b", said[1])


def test_others_talk_is_passed_on():
    """Between a home and a place that are both elsewhere."""
    house = House()
    house.machine.name = "b"
    frame = Relayed(("a", "b", "c"), ClientSays("m", MoveOut(1)))
    assert house.hear("a", frame) == [("c", frame)]


def test_wishes_are_known_at_home_by_their_own_name():
    """So that the client may be a guest at its own home; taken back, they are owed nothing."""
    house = House()
    house.hear("m", MoveIn(1, None, ()))
    house.homeward(MOVED)
    assert house.machine.clients == ["m" + AT_HOME]
    house.hear("b", Forward(event(1)))
    house.homeward(Unsubscribe(5))
    assert list(house.machine.leftovers()) == []


def test_an_answer_at_home_is_for_the_client():
    """What is said to its other name is said to it."""
    house = House()
    house.hear("m", MoveIn(1, None, ()))
    frames = house.machine._to_resident("m", Subscribed(5))
    assert frames == []
    house.homeward(MOVED)
    assert [(send.to, send.frame) for send in house.machine._to_resident("m", Subscribed(5))] == [("m", Subscribed(5))]


def test_expired_events_are_reported_for_the_client():
    """By its own name."""
    house = House()
    house.remote(MOVED)
    house.remote(MoveOut(1))
    house.hear("b", Forward(Event(1, "p", "t", 0, {}, expires_ns=SECOND)))
    house.now = 2 * SECOND
    house.remote(MoveIn(2, None, ()))
    assert [(drop.event.id, drop.reason, drop.towards) for drop in house.effects.report] == [(1, "expired", ("m",))]


# ---- what it publishes


def in_turn(*numbers, first=0):
    """Its events of these numbers, as it hands them over."""
    return [PublishInTurn(number, first, event(number)) for number in numbers]


@pytest.mark.parametrize("keeps", [True, False])
def test_events_are_taken_in_their_turn(keeps):
    """Whatever ways they came; each is acknowledged to where the client is, and again when it is said again."""
    house = House(keeps=keeps)
    house.remote(MoveIn(1, None, ()))
    assert to_client(house.remote(*in_turn(1, 2))) == []
    assert to_client(house.remote(*in_turn(0))) == [("c", Accepted(number)) for number in (0, 1, 2)]
    assert to_client(house.remote(*in_turn(1))) == [("c", Accepted(1))]


def test_a_home_that_has_forgotten_begins_with_what_is_left():
    """Everything before that was acknowledged, or given up."""
    assert Resident().take(PublishInTurn(7, 7, event(7))) == [event(7)]
    resident = Resident()
    assert resident.take(PublishInTurn(8, 7, event(8))) == []
    assert resident.take(PublishInTurn(7, 7, event(7))) == [event(7), event(8)]
    assert resident.take(PublishInTurn(10, 10, event(10))) == [event(10)]


def test_what_waits_for_its_turn_is_bounded():
    """Who is too far ahead has to say it again."""
    resident = Resident()
    assert resident.take(PublishInTurn(IN_TURN_MAX, 0, event(1))) == []
    assert resident.early == {}
    for number in range(1, IN_TURN_MAX):
        resident.take(PublishInTurn(number, 0, event(number)))
    assert len(resident.take(PublishInTurn(0, 0, event(0)))) == IN_TURN_MAX
    resident.early = {5: event(5)}
    assert resident.take(PublishInTurn(IN_TURN_MAX + 1, 0, event(1))) == []
    assert list(resident.early) == [IN_TURN_MAX + 1]
