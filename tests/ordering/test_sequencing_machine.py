"""A machine that hosts nodes: hands on within, repairs channels between, and asks senders to wait when too much is kept."""

import pytest

from tidings.errors import PeerError
from tidings.ordering.group_messages import Began, GoOn, GroupMessage, Left, Said, StandBelow, StepOut, TakeIn
from tidings.ordering.group_sequencer import AskAgain, Distribute, GroupSequencer
from tidings.ordering.hop_channel import Numbered
from tidings.ordering.sequencing_machine import Acknowledgement, Hop, SequencingMachine


def two_machines(**options):
    """Node a on x, where g enters, below node b on y."""
    where = {"a": "x", "b": "y"}
    x, y = (SequencingMachine(where, resend_ns=100, **options) for _ in range(2))
    for order in (TakeIn("g", 0), StandBelow("b"), GoOn("g", 0)):
        x.order("a", order, 0)
    return x, y


def test_nodes_on_one_machine_hand_on_at_once():
    """Three in a row: nothing is sent, the message leaves the last one."""
    machine = SequencingMachine(dict.fromkeys("abc", "x"), resend_ns=100)
    machine.order("a", TakeIn("g", 0), 0)
    for node, parent in (("a", "b"), ("b", "c")):
        machine.order(node, StandBelow(parent), 0)
        machine.order(node, GoOn("g", 0), 0)
    machine.ask("a", "g", 7, 5)
    wanted = machine.drain()
    assert wanted.frames == []
    assert wanted.distribute == [Distribute(GroupMessage("g", 1, Said(7)))]
    assert machine.deadline() is None


def test_items_between_machines_are_numbered_and_kept():
    """Until they are acknowledged; the receiver acknowledges each frame, new or not."""
    x, y = two_machines()
    x.ask("a", "g", 7, 5)
    frames = x.drain().frames
    hops = [Hop("a", "b", Began("g", 0, 0)), Hop("a", "b", GroupMessage("g", 1, Said(7)))]
    assert frames == [("y", Numbered(1, hops[0])), ("y", Numbered(2, hops[1]))]
    assert x.unacknowledged == 2
    y.receive("x", frames[1][1], 10)
    assert y.drain().frames == [("x", Acknowledgement(0))]
    y.receive("x", frames[0][1], 11)
    wanted = y.drain()
    assert wanted.frames == [("x", Acknowledgement(2))]
    assert wanted.distribute == [Distribute(GroupMessage("g", 1, Said(7)))]
    y.receive("x", frames[0][1], 12)
    assert y.drain().frames == [("x", Acknowledgement(2))]
    x.receive("y", Acknowledgement(2), 20)
    assert (x.unacknowledged, x.deadline()) == (0, None)


def test_what_is_lost_is_sent_again():
    """At the deadline; a machine without anything on its way has none."""
    x, _ = two_machines()
    first = x.drain().frames
    assert x.deadline() == 100
    x.expire(99)
    assert x.drain().frames == []
    x.expire(100)
    assert x.drain().frames == first


def test_a_node_begins_with_what_is_first_heard_of_it():
    """An item may come before any order."""
    x, y = two_machines()
    x.ask("a", "g", 7, 5)
    for _, frame in x.drain().frames:
        y.receive("x", frame, 10)
    assert y.drain().distribute
    y.order("b", TakeIn("h", 0), 20)
    y.ask("b", "h", 8, 21)
    assert y.drain().distribute == [Distribute(GroupMessage("h", 1, Said(8)))]


def test_senders_ask_again_where_nothing_is_taken():
    """At a node that is not there, for a group that does not enter, and when too much is not acknowledged."""
    x, y = two_machines(buffered_max=2)
    y.ask("b", "g", 1, 0)
    x.ask("a", "h", 1, 0)
    assert (y.drain().again, x.drain().again) == ([AskAgain(1, "g")], [AskAgain(1, "h")])
    for event in (2, 3, 4):
        x.ask("a", "g", event, 0)
    x.ask("a", "h", 5, 0)
    assert x.drain().again == [AskAgain(3, "g"), AskAgain(4, "g"), AskAgain(5, "h")]
    x.receive("y", Acknowledgement(2), 1)
    x.ask("a", "g", 6, 2)
    assert x.drain().again == []


def test_few_items_are_on_their_way_at_once():
    """The next leaves when one is acknowledged."""
    x, _ = two_machines(flight_max=1)
    x.ask("a", "g", 7, 0)
    assert len(x.drain().frames) == 1
    x.receive("y", Acknowledgement(1), 10)
    assert [frame.number for _, frame in x.drain().frames] == [2]


def test_nodes_that_stepped_out_are_forgotten():
    """The directory is told by the parent's machine, when nothing of them is on its way any more."""
    x, y = two_machines()
    x.order("a", StepOut(()), 5)
    assert x.drain().gone == []
    x.ask("a", "g", 1, 6)
    assert x.drain().again == [AskAgain(1, "g")]
    x.expire(100)
    for _, frame in x.drain().frames:
        y.receive("x", frame, 110)
    assert y.drain().gone == ["a"]
    y.order("b", StepOut(()), 120)
    assert y.drain().gone == ["b"]


def test_strangers_acknowledge_nothing():
    """Nor does a peer what was never sent; and nodes refuse what cannot follow."""
    x, y = two_machines()
    with pytest.raises(PeerError, match="machine z acknowledges, and nothing was sent to it"):
        x.receive("z", Acknowledgement(0), 0)
    with pytest.raises(PeerError, match="number 9 is acknowledged"):
        x.receive("y", Acknowledgement(9), 0)
    with pytest.raises(PeerError, match="group g came from a, which is not on its way"):
        y.receive("x", Numbered(1, Hop("a", "b", GroupMessage("g", 1, Said(1)))), 0)


def test_nodes_may_be_others():
    """For comparison: a machine makes its nodes as it is told to."""
    made = []

    def make(name):
        made.append(name)
        return GroupSequencer(name)

    machine = SequencingMachine({"a": "x"}, resend_ns=1, node=make)
    machine.order("a", TakeIn("g", 0), 0)
    machine.order("a", StandBelow(None), 0)
    assert made == ["a"]
    assert Left("a") == Left("a")
