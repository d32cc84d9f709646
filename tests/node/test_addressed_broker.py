"""The broker that addresses events to brokers: what it takes, shows, gives up and refuses."""

import numpy as np
import pytest

from node.addressed_network import MS, AddressedNetwork, by_lists, by_ways
from tidings.errors import PeerError
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Accepted, Forward, LinkReports, LinkReportsKnown, Publish, ReportHeard
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.machine import ClientRemoved, NeighbourReturned, Started

LINE = {"ab": 10, "bc": 10}
SCHEMES = [by_lists(), by_ways("d-tree"), by_ways("multipath")]


@pytest.mark.parametrize("passages", SCHEMES)
def test_clients_here_and_elsewhere_are_shown_what_they_want(passages):
    """Those here at once; the publisher hears that its event was taken."""
    net = AddressedNetwork(LINE, passages)
    for place in "abc":
        net.subscribe(place, f"at-{place}", 'topic == "t"')
        net.subscribe(place, f"other-{place}", 'topic == "u"')
    net.run(5)
    event = net.publish("b")
    net.run(6)
    assert sorted((at - 5 * SECOND, client) for at, client, _ in net.shown) == [
        (0, "at-b"),
        (10 * MS, "at-a"),
        (10 * MS, "at-c"),
    ]
    assert net.told["p"] == [Accepted(event)]


def test_the_same_event_twice_is_accepted_twice_and_sent_once():
    """A publisher that did not hear the first answer asks again."""
    net = AddressedNetwork(LINE, by_lists())
    net.subscribe("c", "s")
    net.run(5)
    event = Event(1, "p", "t", net.now, {})
    net.tell("a", "p", Publish(event), Publish(event))
    net.run(6)
    assert net.told["p"] == [Accepted(1), Accepted(1)]
    assert [client for _, client, _ in net.shown] == ["s"]


def test_what_is_over_is_counted_where_it_is_found_out():
    """At the start for everybody, at the last broker for its clients; carried on where that is asked for."""
    net = AddressedNetwork(LINE, by_lists())
    for place in "ac":
        net.subscribe(place, f"at-{place}")
    net.run(5)
    first = net.publish("a", expires_ns=SECOND)
    second = net.publish("a", expires_ns=net.now + 15 * MS)
    net.run(6)
    assert net.dropped[:1] == [(first, "expired", ("c", "a"))]
    assert net.dropped[1:] == [(second, "expired", ("c",))]
    assert [(client, event) for _, client, event in net.shown] == [("at-a", second)]


def test_numbers_of_clients_that_left_are_given_to_others():
    """As for every broker."""
    net = AddressedNetwork(LINE, by_lists())
    net.subscribe("a", "s")
    net.unsubscribe("a", "s")
    net.machines["a"].receive(ClientRemoved("s"), net.now)
    net.subscribe("a", "r")
    assert net.machines["a"].clients == ["r"]


def test_events_kept_elsewhere_are_recognised():
    """A process is told what had been taken for its clients."""
    net = AddressedNetwork(LINE, by_lists())
    net.machines["a"].receive(Started(1, (), (7,)), net.now)
    net.subscribe("a", "s")
    net.tell("a", "p", Publish(Event(7, "p", "t", 0, {})))
    assert net.shown == []


def test_a_neighbour_that_returns_is_told_at_once():
    """What it has not acknowledged."""
    net = AddressedNetwork({"ab": 10}, by_lists())
    net.cut = {frozenset("ab")}
    net.subscribe("a", "s")
    net.run(20)
    net.cut.clear()
    net.sent.clear()
    net.machines["a"].receive(NeighbourReturned("b"), net.now)
    net._collect("a")
    assert [way for way, _ in net.copies(LinkReports)] == ["ab"]
    net.run(21)
    assert np.array_equal(net.machines["b"].wanted(Event(1, "p", "t", 0, {})).others, ["a"])


def test_what_breaks_the_rules_is_refused():
    """Frames of trees, and reports of strangers."""
    net = AddressedNetwork(LINE, by_lists())
    with pytest.raises(PeerError, match="no broker takes under this scheme"):
        net.tell("a", "b", Forward(Event(1, "p", "t", 0, {})))
    for frame in (LinkReports(()), LinkReportsKnown(()), ReportHeard(())):
        with pytest.raises(PeerError, match="has nothing to report"):
            net.tell("a", "c", frame)
