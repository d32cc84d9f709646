"""One node: what enters and passes, groups that open, atoms that retire, and nodes that step out."""

import pytest

from tidings.errors import PeerError
from tidings.ordering.group_messages import (
    AddAtom,
    Admit,
    Began,
    Ceased,
    End,
    Ended,
    Entered,
    Farewell,
    GoOn,
    GroupMessage,
    Joined,
    Left,
    RetireAtom,
    Said,
    Shut,
    StandBelow,
    StepOut,
    StopHere,
    TakeIn,
)
from tidings.ordering.group_sequencer import AskAgain, Climb, Distribute, Gone, GroupSequencer


def node(*orders, name="n"):
    """A node with these orders, its first wishes dropped."""
    found = GroupSequencer(name)
    for order in orders:
        found.order(order)
    found.drain()
    return found


def messages(wishes):
    """Of what is to be distributed or sent up: group, number, and what passed before."""
    found = [wish.item if isinstance(wish, Climb) else wish.message for wish in wishes]
    return [(one.group, one.number, dict(one.before)) for one in found if isinstance(one, GroupMessage)]


def test_messages_are_numbered_where_they_enter():
    """Group by group, each from 1; without a parent they leave for the members."""
    one = node(TakeIn("g", 0), TakeIn("h", 0))
    one.ask("g", 7)
    one.ask("h", 8)
    one.ask("g", 9)
    assert one.drain() == [
        Distribute(GroupMessage("g", 1, Said(7))),
        Distribute(GroupMessage("h", 1, Said(8))),
        Distribute(GroupMessage("g", 2, Said(9))),
    ]
    assert one.drain() == []


def test_atoms_say_how_many_of_the_other_have_passed():
    """Those here, not those elsewhere; what comes from below keeps what it has."""
    one = node(TakeIn("g", 0), AddAtom(("g", "h")), AddAtom(("x", "g")))
    one.climb("c", Began("h", 3, 0))
    one.climb("c", GroupMessage("h", 4, Said(1), (("y", 2),)))
    one.ask("g", 2)
    one.climb("c", GroupMessage("h", 5, Said(3)))
    assert messages(one.drain()) == [("h", 4, {"y": 2, "g": 0}), ("g", 1, {"h": 4}), ("h", 5, {"g": 1})]


def test_groups_climb_as_ordered():
    """What enters is announced before its first message, and after its last when it is to stop here."""
    one = node(TakeIn("g", 0), StandBelow("p"))
    one.ask("g", 1)
    one.order(GoOn("g", 0))
    one.ask("g", 2)
    one.order(StopHere("g"))
    one.ask("g", 3)
    assert one.drain() == [
        Distribute(GroupMessage("g", 1, Said(1))),
        Climb("p", Began("g", 1, 0)),
        Climb("p", GroupMessage("g", 2, Said(2))),
        Climb("p", Ceased("g")),
        Distribute(GroupMessage("g", 3, Said(3))),
    ]


def test_what_ceased_is_not_known_any_more():
    """Its number is told to nobody, until it begins again."""
    one = node(TakeIn("g", 0), AddAtom(("g", "h")))
    one.climb("c", Began("h", 3, 0))
    one.climb("c", Ceased("h"))
    one.ask("g", 1)
    one.climb("c", Began("h", 9, 0))
    one.ask("g", 2)
    assert messages(one.drain()) == [("g", 1, {}), ("g", 2, {"h": 9})]


def test_a_new_group_opens_when_all_come_that_it_waits_for():
    """Not for the answer to an earlier call; what was asked meanwhile follows in its order."""
    one = node(TakeIn("g", 5, ("h", "i")))
    one.ask("g", 1)
    one.order(Admit("g", "m", 4))
    one.climb("c", Began("h", 2, 4))
    one.climb("c", Began("i", 3, 5))
    assert one.drain() == []
    one.climb("c", Began("h", 6, 5))
    one.ask("g", 2)
    found = one.drain()
    assert messages(found) == [("g", number, {"h": 6, "i": 3}) for number in (1, 2, 3)]
    assert [wish.message.body for wish in found] == [Said(1), Joined("m", 4), Said(2)]


def test_what_came_before_the_order_counts():
    """Items and orders travel apart."""
    one = node()
    one.climb("c", Began("h", 2, 5))
    one.order(TakeIn("g", 5, ("h",)))
    one.ask("g", 1)
    assert messages(one.drain()) == [("g", 1, {"h": 2})]


def test_nobody_waits_for_an_atom_that_has_retired():
    """Either of the two groups may be the one that waits."""
    for pair in (("g", "h"), ("h", "g")):
        one = node(TakeIn("g", 5, ("h",)))
        one.ask("g", 1)
        one.order(RetireAtom(pair))
        one.climb("c", Began("h", 2, 5))
        one.ask("g", 2)
        assert messages(one.drain()) == [("g", 1, {}), ("g", 2, {})]


def test_atoms_retire_one_by_one():
    """The others keep their numbers."""
    one = node(TakeIn("g", 0), TakeIn("h", 0, ("g",)), TakeIn("i", 0, ("g",)))
    one.order(RetireAtom(("g", "h")))
    one.ask("g", 1)
    one.climb("c", Began("x", 1, 0))
    assert messages(one.drain()) == [("g", 1, {"i": 0})]


def test_the_end_is_the_last_message():
    """Whoever asks afterwards is to ask again, as for a group that is not here, or was, or is not yet."""
    one = node(TakeIn("g", 0))
    one.order(End("g"))
    one.ask("g", 1)
    one.ask("x", 2)
    one.order(Shut("g"))
    one.ask("g", 3)
    assert one.drain() == [
        Distribute(GroupMessage("g", 1, Ended())),
        AskAgain(1, "g"),
        AskAgain(2, "x"),
        AskAgain(3, "g"),
    ]


def test_too_much_that_waits_is_not_taken():
    """It is to be asked again; ends and joins are taken always."""
    one = GroupSequencer("n", waiting_max=2)
    one.order(TakeIn("g", 5, ("h",)))
    for event in range(3):
        one.ask("g", event)
    one.order(End("g"))
    assert one.drain() == [AskAgain(2, "g")]
    one.climb("c", Began("h", 0, 5))
    assert [wish.message.body for wish in one.drain()] == [Said(0), Said(1), Ended()]


def test_channels_that_do_not_keep_order_are_noticed():
    """The next message of the group is still taken."""
    one = node()
    one.climb("c", Began("g", 0, 0))
    with pytest.raises(PeerError, match="number 2 of group g came where 1 is next"):
        one.climb("c", GroupMessage("g", 2, Said(1)))
    one.climb("c", GroupMessage("g", 1, Said(0)))
    assert messages(one.drain()) == [("g", 1, {})]


def test_a_node_steps_out_when_its_children_have_left():
    """Whether they left before it was ordered to or after; the parent says when it is gone, a root itself."""
    one = node(StandBelow("p"))
    one.climb("c", Left("c"))
    one.order(StepOut(("c", "d")))
    assert not one.finished
    one.climb("d", Left("d"))
    assert one.drain() == [Climb("p", Left("c")), Climb("p", Left("d")), Climb("p", Farewell())]
    assert one.finished
    root = node()
    root.order(StepOut(()))
    assert (root.drain(), root.finished) == ([Gone("n")], True)


def test_a_farewell_is_passed_on_to_the_directory():
    """By the parent, behind all that the child had sent."""
    one = node(name="p")
    one.climb("n", Began("g", 0, 0))
    one.climb("n", Farewell())
    assert one.drain() == [Gone("n")]


def chain():
    """C below n below p, with g from c up to p."""
    nodes = {name: GroupSequencer(name) for name in "cnp"}
    for name, order in (
        ("c", TakeIn("g", 0)),
        ("c", StandBelow("n")),
        ("c", GoOn("g", 0)),
        ("n", StandBelow("p")),
        ("n", GoOn("g", 0)),
    ):
        nodes[name].order(order)
    return nodes


def carry(nodes, sender, wishes=None):
    """Hand what `sender` sends to where it goes, and what follows of it; gives what leaves for members."""
    out = []
    for wish in nodes[sender].drain() if wishes is None else wishes:
        if isinstance(wish, Climb):
            nodes[wish.to].climb(sender, wish.item)
            out += carry(nodes, wish.to)
        else:
            out.append(wish)
    return out


@pytest.mark.parametrize("new_way_first", [True, False])
def test_what_overtakes_on_the_new_way_waits(new_way_first):
    """N steps out from between c and p: messages come out in their order, and n is gone when all is done."""
    nodes = chain()
    carry(nodes, "c")
    nodes["c"].ask("g", 1)
    nodes["c"].order(StandBelow("p", drained=True))
    nodes["c"].ask("g", 2)
    nodes["n"].order(StepOut(("c",)))
    sent = nodes["c"].drain()
    old, new = [wish for wish in sent if wish.to == "n"], [wish for wish in sent if wish.to == "p"]
    assert [type(wish.item) for wish in new] == [Entered, GroupMessage]
    found = []
    for part in (new, old) if new_way_first else (old, new):
        found += carry(nodes, "c", part)
    assert [wish.message.body for wish in found if isinstance(wish, Distribute)] == [Said(1), Said(2)]
    assert [wish.node for wish in found if isinstance(wish, Gone)] == ["n"]
    nodes["c"].ask("g", 3)
    assert messages(carry(nodes, "c")) == [("g", 3, {})]
