"""Leading events and interests around what has failed: each rule by itself, and storms of failures over random overlays."""

import itertools
import os

import pytest

from node.bypass_storm import BypassStorm
from tidings.errors import PeerError
from tidings.node import DetourOptions
from tidings.node.detours import Detours
from tidings.routing import tree_neighbours
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import (
    Deliver,
    Forward,
    Interests,
    InterestsKnown,
    LinkReport,
    LinkReports,
    LinkReportsKnown,
    Relayed,
)
from tidings.vocabulary.machine import NeighbourLost, NeighbourReturned, SendFrame
from tidings.vocabulary.overlay import Overlay

EVENT = Event(1, "p", "t", 0, {})
TREE = (("a", "b"), ("b", "c"), ("b", "d"))
MORE = (("a", "c"), ("c", "d"))
OVERLAY = Overlay(tuple("abcd"), (*TREE, *MORE), (1.0,) * 5)


class Demanding:
    """Writes down what a demand is told."""

    def __init__(self):
        self.told = []

    def cut_off(self, tree, neighbour, stand_ins, now):
        self.told.append(("cut off", tree, neighbour, stand_ins, now))

    def rejoined(self, tree, neighbour, now):
        self.told.append(("rejoined", tree, neighbour, now))


def detours(here="a", *lost):
    """A broker's, after it lost some neighbours."""
    one = Detours(here, DetourOptions(overlay=OVERLAY, trees={"t": tree_neighbours(TREE), "alone": {}}))
    one.begin(0)
    for name in lost:
        one.hear_of(NeighbourLost(name))
    return one


def changed(one, now=7):
    """What it tells the demand, and what it says of who is new."""
    demand = Demanding()
    return list(one.changes(demand, now)), demand.told


def report(one, sender, broker, version, *lost):
    """A neighbour has heard of a broker's lost links."""
    one.reported(sender, LinkReports((LinkReport(broker, 0, version, lost),)))


def test_nothing_changes_while_all_links_work():
    """Events go along the tree, interests straight to neighbours."""
    one = detours()
    assert changed(one) == ([], [])
    assert one.aside("t", "b") == ()
    assert one.is_direct("b")
    frames = [SendFrame("b", Interests("t", 0, 0, None)), SendFrame("client", Deliver(EVENT))]
    assert one.led(frames) == frames
    assert (one.deadline, one.flush(0)) == (None, [])


def test_a_neighbour_whose_link_has_failed_is_reached_by_another_way():
    """It is not cut off."""
    one = detours("a", "b")
    assert changed(one) == ([("t", "b", ("b",))], [("rejoined", "t", "b", 7)])
    assert one.aside("t", "b") == ("b",)
    assert one.relayed(("b",), Forward(EVENT)) == [SendFrame("c", Relayed(("a", "c", "b"), Forward(EVENT)))]
    known = InterestsKnown("t", 0, 0, 0)
    assert one.led([SendFrame("b", known)]) == [SendFrame("c", Relayed(("a", "c", "b"), known))]


def test_brokers_behind_one_that_cannot_be_reached_stand_in_for_it():
    """As soon as the link state says so; those who are new are named once."""
    one = detours("a", "b")
    changed(one)
    report(one, "c", "c", 1, "b")
    report(one, "c", "d", 1, "b")
    assert changed(one) == ([("t", "b", ("c", "d"))], [("cut off", "t", "b", ("c", "d"), 7)])
    assert one.aside("t", "b") == ("c", "d")
    assert one.aside("t", "d") == ("d",), "who is no neighbour is never sent anything along the tree"
    report(one, "c", "d", 2, "b", "c")
    assert changed(one) == ([("t", "b", ())], [("cut off", "t", "b", ("c",), 7)])
    assert one.relayed(("c", "d"), Forward(EVENT)) == [SendFrame("c", Relayed(("a", "c"), Forward(EVENT)))]


def test_a_neighbour_that_is_back_is_said_to_be():
    """Once, and nothing goes aside for it any more."""
    one = detours("a", "b")
    report(one, "c", "c", 1, "b")
    report(one, "c", "d", 1, "b")
    changed(one)
    one.hear_of(NeighbourReturned("b"))
    assert changed(one) == ([], [("rejoined", "t", "b", 7)])
    assert changed(one) == ([], [])
    assert one.aside("t", "b") == ()


def test_one_lost_for_the_first_time_after_others_were_heard_of_is_new_once():
    """What is not direct from the beginning is as new as what fails later."""
    one = detours()
    report(one, "b", "c", 1, "d")
    assert changed(one) == ([], [])


def test_without_any_way_interests_are_kept_for_neighbours_only():
    """A neighbour may be back sooner than its return is noticed; nobody else can be spoken to."""
    one = detours("a", "b", "c")
    changed(one)
    frames = [SendFrame("b", Interests("t", 0, 0, None)), SendFrame("d", Interests("t", 0, 0, None))]
    assert one.led(frames) == frames[:1]
    assert one.relayed(("b", "d"), Forward(EVENT)) == []


def test_ways_that_others_chose_are_followed():
    """From broker to broker, to their end."""
    one = detours("c")
    assert one.next_hop(Relayed(("a", "c", "d"), Forward(EVENT))) == "d"
    assert one.next_hop(Relayed(("a", "c"), Forward(EVENT))) is None


@pytest.mark.parametrize("way", [("a", "b"), ("c", "a"), ("a", "c", "x")])
def test_ways_that_lead_nowhere_are_refused(way):
    """Those that do not come through here, and those that go on over no link."""
    with pytest.raises(PeerError, match="a way by"):
        detours("c").next_hop(Relayed(way, Forward(EVENT)))


def test_only_neighbours_report():
    """And acknowledge."""
    one = detours("a")
    with pytest.raises(PeerError, match="d is no neighbour of a"):
        one.reported("d", LinkReports(()))
    one.hear_of(NeighbourLost("b"))
    assert one.flush(0) != []
    assert one.deadline is not None
    one.reported("c", LinkReportsKnown((("a", 0, 1),)))
    assert one.deadline is None


def test_sides_and_ways_are_those_of_the_tree_and_the_overlay():
    """Whatever works."""
    one = detours("a")
    assert [one.side("t", name) for name in "abcd"] == [None, "b", "b", "b"]
    assert one.side("alone", "b") is None
    assert one.way("d") == ("a", "b", "d")


@pytest.mark.parametrize("keeps", [False, True])
def test_storms(keeps):
    """After any failures whoever is connected is reached, and when all is repaired nothing goes aside any more."""
    seen = set()
    for seed in range(max(25, int(os.environ.get("TIDINGS_SEEDS", "0")))):
        storm = BypassStorm(seed, keeps=keeps)
        for _ in range(3):
            storm.rage(15)
            storm.rest()
            assert storm.wrong_audiences(5) == [], (seed, keeps)
            seen |= storm.seen
        storm.repair()
        assert storm.wrong_audiences(5) == [], (seed, keeps)
        assert storm.strays() == [], (seed, keeps)
    assert seen == {"relayed event", "relayed interests", "crash", "cut", "several parts"}, "else this shows too little"


def test_storms_can_fail():
    """Where nobody stands in for anybody, somebody is not reached."""
    wrong = []
    for seed in range(10):
        storm = BypassStorm(seed, keeps=False)
        for machine in storm.network.machines.values():
            machine._detours.aside = lambda _tree, _name: ()
        storm.acts = [act for act in storm.acts if act != storm.restart]
        storm.rage(15)
        storm.rest()
        wrong += storm.wrong_audiences(5)
    assert wrong


def test_every_single_frame_may_be_lost():
    """When a broker fails and comes back: renewals bring back what the loss took away."""
    for number in itertools.count():
        storm = BypassStorm(3, keeps=False, links=TREE, more=MORE)
        storm.network.losing = number
        storm.join()
        storm.join()
        storm.crash_one("b")
        storm.rest()
        storm.restart_one("b")
        storm.rest()
        if storm.network.losing >= 0:
            break
        storm.repair()
        assert storm.wrong_audiences(5) == [], number
    assert number > 20
