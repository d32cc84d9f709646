"""Passing on by sending lists: whom a broker tries, when it tries another, and what becomes of what nobody takes."""

import numpy as np
import pytest

from node.addressed_network import MS, AddressedNetwork, Packet, PacketTaken, by_lists
from tidings.delivery.round_trip import RoundTrip
from tidings.errors import PeerError
from tidings.node.list_passage import PAUSE_NS, PAUSES_MAX, SLACK_NS
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Routed
from tidings.vocabulary.instant import SECOND

TRIANGLE = {"ab": 10, "bc": 10, "ac": 30}
DIAMOND = {"ab": 10, "bd": 10, "ac": 15, "cd": 15}
HOUSE = {"ab": 10, "bc": 10, "ad": 20, "dc": 20, "ae": 30, "ec": 30}


PLUS = {"guards": 2, "deadlines": {"p": dict.fromkeys("abcdef", 150)}}


def joined(delays, *, deadlines=None, cut=(), at="c", **changes):
    """Brokers that know that somebody at `at` wants everything; then links are cut."""
    net = AddressedNetwork(delays, by_lists(deadlines, **changes))
    for place in at:
        net.subscribe(place, f"at-{place}")
    net.run(5)
    net.sent.clear()
    net.cut = {frozenset(pair) for pair in cut}
    return net


def test_the_best_neighbour_is_tried_first_and_alone():
    """Where it answers, nobody else is bothered."""
    net = joined(TRIANGLE)
    event = net.publish("a")
    net.run(10)
    assert net.ways() == ["ab", "bc"]
    assert net.shown == [(5 * SECOND + 20 * MS, "at-c", event)]
    assert not any(machine.holds for machine in net.machines.values())


def test_without_an_answer_the_next_is_tried_after_a_round_trip():
    """What the round trip is expected to be, and a little more."""
    net = joined(TRIANGLE, cut=["ab"])
    net.publish("a")
    net.run(10)
    assert net.ways() == ["ab", "ac"]
    assert [at for at, _, _ in net.shown] == [5 * SECOND + 20 * MS + SLACK_NS + 30 * MS]


def test_a_copy_that_nobody_takes_goes_back():
    """To whom it came from, who tries somebody else; the walk is carried along."""
    net = joined(HOUSE, cut=["bc"])
    net.publish("a")
    net.run(10)
    assert net.ways() == ["ab", "bc", "ba", "ad", "dc"]
    assert [frame.path for _, frame in net.copies()] == [
        ("a",),
        ("a", "b"),
        ("a", "b"),
        ("a", "b", "a"),
        ("a", "b", "a", "d"),
    ]
    assert len(net.shown) == 1


def test_several_go_the_same_way_in_one_copy():
    """And part where their ways do."""
    net = joined(DIAMOND | {"be": 10}, at="de")
    net.publish("a")
    net.run(10)
    assert [(way, sorted(frame.destinations)) for way, frame in net.copies()] == [
        ("ab", ["d", "e"]),
        ("bd", ["d"]),
        ("be", ["e"]),
    ]


def test_a_lost_answer_shows_nothing_twice():
    """Another way is tried, and the second copy is recognised where it arrives."""
    net = joined(TRIANGLE)
    lost = []

    def fate():
        frame = net.sent[-1][2]
        if isinstance(frame, PacketTaken) and not lost:
            lost.append(frame)
            return ()
        return (0,)

    net.fate = fate
    net.publish("a")
    net.run(10)
    assert lost
    assert net.ways() == ["ab", "bc", "ac"]
    assert len(net.shown) == 1


def test_the_same_copy_again_is_only_answered():
    """As when a link repeats it."""
    net = joined({"ab": 10, "bc": 10})
    net.fate = lambda: (0, 3 * MS)
    net.publish("a")
    net.run(10)
    assert net.ways() == ["ab", "bc"]
    assert len(net.copies(PacketTaken)) == 4
    assert len(net.shown) == 1


@pytest.mark.parametrize("transmissions", [1, 2, 3])
def test_a_link_is_tried_as_often_as_it_is_said(transmissions):
    """The same copy, counted, before another neighbour is."""
    net = joined(TRIANGLE, cut=["ab"], transmissions=transmissions)
    net.publish("a")
    net.run(10)
    assert net.ways() == ["ab"] * transmissions + ["ac"]
    assert [frame.attempt for _, frame in net.copies()] == [*range(transmissions), 0]
    assert len({frame.number for way, frame in net.copies() if way == "ab"}) == 1


def test_who_waits_one_way_waits_half_as_long():
    """As the paper has it: here every answer is late, and what it was for goes twice."""
    net = joined(TRIANGLE, one_way=True)
    net.publish("a")
    net.run(10)
    assert net.ways()[:3] == ["ab", "bc", "ac"]
    assert len(net.shown) == 1


def test_neighbours_that_cannot_be_in_time_are_not_tried():
    """Who needs as long as a broker has left is not on its list."""
    for allowed, ways in ((45, ["ab", "ad", "ae"]), (25, ["ab", "ad", "ab"]), (15, ["ab", "ab", "ab"])):
        net = joined(HOUSE, deadlines={"p": {"c": allowed}}, cut=["ab", "ad"], ratio=1.0)
        net.publish("a")
        net.run(10)
        assert net.ways()[:3] == ways


def test_a_deadline_that_no_way_can_meet_is_said():
    """The event is given up where it starts, for those who could not have it in time."""
    net = joined({"ab": 10, "bc": 10}, deadlines={"p": {"c": 5}})
    event = net.publish("a")
    net.run(10)
    assert net.ways() == []
    assert net.dropped == [(event, "deadline", ("c",))]
    assert not net.machines["a"].holds


def test_what_nobody_takes_is_tried_again_and_then_given_up():
    """A round, a pause that grows, a few rounds more; then somebody is told."""
    net = joined({"ab": 10}, at="b", cut=["ab"])
    event = net.publish("a")
    net.run(60)
    assert net.ways() == ["ab"] * (PAUSES_MAX + 1)
    assert net.dropped == [(event, "unreachable", ("b",))]
    assert PAUSE_NS * (2**PAUSES_MAX - 1) < 10 * SECOND


def test_a_link_that_returns_meanwhile_is_used():
    """The next round finds it."""
    net = joined({"ab": 10}, at="b", cut=["ab"])
    net.publish("a")
    net.run(5.05)
    net.cut.clear()
    net.run(20)
    assert len(net.shown) == 1
    assert net.dropped == []


def test_what_has_expired_is_not_sent_again():
    """It is counted, for those who did not get it."""
    net = joined(TRIANGLE, cut=["ab", "ac"])
    event = net.publish("a", expires_ns=net.now + 50 * MS)
    net.run(60)
    assert net.dropped == [(event, "expired", ("c",))]


def test_answers_teach_how_long_to_wait():
    """Round trips that vary are waited for longer."""
    net = joined({"ab": 10}, at="b")
    for extra in (0, 20, 0, 20, 0, 20):
        net.fate = lambda extra=extra: (extra * MS,)
        net.publish("a")
        net.run(net.now / SECOND + 1)
    twin = RoundTrip(20 * MS)
    for extra in (0, 40, 0, 40, 0, 40):
        if 20 * MS + extra * MS <= twin.patience_ns + SLACK_NS:
            twin.measured(20 * MS + extra * MS)
    net.cut = {frozenset("ab")}
    net.publish("a")
    assert net.machines["a"].deadline() == net.now + twin.patience_ns + SLACK_NS


def test_what_breaks_the_rules_is_refused():
    """Events of another scheme, packets without their sender on the walk, answers of others."""
    net = joined(TRIANGLE)
    event = Event(9, "p", "t", 0, {})
    for frame in (Routed(event, (("b",),)), Packet(event, 1, ("c",), ("c",))):
        with pytest.raises(PeerError, match="under this scheme"):
            net.tell("b", "a", frame)
    net.publish("a")
    number = net.copies()[0][1].number
    with pytest.raises(PeerError, match="was not sent to it"):
        net.tell("a", "c", PacketTaken(number))
    net.tell("a", "b", PacketTaken(number + 1_000))


@pytest.mark.parametrize(("seed", "more"), [*((seed, {}) for seed in range(8)), *((seed, PLUS) for seed in range(8))])
def test_whatever_links_do_everything_arrives_once(seed, more):
    """Loss, repetition, delays that overtake, links that come and go: shown once, as long as there is a way in the end."""
    dice = np.random.default_rng(seed)
    names = "abcdef"
    pairs = [names[place] + names[int(dice.integers(place))] for place in range(1, len(names))]
    pairs += ["af", "be"] if dice.random() < 0.5 else []
    delays = {pair: int(dice.integers(1, 40)) for pair in dict.fromkeys("".join(sorted(pair)) for pair in pairs)}
    net = AddressedNetwork(delays, by_lists(ratio=0.8, **more))
    for place in "cdf":
        net.subscribe(place, f"at-{place}")
    net.run(5)

    def fate():
        frame = net.sent[-1][2]
        if not isinstance(frame, Packet | PacketTaken) or dice.random() < 0.6:
            return (0,)
        return () if dice.random() < 0.4 else (int(dice.integers(60 * MS)),) * int(dice.integers(1, 3))

    net.fate = fate
    events = []
    for round_ in range(20):
        net.cut = {frozenset(pair) for pair in delays if dice.random() < 0.15}
        events.append(net.publish("abe"[round_ % 3]))
        net.run(net.now / SECOND + 0.2)
    net.cut = set()
    net.run(200)
    gone = {(event, name) for event, reason, towards in net.dropped for name in towards if reason != "expired"}
    for place in "cdf":
        mine = [event for _, client, event in net.shown if client == f"at-{place}"]
        assert len(mine) == len(set(mine))
        assert set(events) - set(mine) <= {event for event, name in gone if name == place}
    assert not any(machine.holds for machine in net.machines.values())
