"""Spreading interests: plays with their transcripts, every single frame lost, repeated and delayed, and storms."""

import os
from pathlib import Path

import pytest

from node.network import FRAMES_MAX, TREE, Network, options_on
from node.play import performed
from node.storm import Storm
from tidings.delivery.soft_state import ANSWER_NS, ANSWER_NS_MAX, Known
from tidings.matching import LinearMatcher
from tidings.node.spreading import Spreading, SpreadingOptions
from tidings.routing import TableOptions
from tidings.vocabulary.frames import Interests, InterestsKnown, Subscribed
from tidings.vocabulary.instant import MINUTE, SECOND
from tidings.vocabulary.machine import SendFrame

PLAYS = sorted((Path(__file__).parent / "plays").glob("*.txt"))
REWRITE = "TIDINGS_REWRITE_PLAYS"

LINE = (("a", "b"), ("b", "c"), ("c", "d"))
STAR = (("m", "a"), ("m", "b"), ("m", "c"))
RENEW_NS = 60 * SECOND


@pytest.mark.parametrize("path", PLAYS, ids=lambda path: path.stem)
def test_plays_go_as_written(path):
    """Each command of a script causes what its transcript says, and nothing else."""
    script = path.read_text("utf-8")
    if os.environ.get(REWRITE):
        path.write_text(performed(script), "utf-8")
    assert performed(script) == script, f"{REWRITE}=1 writes it anew; commit only what you understand"


def test_plays_can_fail():
    """A transcript that leaves something out is not what happens."""
    script = PLAYS[0].read_text("utf-8")
    shorter = "\n".join(line for line in script.splitlines() if "known" not in line)
    assert performed(shorter) == script != shorter


# ---- every single frame in turn


def acted(network):
    """Clients at the ends of the tree come, cover each other, change their minds and go."""
    first, *_, last = network.machines
    network.subscribe(first, "s", "price > 10")
    yield
    network.subscribe(last, "t", 'symbol == "IBM"')
    network.subscribe(first, "u", "price > 5")
    yield
    network.unsubscribe(first, "s")
    network.subscribe(last, "t", 'symbol == "SUN"')
    yield
    network.subscribe(last, "v", "size < 3")
    network.unsubscribe(first, "u")
    yield


def drop(_flying, _packet):
    """It is lost."""


def repeat(flying, packet):
    """It comes twice, at once and after everything else."""
    flying.insert(0, packet)
    flying.append(packet)


def delay(flying, packet):
    """It comes after everything else."""
    flying.append(packet)


def played(links, renew_ns, *, trouble=None, at=-1):
    """The network after the act, with trouble for one frame; also how many frames there were."""
    network, carried = Network(options_on(links, renew_ns=renew_ns)), 0
    for _ in acted(network):
        while network.in_flight and carried < FRAMES_MAX:
            if carried == at:
                trouble(network.in_flight, network.in_flight.pop(0))
            if network.in_flight:
                network.carry()
            carried += 1
    network.wait(5 * MINUTE)
    return network, carried


@pytest.mark.parametrize("renew_ns", [None, RENEW_NS], ids=["told once", "renewed"])
@pytest.mark.parametrize("links", [LINE, STAR], ids=["line", "star"])
@pytest.mark.parametrize("trouble", [drop, repeat, delay])
def test_no_single_frame_matters(links, renew_ns, trouble):
    """Whichever frame is lost, repeated or delayed: in the end all know the same, and every client its answer."""
    calm, frames = played(links, renew_ns)
    assert frames > 20
    for at in range(frames):
        network, _ = played(links, renew_ns, trouble=trouble, at=at)
        assert network.wanted_by_neighbours() == calm.wanted_by_neighbours(), at
        for client in "tv":
            assert network.heard[client][-1] == Subscribed(1), at


@pytest.mark.parametrize("name", [name for link in LINE for name in link][::2])
def test_whoever_restarts_learns_again(name):
    """With renewals: when its clients have asked again, all know what they knew before."""
    network, _ = played(LINE, RENEW_NS)
    before = network.wanted_by_neighbours()
    network.start(name)
    if name == "a":
        assert network.wanted_by_neighbours() != before
    for client, text in (("t", 'symbol == "SUN"'), ("v", "size < 3")):
        network.subscribe("d", client, text)
    network.wait(5 * MINUTE)
    assert network.wanted_by_neighbours() == before


# ---- storms


@pytest.mark.parametrize("renew_ns", [None, RENEW_NS], ids=["told once", "renewed"])
@pytest.mark.parametrize("merging", [False, True], ids=["plain", "merging"])
def test_after_a_storm_everybody_gets_what_is_wanted(seeds, renew_ns, merging):
    """Random trees and troubles: events reach exactly those whose filters hold, once, over each link once."""
    for seed in range(10 * seeds.start, 10 * seeds.stop):
        storm = Storm(seed, renew_ns=renew_ns, merging=merging)
        storm.rage(60)
        storm.calm()
        assert storm.wrong_audiences(10) == [], seed
        assert storm.unanswered() == [], seed


def test_storms_do_harm_while_they_last():
    """Without the calm some audience is wrong and some client waits: the judgement can fail."""
    wrong, unanswered = [], []
    for seed in range(20):
        storm = Storm(seed, renew_ns=RENEW_NS)
        storm.rage(60)
        wrong += storm.wrong_audiences(5)
        unanswered += storm.unanswered()
    assert wrong
    assert unanswered


# ---- one broker's side alone


def spreading(*neighbours, renew_ns=RENEW_NS, incarnation=0):
    """The interests of a broker with these neighbours."""
    table = TableOptions(new_matcher=LinearMatcher)
    options = SpreadingOptions(tree=TREE, neighbours=neighbours, renew_ns=renew_ns, table=table)
    return Spreading(options, incarnation)


def whole(version, *texts, incarnation=0):
    """A neighbour's whole set."""
    return Interests(TREE, incarnation, version, None, texts)


def test_a_broker_alone_confirms_its_clients_at_once():
    """Nobody has to be told; nobody has to be waited for, after a restart neither."""
    alone = spreading(incarnation=1)
    assert alone.recover(0) == []
    alone.subscribe({0: "price > 10"})
    assert alone.flush(0) == []
    assert alone.confirmed_locally() == Known(1, ())
    assert alone.deadline is None


def test_a_wish_taken_back_before_it_was_told_is_never_told():
    """Within one batch, and the other way round: a text withdrawn and told again stays as it is."""
    one = spreading("n")
    one.subscribe({0: "price > 10"})
    one.unsubscribe((0,))
    assert one.flush(0) == []
    one.subscribe({1: "price > 10"})
    assert one.flush(0) == [SendFrame("n", whole(1, "price > 10"))]
    one.unsubscribe((1,))
    one.subscribe({2: "price > 10"})
    assert one.flush(0) == []


def test_who_comes_back_says_nothing_before_all_have_answered():
    """A wish that is told too early would replace what the others have wanted through us."""
    back = spreading("m", "n", incarnation=1)
    question = InterestsKnown(TREE, -1, -1, -1, behind=True)
    assert back.recover(5) == [SendFrame("m", question), SendFrame("n", question)]
    assert back.deadline == 5 + ANSWER_NS
    back.subscribe({0: "size > 1"})
    assert back.flush(5) == []
    back.learn("m", whole(3, "price > 10"), 6)
    assert back.flush(6) == [SendFrame("m", InterestsKnown(TREE, 0, 3, -1))]
    assert back.confirmed_locally().confirmed == 0
    back.learn("n", whole(4), 7)
    assert back.flush(7) == [
        SendFrame("m", whole(1, "size > 1", incarnation=1)),
        SendFrame("n", whole(1, "size > 1", "price > 10", incarnation=1)),
        SendFrame("n", InterestsKnown(TREE, 0, 4, -1)),
    ]


def test_who_comes_back_asks_again_but_not_for_ever():
    """Those who have not answered, every second; after a minute it speaks without them."""
    back = spreading("m", "n", incarnation=1)
    back.recover(0)
    back.learn("m", whole(3, "price > 10"), 0)
    back.flush(0)
    asked = 0
    while (now := back.deadline) < ANSWER_NS_MAX:
        assert back.due(now) == [SendFrame("n", InterestsKnown(TREE, -1, -1, -1, behind=True))]
        assert back.flush(now) == []
        asked += 1
    assert asked == ANSWER_NS_MAX // ANSWER_NS - 1
    assert back.due(ANSWER_NS_MAX) == []
    assert [one.to for one in back.flush(ANSWER_NS_MAX)] == ["m", "n"]
    assert back.due(ANSWER_NS_MAX) == []


def test_questions_while_silent_are_answered_later():
    """A neighbour that has lost something hears all when we speak; one that comes back itself is not waited for."""
    back = spreading("m", incarnation=1)
    back.recover(0)
    assert back.hear("m", InterestsKnown(TREE, 0, 2, 2, behind=True), 1) == []
    assert back.flush(1) == []
    assert back.hear("m", InterestsKnown(TREE, -1, -1, -1, behind=True), 2) == []
    assert back.flush(2) == [SendFrame("m", whole(0, incarnation=1))]
    assert back.hear("m", InterestsKnown(TREE, -1, -1, -1, behind=True), 3) == [SendFrame("m", whole(0, incarnation=1))]


def test_old_words_change_nothing_and_are_not_answered():
    """Neither an older version nor one of a process that has ended."""
    one = spreading("m", "n")
    one.learn("m", whole(3, "price > 10", incarnation=2), 0)
    one.flush(0)
    for old in (whole(2, "size > 1", incarnation=2), whole(9, "size > 1", incarnation=1)):
        one.learn("m", old, 1)
        assert one.flush(1) == []


def test_a_new_process_is_confirmed_anew():
    """What its predecessor's versions had reached says nothing about its own."""
    one = spreading("m", "n")
    one.learn("m", whole(5), 0)
    one.flush(0)
    one.learn("m", whole(1, "price > 10", incarnation=1), 1)
    assert SendFrame("m", InterestsKnown(TREE, 1, 1, -1)) in one.flush(1)
    assert one.hear("n", InterestsKnown(TREE, 0, 1, 1), 2) == []
    assert one.flush(2) == [SendFrame("m", InterestsKnown(TREE, 1, 1, 1))]


# ---- others stand in for a neighbour


def standing_in(incarnation=0, **changes):
    """Broker b of the line a-b-c; d and e lie on the side of c."""
    options = {"tree": TREE, "neighbours": ("a", "c"), "renew_ns": RENEW_NS, "side_of": {"d": "c", "e": "c"}.get}
    table = TableOptions(new_matcher=LinearMatcher)
    return Spreading(SpreadingOptions(table=table, **{**options, **changes}), incarnation)


def test_who_stands_in_is_asked_and_told_everything():
    """Nobody waits for the neighbour any more, but for those."""
    one = standing_in()
    one.learn("a", Interests(TREE, 0, 0, None, ("x == 1",)), 0)
    one.flush(0)
    frames = one.cut_off("c", ("d",), 5)
    assert frames == [
        SendFrame("d", InterestsKnown(TREE, -1, -1, -1, behind=True)),
        SendFrame("d", Interests(TREE, 0, 0, None, ("x == 1",))),
    ]
    one.subscribe({1: "x == 2"})
    assert [send.to for send in one.flush(6) if isinstance(send.frame, Interests)] == ["a", "c", "d"]
    one.hear("a", InterestsKnown(TREE, 0, 1, 1), 7)
    one.flush(7)
    assert one.confirmed_locally() == Known(0, ("c",))
    one.hear("d", InterestsKnown(TREE, 0, 1, 1), 8)
    one.flush(8)
    assert one.confirmed_locally() == Known(1, ("c",))


def test_who_is_back_without_memory_tells_nothing_before_it_knows():
    """Those who stand in are asked; a neighbour that cannot be reached is not waited for."""
    one = standing_in(incarnation=1)
    one.recover(0)
    assert [type(send.frame) for send in one.cut_off("c", ("d",), 1)] == [InterestsKnown]
    assert not [send for send in one.flush(1) if isinstance(send.frame, Interests)]
    one.learn("a", Interests(TREE, 0, 0, None, ("x == 1",)), 2)
    said = {send.to: send.frame for send in one.flush(2) if isinstance(send.frame, Interests)}
    assert {name: frame.added for name, frame in said.items()} == {"a": (), "c": ("x == 1",), "d": ("x == 1",)}


def test_answers_of_those_who_stand_in_no_more_mean_nothing():
    """Nor do those of strangers who believe that they do."""
    one = standing_in()
    assert one.hear("d", InterestsKnown(TREE, 0, 0, 0), 0) == []
    assert one.hear("e", InterestsKnown(TREE, 0, 0, 0, behind=True), 0) == []


def test_what_is_added_and_taken_back_between_is_not_told():
    """Whatever its order."""
    one = standing_in()
    one.learn("a", Interests(TREE, 0, 0, None, ("x == 1",)), 0)
    one.learn("a", Interests(TREE, 0, 1, 0, (), ("x == 1",)), 0)
    assert [send.frame for send in one.flush(0) if isinstance(send.frame, Interests)] == []


def test_only_what_neighbours_want_is_written_down():
    """What others say in their place is soft, even where all else lasts."""
    one = standing_in(lasting=True)
    one.learn("c", Interests(TREE, 0, 0, None, ("x == 1",)), 0)
    one.learn("d", Interests(TREE, 0, 0, None, ("x == 2",)), 0)
    assert [name for name, _ in one.told()] == ["c"]
    assert one.deadline == 3 * RENEW_NS
    one.due(3 * RENEW_NS)
    assert [len(listener._wanted) for listener in one._listeners.values()] == [0, 1, 0]
    assert not one.knows("x")
