"""What brokers know of each other's links: what holds after any troubles, and each rule by itself."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.gossip import Gossip, overlay_of
from tidings.routing.link_state import SAY_AGAIN_NS, SAY_AGAIN_NS_MAX, LinkState
from tidings.vocabulary.frames import LinkReport, LinkReports, LinkReportsKnown
from tidings.vocabulary.machine import SendFrame

SQUARE = overlay_of(("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"))


def begun(overlay=SQUARE, here="a", incarnation=0):
    """The link state of a new process."""
    state = LinkState(here, overlay)
    state.begin(incarnation)
    return state


def connected(gossip, start):
    """By brute force, who can be reached over what really works."""
    found, border = {start}, [start]
    for one in border:
        for other in gossip.overlay.neighbours(one):
            if other not in found and gossip.works(one, other):
                found.add(other)
                border.append(other)
    return found


# ---- what is known


def test_at_first_all_links_work():
    """Nothing needs to be said for that."""
    state = begun()
    assert state.flush(0) == []
    assert state.deadline is None
    assert state.way("c") == ("a", "b", "c")
    assert state.way("a") == ("a",)
    assert state.works("c", "d")
    assert state.is_neighbour("d")
    assert not state.is_neighbour("c")


def test_the_way_is_the_shortest_by_delay():
    """Over more brokers, if that is quicker."""
    overlay = overlay_of(("a", "c"), ("a", "b"), ("b", "c"), delays=[9.0, 1.0, 1.0])
    assert begun(overlay).way("c") == ("a", "b", "c")


def test_a_link_works_when_neither_end_says_otherwise():
    """One that only one end has lost carries nothing for anybody."""
    state = begun()
    state.hear("b", LinkReports((LinkReport("d", 0, 1, ("c",)),)))
    assert not state.works("c", "d")
    assert not state.works("d", "c")
    assert state.way("c") == ("a", "b", "c")
    state.lost("b")
    assert state.way("c") is None


# ---- what is said


def test_a_loss_is_reported_to_all_neighbours_but_the_lost_one():
    """And again until it is acknowledged, less and less often."""
    state = begun()
    state.lost("b")
    said = SendFrame("d", LinkReports((LinkReport("a", 0, 1, ("b",)),)))
    assert state.version == 1
    assert state.flush(5) == [said]
    assert state.deadline == 5 + SAY_AGAIN_NS
    assert state.flush(6) == []
    instants = []
    for _ in range(9):
        instants.append(state.deadline)
        assert state.flush(state.deadline) == [said]
    gaps = [later - sooner for sooner, later in itertools.pairwise(instants)]
    assert gaps == [min(SAY_AGAIN_NS << step, SAY_AGAIN_NS_MAX) for step in range(1, 9)]
    state.acknowledged("d", LinkReportsKnown((("a", 0, 1),)))
    assert state.deadline is None
    assert state.flush(10**12) == []


def test_an_old_acknowledgement_is_not_enough():
    """What has been reported since is still owed."""
    state = begun()
    state.lost("b")
    state.flush(0)
    state.returned("b")
    state.acknowledged("d", LinkReportsKnown((("a", 0, 1), ("stranger", 0, 7))))
    assert LinkReport("a", 0, 2, ()) in state.flush(1)[-1].frame.reports
    assert state.deadline is not None


def test_what_is_lost_or_found_twice_is_said_once():
    """So is what is said of strangers."""
    state = begun()
    state.lost("b")
    state.flush(0)
    state.lost("b")
    state.lost("c")
    state.returned("d")
    assert state.version == 1
    assert state.flush(1) == []


def test_news_are_passed_on_and_acknowledged():
    """To everybody but who brought them."""
    state = begun()
    news = LinkReports((LinkReport("c", 0, 3, ("d",)),))
    state.hear("b", news)
    assert state.flush(0) == [SendFrame("b", LinkReportsKnown((("c", 0, 3),))), SendFrame("d", news)]
    state.hear("d", news)
    assert state.flush(1) == [SendFrame("d", LinkReportsKnown((("c", 0, 3),)))]
    assert state.version == 1


def test_old_news_are_answered_with_new_ones():
    """Whoever is behind is told."""
    state = begun()
    newer = LinkReport("c", 1, 0, ())
    state.hear("b", LinkReports((newer,)))
    state.acknowledged("d", LinkReportsKnown((("c", 1, 0),)))
    state.flush(0)
    state.hear("d", LinkReports((LinkReport("c", 0, 9, ("b",)),)))
    assert state.flush(1) == [SendFrame("d", LinkReportsKnown((("c", 1, 0),))), SendFrame("d", LinkReports((newer,)))]
    assert state.version == 0


def test_nobody_says_what_our_own_links_are():
    """Nor anything of brokers that are not in the overlay."""
    state = begun()
    state.hear("b", LinkReports((LinkReport("a", 5, 5, ("d",)), LinkReport("x", 0, 1, ("a",)))))
    assert state.version == 0
    assert state.flush(0) == [SendFrame("b", LinkReportsKnown((("a", 0, 0), ("x", 0, 1))))]


def test_who_returns_is_told_everything():
    """It may have been cut off from all that was said meanwhile."""
    state = begun()
    state.lost("b")
    state.hear("d", LinkReports((LinkReport("c", 0, 1, ("d",)),)))
    state.flush(0)
    state.returned("b")
    told = [send.frame.reports for send in state.flush(1) if send.to == "b"]
    assert told == [(LinkReport("a", 0, 2, ()), LinkReport("c", 0, 1, ("d",)))]


def test_a_new_process_says_that_it_is_one():
    """What an earlier one reported no longer holds."""
    state = begun(incarnation=2)
    assert state.flush(0) == [SendFrame(name, LinkReports((LinkReport("a", 2, 0, ()),))) for name in "bd"]


def test_a_neighbour_that_comes_back_without_memory_is_told_everything():
    """Even when nobody noticed that it was gone."""
    state = begun()
    state.hear("d", LinkReports((LinkReport("c", 0, 1, ("b",)),)))
    state.acknowledged("b", LinkReportsKnown((("c", 0, 1),)))
    state.flush(0)
    state.hear("b", LinkReports((LinkReport("b", 1, 0, ()),)))
    told = [send.frame.reports for send in state.flush(1) if send.to == "b" and isinstance(send.frame, LinkReports)]
    assert told == [(LinkReport("a", 0, 0, ()), LinkReport("c", 0, 1, ("b",)))]


# ---- laws


def test_a_failure_is_known_everywhere_after_one_round():
    """In the whole square, with two frames and their answers each way at most."""
    gossip = Gossip(SQUARE)
    gossip.switch("a", "b")
    carried = gossip.wait()
    assert len(carried) <= 4 * len(SQUARE.links)
    assert all(not state.works("a", "b") for state in gossip.states.values())
    assert gossip.states["b"].way("a") == ("b", "c", "d", "a")


@pytest.mark.parametrize("loss", [0.0, 0.3])
@given(seed=st.integers(0, 10**9))
def test_after_any_troubles_everybody_knows_what_it_can_know(loss, seed):
    """Of its own part of the overlay: who can be reached, and that each way works."""
    dice = random.Random(seed)
    names = [f"b{number}" for number in range(dice.randint(2, 7))]
    links = {(names[dice.randrange(place)], name) for place, name in enumerate(names) if place}
    links |= {(one, other) for one in names for other in names if one < other and dice.random() < 0.3}
    links = {tuple(sorted(link)) for link in links}
    gossip = Gossip(overlay_of(*sorted(links)), drops=lambda: dice.random() < loss)
    for _ in range(dice.randint(1, 12)):
        trouble(gossip, dice)
        if dice.random() < 0.5:
            gossip.run()
    gossip.wait()
    for name, state in gossip.states.items():
        if name not in gossip.down:
            reached = connected(gossip, name)
            assert {other for other in gossip.overlay.brokers if state.way(other) is not None} == reached
            for other in reached:
                way = state.way(other)
                assert (way[0], way[-1]) == (name, other)
                assert all(gossip.works(*step) for step in itertools.pairwise(way))


def trouble(gossip, dice):
    """One of all that may happen."""
    name = dice.choice(gossip.overlay.brokers)
    kind = dice.randrange(4)
    if kind == 0:
        gossip.switch(*dice.choice(gossip.overlay.links))
    elif name in gossip.down:
        gossip.restart(name)
    elif kind == 1:
        gossip.blink(name)
    else:
        gossip.crash(name)


# ---- what else brokers say of themselves


def test_what_a_broker_says_reaches_everybody():
    """Filters and measurements, with the lost neighbours that it had reported before; each report is news once."""
    gossip = Gossip(SQUARE)
    gossip.switch("a", "b")
    gossip.run()
    for state in gossip.states.values():
        state.take_news()
    assert gossip.states["a"].say(("x == 1",), (("d", 5, 0.5),), asks=True) == 2
    gossip.run()
    for name in "bcd":
        state = gossip.states[name]
        report = LinkReport("a", 0, 2, ("b",), ("x == 1",), (("d", 5, 0.5),), asks=True)
        assert state.take_news() == [report]
        assert state.take_news() == []
        assert state.report_of("a") == report
        assert not state.works("a", "b")
    assert gossip.states["d"].teacher("a") == "a"
    assert gossip.states["b"].teacher("a") == "c"
    assert gossip.states["a"].teacher("c") is None
    assert gossip.states["a"].take_news() == []


def test_a_new_loss_keeps_what_was_said():
    """Only the lost neighbours differ."""
    gossip = Gossip(SQUARE)
    gossip.states["a"].say(("true",), (), asks=False)
    gossip.run()
    gossip.switch("a", "b")
    gossip.run()
    assert gossip.states["c"].report_of("a") == LinkReport("a", 0, 2, ("b",), ("true",))


def test_a_neighbour_that_is_there_again_is_told_at_once():
    """What it has not acknowledged; strangers are not told anything."""
    state = begun()
    state.say(("true",), (), asks=False)
    assert {send.to for send in state.flush(0)} == {"b", "d"}
    state.acknowledged("d", LinkReportsKnown((("a", 0, 1),)))
    assert state.flush(1) == []
    for name in "bdc":
        state.hurry(name)
    assert [send.to for send in state.flush(2)] == ["b"]
