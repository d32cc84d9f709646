"""Second copies: sent only where the first could not be sent again in time, kept until they are needed, and no longer."""

import pytest

from node.addressed_network import MS, AddressedNetwork, Packet, by_lists
from tidings.errors import PeerError
from tidings.node.list_passage import SLACK_NS as ANSWER_SLACK_NS
from tidings.routing.hedging import SLACK_NS
from tidings.vocabulary.frames import Reached
from tidings.vocabulary.instant import SECOND

SQUARE = {"as": 20, "ag": 15, "gs": 12, "ah": 25, "hs": 30}
"""From a to s by a link, or by g or h."""


def joined(deadline, *, guards=1, delays=None, at="s", cut=(), ratio=0.9):
    """Somebody at `at` wants everything within so many milliseconds; then links are cut."""
    deadlines = {"p": dict.fromkeys(at, deadline)}
    net = AddressedNetwork(delays or SQUARE, by_lists(deadlines, guards=guards, ratio=ratio))
    for place in at:
        net.subscribe(place, f"at-{place}")
    net.run(5)
    net.sent.clear()
    net.cut = {frozenset(pair) for pair in cut}
    return net


def test_where_there_is_time_to_try_again_there_is_no_second_copy():
    """As under DCRD."""
    net = joined(200)
    net.publish("a")
    net.run(6)
    assert net.ways() == ["as"]
    assert net.copies(Reached) == []


def test_a_guard_stands_by_and_lets_go_when_the_event_is_there():
    """One copy to it, one piece of news from the destination, and nothing more."""
    net = joined(60)
    net.publish("a")
    net.run(6)
    assert net.ways() == ["as", "ag"]
    assert [way for way, _ in net.copies(Reached)] == ["sg"]
    assert len(net.shown) == 1
    assert not any(machine.holds for machine in net.machines.values())


def test_a_guard_sends_when_the_news_is_overdue():
    """In time; the first sender hears that the event is there and sends nothing more."""
    net = joined(60, cut=["as"])
    net.publish("a")
    net.run(6)
    assert net.ways() == ["as", "ag", "gs"]
    assert [at - 5 * SECOND for at, _, _ in net.shown] == [20 * MS + 12 * MS + SLACK_NS + 12 * MS]
    assert not any(machine.holds for machine in net.machines.values())


def test_a_guard_that_cannot_wait_sends_at_once():
    """The news could not be there before."""
    net = joined(40)
    net.publish("a")
    net.run(6)
    assert net.ways() == ["as", "ag", "gs"]
    assert len(net.shown) == 1


def test_without_guards_nobody_stands_by():
    """Only who does not answer is passed over."""
    net = joined(60, guards=0, cut=["as"])
    net.publish("a")
    net.run(6)
    assert net.ways() == ["as", "ag", "gs"]
    assert [at - 5 * SECOND for at, _, _ in net.shown] == [40 * MS + ANSWER_SLACK_NS + 27 * MS]


def test_what_nobody_could_have_in_time_gets_one_copy():
    """It is late already."""
    net = joined(19)
    net.publish("a")
    net.run(6)
    assert net.ways() == ["as"]


def test_who_gets_a_copy_anyway_guards_for_others_without_another():
    """Two destinations stand by for each other."""
    net = joined(60, delays={"as": 20, "ag": 20, "gs": 12}, at="gs")
    net.publish("a")
    net.run(6)
    assert sorted(net.ways()) == ["ag", "as"]
    assert sorted(way for way, _ in net.copies(Reached)) == ["gs", "sg"]


def test_who_did_not_answer_is_passed_over_until_it_is_heard():
    """The next event goes another way at once, if it can be in time there."""
    net = joined(60, guards=0, cut=["as"])
    net.publish("a")
    net.run(5.2)
    net.sent.clear()
    net.publish("a")
    net.run(5.3)
    assert net.ways() == ["ag", "gs"]
    net.cut.clear()
    net.run(6)
    net.sent.clear()
    net.publish("a")
    net.run(7)
    assert net.ways() == ["as"]


def test_if_all_fails_the_event_still_comes_late():
    """The first sender waits until it should have heard of the guard, then goes on as under DCRD."""
    net = joined(60, cut=["as", "gs"])
    net.publish("a")
    net.run(10)
    assert net.ways()[:3] == ["as", "ag", "gs"]
    assert len(net.shown) == 1
    assert [way for way, frame in net.copies(Packet) if not frame.spare and frame.destinations][-1] == "hs"


def test_news_that_is_not_for_us_is_refused():
    """And so is any where nobody stands by."""
    net = joined(60)
    with pytest.raises(PeerError, match="not its business"):
        net.tell("a", "g", Reached(1, "s", (("h",),)))
    plain = AddressedNetwork(SQUARE, by_lists())
    with pytest.raises(PeerError, match="not its business"):
        plain.tell("a", "g", Reached(1, "s", (("a",),)))
