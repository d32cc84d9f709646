"""What brokers tell each other of wishes and links, where events are addressed to brokers."""

import pytest

from node.addressed_network import MS, AddressedNetwork, by_lists
from tidings.node.bulletin import ASK_NS, TRIES_MAX
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import LinkReports, ReportHeard, Subscribed
from tidings.vocabulary.instant import SECOND

RING = {"ab": 10, "bc": 10, "cd": 10, "da": 10}
EVENT = Event(1, "p", "t", 0, {"x": 1})


def wanting(net, event=EVENT):
    """By broker, which others it believes to want an event."""
    return {name: set(machine.wanted(event).others) for name, machine in net.machines.items()}


def test_a_wish_is_known_everywhere_before_its_client_is_told():
    """And the answer names nobody."""
    net = AddressedNetwork(RING, by_lists())
    net.subscribe("a", "s", "x == 1")
    net.run(0.02)
    assert net.answers("s") == []
    net.run(1)
    assert net.answers("s") == [Subscribed(0)]
    assert wanting(net) == {"a": set(), "b": {"a"}, "c": {"a"}, "d": {"a"}}
    assert wanting(net, Event(2, "p", "t", 0, {"x": 2})) == {name: set() for name in "abcd"}


def test_a_wish_that_is_covered_is_answered_without_a_word():
    """Everybody knows enough already."""
    net = AddressedNetwork(RING, by_lists())
    net.subscribe("a", "s", "true")
    net.run(1)
    net.sent.clear()
    net.subscribe("a", "r", "x == 1")
    assert net.answers("r") == [Subscribed(0)]
    assert net.sent == []


def test_a_wish_taken_back_or_changed_is_known_too():
    """Nothing is sent for it any more."""
    net = AddressedNetwork(RING, by_lists())
    net.subscribe("a", "s", "x == 1")
    net.run(1)
    net.subscribe("a", "s", "x == 2")
    net.run(2)
    assert wanting(net)["c"] == set()
    net.subscribe("a", "s", "x == 1")
    net.subscribe("a", "t", "x == 1")
    net.unsubscribe("a", "t")
    net.unsubscribe("a", "nobody")
    net.run(3)
    assert wanting(net)["c"] == {"a"}
    net.unsubscribe("a", "s")
    net.run(4)
    assert wanting(net)["c"] == set()


def test_who_does_not_answer_is_missing_and_the_answer_comes_again():
    """After some tries; when it has learned the wish, the client is told."""
    net = AddressedNetwork({"ab": 10, "bc": 10}, by_lists())
    net.cut = {frozenset("bc")}
    net.subscribe("a", "s")
    net.run(ASK_NS * (2**TRIES_MAX - 1) / SECOND + 0.5)
    assert net.answers("s") == [Subscribed(0, ("c",))]
    net.cut.clear()
    net.run(200)
    assert net.answers("s") == [Subscribed(0, ("c",)), Subscribed(0)]
    assert wanting(net)["c"] == {"a"}


def test_the_patient_wait_for_everybody():
    """However long it takes."""
    net = AddressedNetwork({"ab": 10, "bc": 10}, by_lists(), patient=True)
    net.cut = {frozenset("bc")}
    net.subscribe("a", "s")
    net.run(100)
    assert net.answers("s") == []
    net.cut.clear()
    net.run(300)
    assert net.answers("s") == [Subscribed(0)]


def test_lost_confirmations_are_asked_for_again():
    """A report is told once more, and everybody says again that it is known."""
    net = AddressedNetwork(RING, by_lists())
    net.fate = lambda: () if isinstance(net.sent[-1][2], ReportHeard) and net.now < SECOND else (0,)
    net.subscribe("a", "s")
    net.run(1)
    assert net.answers("s") == []
    net.run(5)
    assert net.answers("s") == [Subscribed(0)]


def test_a_new_process_learns_what_all_want_and_forgets_its_own():
    """Its clients are not asked."""
    net = AddressedNetwork(RING, by_lists())
    for place in "ac":
        net.subscribe(place, f"at-{place}")
    net.run(1)
    net.stop("a")
    net.run(2)
    net.start("a")
    net.run(10)
    assert wanting(net) == {"a": {"c"}, "b": {"c"}, "c": set(), "d": {"c"}}


@pytest.mark.parametrize("cut", [False, True])
def test_what_is_measured_is_believed_by_all(cut):
    """Every period: how long answers take, and how many come; a link that is cut is believed to be worse."""
    net = AddressedNetwork(RING, by_lists(ratio=0.9), monitor_ns=10 * SECOND)
    net.run(9)
    before = [machine._passage._links for machine in net.machines.values()]
    assert all(links is before[0] or links == before[0] for links in before)
    net.fate = lambda: (5 * MS,)
    net.cut = {frozenset("ab")} if cut else set()
    net.run(62)
    links = [machine._passage._links for machine in net.machines.values()]
    assert all(one == links[0] for one in links)
    assert 11 * MS < links[0]["c", "d"].delay_ns < 15 * MS
    assert links[0]["c", "d"].ratio > 0.9
    assert (links[0]["a", "b"].ratio < 0.9) == cut


def test_nothing_is_said_where_nothing_is_new():
    """Without a period, brokers that know everything are silent."""
    net = AddressedNetwork(RING, by_lists())
    net.subscribe("a", "s")
    net.run(5)
    net.sent.clear()
    net.run(500)
    assert net.copies(LinkReports) == []
