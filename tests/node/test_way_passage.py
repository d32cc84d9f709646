"""Ways decided where an event starts: shared links carry one copy, and nothing is tried again."""

import pytest

from node.addressed_network import MS, AddressedNetwork, Packet, PacketTaken, Routed, by_ways
from tidings.errors import PeerError
from tidings.node import WayPassage
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Reached
from tidings.vocabulary.instant import SECOND
from tidings.vocabulary.machine import Effects

DIAMOND = {"ab": 10, "bd": 10, "ac": 15, "cd": 15, "ad": 50}


def joined(scheme, at="d", delays=None):
    """Brokers that know who wants everything."""
    net = AddressedNetwork(delays or DIAMOND, by_ways(scheme))
    for place in at:
        net.subscribe(place, f"at-{place}")
    net.run(5)
    net.sent.clear()
    return net


@pytest.mark.parametrize(
    ("scheme", "ways"), [("r-tree", ["ad"]), ("d-tree", ["ab", "bd"]), ("multipath", ["ab", "ac", "bd", "cd"])]
)
def test_each_scheme_takes_its_ways(scheme, ways):
    """Fewest hops, least delay, or two ways apart; shown once."""
    net = joined(scheme)
    event = net.publish("a")
    net.run(10)
    assert net.ways() == ways
    assert [(client, shown) for _, client, shown in net.shown] == [("at-d", event)]


def test_what_is_lost_is_lost():
    """No answers, no second try."""
    net = joined("d-tree")
    net.cut = {frozenset("bd")}
    net.publish("a")
    net.run(10)
    assert (net.shown, net.ways()) == ([], ["ab", "bd"])
    assert not net.machines["a"].holds


def test_one_copy_for_all_behind_a_neighbour():
    """Ways that begin alike share it."""
    net = joined("d-tree", at="bde", delays=DIAMOND | {"be": 5})
    net.publish("a")
    net.run(10)
    assert net.ways() == ["ab", "be", "bd"] or net.ways() == ["ab", "bd", "be"]
    assert {client for _, client, _ in net.shown} == {"at-b", "at-d", "at-e"}


def test_a_destination_without_a_way_is_counted():
    """Where the event starts."""
    passage = WayPassage("a", lambda _links, names, _now: {"b": (("b",),)}, {}, drop_expired=True)
    effects, event = Effects(), Event(1, "p", "t", 0, {})
    passage.start(event, ("b", "c"), 0, effects)
    assert [send.frame for send in effects.send] == [Routed(event, (("b",),))]
    assert [(one.reason, one.towards) for one in effects.report] == [("unreachable", ("c",))]


def test_what_has_expired_goes_no_further():
    """It is counted for those it was for."""
    net = joined("d-tree")
    event = net.publish("a", expires_ns=net.now + 5 * MS)
    net.run(10)
    assert net.ways() == ["ab"]
    assert net.dropped == [(event, "expired", ("d",))]
    net.publish("a", expires_ns=5 * SECOND)
    assert net.dropped[-1][1:] == ("expired", ("d",))


def test_what_breaks_the_rules_is_refused():
    """Packets, ways that lead elsewhere, answers that nobody asked for."""
    net = joined("d-tree")
    event = Event(9, "p", "t", 0, {})
    for frame in (Packet(event, 1, ("d",), ("a",)), Routed(event, (("c", "d"),))):
        with pytest.raises(PeerError, match="does not lead there"):
            net.tell("b", "a", frame)
    with pytest.raises(PeerError, match="did not send"):
        net.tell("b", "a", PacketTaken(3))
    with pytest.raises(PeerError, match="nobody asked it to"):
        net.tell("b", "a", Reached(1, "d", (("b",),)))
