"""The broker: who gets an event, what clients are told, and what it refuses."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from node.network import Network, options_on
from tidings.errors import PeerError
from tidings.matching import BitsetMatcher
from tidings.node import Broker, BrokerOptions, DetourOptions
from tidings.routing import TableOptions, tree_neighbours
from tidings.vocabulary.event import Event
from tidings.vocabulary.filter import holds
from tidings.vocabulary.filter_text import format_filter
from tidings.vocabulary.frames import (
    Accepted,
    Deliver,
    Forward,
    Interests,
    InterestsKnown,
    LinkReport,
    LinkReports,
    LinkReportsKnown,
    Publish,
    Received,
    Relayed,
    StandBy,
    Subscribe,
    Subscribed,
    Unsubscribe,
)
from tidings.vocabulary.instant import FOREVER, SECOND
from tidings.vocabulary.machine import (
    DropEvent,
    FramesArrived,
    NeighbourLost,
    NeighbourReturned,
    PublishRequested,
    RecordsStored,
    SendFrame,
    Started,
)
from tidings.vocabulary.overlay import Overlay

NEWS, QUOTES = "tree of news", "tree of quotes"
TREE_OF = {"news": NEWS, "quote": QUOTES}


def broker(**changes):
    """Broker b: a neighbour n in both trees, m in one of them."""
    options = {
        "name": "b",
        "neighbours": {NEWS: ("n",), QUOTES: ("m", "n")},
        "tree_of": TREE_OF.get,
        "table": TableOptions(new_matcher=BitsetMatcher),
    }
    machine = Broker(BrokerOptions(**{**options, **changes}))
    machine.receive(Started(0), 0)
    return machine


def event(number=1, topic="quote", expires_ns=FOREVER, **attributes):
    """An event with that identity."""
    return Event(number, "p", topic, 0, attributes, expires_ns)


def said(machine, sender, *frames, now=0):
    """What the broker sends, clients by name, when these frames arrive in one batch."""
    machine.receive(FramesArrived(sender, frames), now)
    return sends(machine)


def sends(machine):
    """What the broker wants to be sent: frames, then deliveries as frames to clients."""
    effects = machine.drain()
    assert (effects.store, effects.show) == ([], [])
    delivered = [
        SendFrame(machine.clients[number], Deliver(one.event)) for one in effects.deliver for number in one.clients
    ]
    return effects.send + delivered


def known(machine, tree, neighbour, version):
    """A neighbour knows everything up to `version`."""
    return said(machine, neighbour, InterestsKnown(tree, 0, version, version))


# ---- events


def test_an_event_goes_where_it_is_wanted():
    """Accepted for who published it; forwarded to neighbours that want it, delivered to clients that do."""
    machine = broker()
    said(machine, "m", Interests(QUOTES, 0, 1, None, ("price > 10",)))
    said(machine, "s", Subscribe(1, "price > 5"))
    assert said(machine, "p", Publish(event(price=12))) == [
        SendFrame("p", Accepted(1)),
        SendFrame("m", Forward(event(price=12))),
        SendFrame("s", Deliver(event(price=12))),
    ]
    assert said(machine, "n", Forward(event(2, price=7))) == [SendFrame("s", Deliver(event(2, price=7)))]
    assert said(machine, "n", Forward(event(3, price=1))) == []


def test_an_event_never_goes_back():
    """A neighbour that wants what it has sent is not sent it."""
    machine = broker()
    for name in ("m", "n"):
        said(machine, name, Interests(QUOTES, 0, 1, None, ("true",)))
    assert said(machine, "m", Forward(event())) == [SendFrame("n", Forward(event()))]


def test_an_event_is_taken_once():
    """Repeated by a publisher it is accepted again, and goes nowhere."""
    machine = broker(remembered=1)
    said(machine, "s", Subscribe(1, "true"))
    assert len(said(machine, "p", Publish(event()))) == 2
    assert said(machine, "p", Publish(event())) == [SendFrame("p", Accepted(1))]
    assert said(machine, "n", Forward(event())) == []
    assert [len(said(machine, "n", Forward(event(number)))) for number in (2, 3, 1)] == [1, 1, 1]


def test_expired_events_are_dropped_or_carried():
    """As the options say; at its last instant an event is alive."""
    for drop_expired, late in ((True, []), (False, [SendFrame("s", Deliver(event(2, expires_ns=5)))])):
        machine = broker(drop_expired=drop_expired)
        said(machine, "s", Subscribe(1, "true"))
        assert len(said(machine, "n", Forward(event(expires_ns=5)), now=5)) == 1
        machine.receive(FramesArrived("n", (Forward(event(2, expires_ns=5)),)), 6)
        effects = machine.drain()
        assert effects.report == ([DropEvent(event(2, expires_ns=5), "expired")] if drop_expired else [])
        assert [SendFrame("s", Deliver(one.event)) for one in effects.deliver] == late


def test_topics_without_a_tree_go_nowhere():
    """They are accepted, which promises nothing."""
    machine = broker()
    said(machine, "s", Subscribe(1, "true"))
    assert said(machine, "p", Publish(event(topic="other"))) == [SendFrame("p", Accepted(1))]


def test_a_client_with_several_wishes_gets_an_event_once():
    """However many of them hold."""
    machine = broker()
    said(machine, "s", Subscribe(1, "price > 5"), Subscribe(2, "price > 6"), Subscribe(3, "price > 50"))
    assert said(machine, "n", Forward(event(price=10))) == [SendFrame("s", Deliver(event(price=10)))]


# ---- wishes


def test_a_wish_is_told_in_the_trees_of_its_topics_only():
    """A finite set of topics names its trees; without one, all trees are told."""
    machine = broker()
    sent = said(machine, "s", Subscribe(1, 'topic == "news"'))
    assert [(one.to, one.frame.tree) for one in sent] == [("n", NEWS)]
    sent = said(machine, "s", Subscribe(2, "price > 10"))
    assert [(one.to, one.frame.tree) for one in sent] == [("n", NEWS), ("m", QUOTES), ("n", QUOTES)]
    assert said(machine, "n", Forward(event(topic="news"))) == [SendFrame("s", Deliver(event(topic="news")))]


def test_a_wish_is_answered_when_it_is_known_in_all_its_trees():
    """Not before the last neighbour has confirmed, and once."""
    machine = broker()
    said(machine, "s", Subscribe(1, "price > 10"))
    assert known(machine, NEWS, "n", 1) == []
    assert known(machine, QUOTES, "m", 1) == []
    assert known(machine, QUOTES, "n", 1) == [SendFrame("s", Subscribed(1))]
    assert known(machine, QUOTES, "n", 1) == []


def test_a_wish_that_nothing_can_fulfil_is_answered_at_once():
    """Neither a contradiction nor a topic without a tree has to be known anywhere."""
    machine = broker()
    for number, text in enumerate(('topic == "other"', "false")):
        assert said(machine, "s", Subscribe(number, text)) == [SendFrame("s", Subscribed(number))]
        assert said(machine, "s", Unsubscribe(number)) == []


def test_a_wish_repeated_is_answered_again_and_told_once():
    """A client that did not hear the answer asks again."""
    machine = broker()
    said(machine, "s", Subscribe(1, 'topic == "news"'))
    assert said(machine, "s", Subscribe(1, 'topic == "news"')) == []
    assert known(machine, NEWS, "n", 1) == [SendFrame("s", Subscribed(1))]
    assert said(machine, "s", Subscribe(1, 'topic == "news"')) == [SendFrame("s", Subscribed(1))]


def test_a_wish_can_change():
    """The same number with another filter replaces it, in other trees too."""
    machine = broker()
    said(machine, "s", Subscribe(1, 'topic == "news"'))
    sent = said(machine, "s", Subscribe(1, 'topic == "quote"'))
    assert {(one.frame.tree, one.frame.added, one.frame.removed) for one in sent} == {
        (NEWS, (), ('topic == "news"',)),
        (QUOTES, ('topic == "quote"',), ()),
    }
    assert said(machine, "n", Forward(event(topic="news"))) == []
    assert len(said(machine, "n", Forward(event(2)))) == 1


def test_a_wish_taken_back_is_over():
    """At once for events, and no answer comes for it; within one batch it is never told."""
    machine = broker()
    assert said(machine, "s", Subscribe(1, "true"), Unsubscribe(1)) == []
    assert said(machine, "n", Forward(event())) == []
    said(machine, "s", Subscribe(1, 'topic == "news"'))
    said(machine, "s", Unsubscribe(1))
    assert known(machine, NEWS, "n", 2) == []
    assert said(machine, "s", Unsubscribe(1)) == []
    assert said(machine, "stranger", Unsubscribe(1)) == []


def test_brokers_that_do_not_answer_are_named_and_not_waited_for():
    """The wish counts as known but for them; when they answer, the client learns that nobody is missing."""
    machine = broker()
    said(machine, "s", Subscribe(1, 'topic == "news"'))
    answers, now = [], 0
    while machine.deadline() is not None and now < 40 * SECOND:
        now = machine.deadline()
        machine.expire(now)
        answers += [one for one in sends(machine) if one.to == "s"]
    assert answers == [SendFrame("s", Subscribed(1, ("n",)))]
    assert said(machine, "t", Subscribe(1, 'topic == "news"')) == [SendFrame("t", Subscribed(1, ("n",)))]
    assert known(machine, NEWS, "n", 1) == [SendFrame("s", Subscribed(1)), SendFrame("t", Subscribed(1))]
    assert machine.deadline() is None


def test_a_client_that_asks_again_and_again_waits_once():
    """While somebody is missing each question is answered, and the good news comes once."""
    machine = broker()
    said(machine, "s", Subscribe(1, 'topic == "news"'))
    said(machine, "n", InterestsKnown(NEWS, 0, 1, 1, missing=("z",)))
    for _ in range(3):
        assert said(machine, "s", Subscribe(1, 'topic == "news"')) == [SendFrame("s", Subscribed(1, ("z",)))]
    assert known(machine, NEWS, "n", 1) == [SendFrame("s", Subscribed(1))]


# ---- the contract


def test_time_before_a_deadline_changes_nothing():
    """The timer may ring early, or without reason."""
    machine = broker()
    machine.expire(5)
    assert machine.deadline() is None
    said(machine, "s", Subscribe(1, 'topic == "news"'))
    machine.expire(SECOND - 1)
    assert sends(machine) == []
    assert machine.deadline() == SECOND
    machine.expire(SECOND)
    assert [one.to for one in sends(machine)] == ["n"]
    assert machine.deadline() == 3 * SECOND


def test_who_comes_back_asks_everybody_when_interests_are_renewed():
    """Without renewals nobody is asked; a first start has nothing to ask for."""
    for renew_ns, incarnation, asked in ((None, 1, 0), (SECOND, 0, 0), (SECOND, 1, 3)):
        machine = broker(renew_ns=renew_ns)
        machine.receive(Started(incarnation), 0)
        assert sends(machine) == [] if not asked else len(sends(machine)) == asked


@pytest.mark.parametrize(
    ("sender", "frame", "sentence"),
    [
        ("n", Deliver(event()), "n sent Deliver, which no broker takes"),
        ("n", Accepted(1), "n sent Accepted, which no broker takes"),
        ("m", Interests(NEWS, 0, 1, None), "m is no neighbour of b in tree 'tree of news'"),
        ("n", Interests("none", 0, 1, None), "n is no neighbour of b in tree 'none'"),
        ("s", InterestsKnown(NEWS, 0, 1, 1), "s is no neighbour of b in tree 'tree of news'"),
    ],
)
def test_what_nobody_may_send_is_refused(sender, frame, sentence):
    """With the name of who did; what came before it in the batch still counts."""
    machine = broker()
    with pytest.raises(PeerError, match=sentence):
        machine.receive(FramesArrived(sender, (Publish(event()), frame)), 0)
    assert sends(machine)[0] == SendFrame(sender, Accepted(1))


def test_notices_for_clients_mean_nothing_to_a_broker():
    """A driver that mixes them up does no harm."""
    machine = broker()
    machine.receive(PublishRequested(event()), 0)
    assert sends(machine) == []


def test_who_would_be_sent_an_event_can_be_asked():
    """Without sending it; an answer holds as long as the version does."""
    machine = broker()
    before = machine.version
    said(machine, "m", Interests(QUOTES, 0, 1, None, ("price > 10",)))
    assert machine.version > before
    assert machine.answer(event(price=12)) == (("m",), False)
    said(machine, "s", Subscribe(1, "price > 5"), Subscribe(2, "price > 6"))
    assert machine.answer(event(2, price=12)) == (("m",), True)
    assert machine.clients_wanting(event(2, price=12)).tolist() == [0]
    found = machine.answers([event(4, price=12), event(5, price=1)])
    assert [(others, clients.tolist()) for others, clients in found] == [(("m",), [0]), ((), [])]
    assert [others for others, _ in machine.answers([event(6, topic="weather")])] == [()]
    before = machine.version
    assert machine.answer(event(3, price=7)) == ((), True)
    assert len(said(machine, "n", Forward(event(3, price=7)))) == 1
    assert machine.version == before


@given(
    st.lists(st.tuples(st.integers(0, 3), strategies.narrow_filters), min_size=1, max_size=6),
    st.lists(
        strategies.events_of(strategies.topics, st.integers(-2, 3) | st.sampled_from(("a", "ab", True))), max_size=4
    ),
    st.integers(0, 3),
)
def test_a_line_of_brokers_is_one_large_broker(wishes, events, at):
    """Whoever wants an event gets it, wherever it is published; nobody else does."""
    network = Network(options_on([("b0", "b1"), ("b1", "b2"), ("b2", "b3")]))
    for number, (home, wish) in enumerate(wishes):
        network.subscribe(f"b{home}", f"s{number}", format_filter(wish))
    network.run()
    for number, one in enumerate(events):
        published = msgspec.structs.replace(one, id=number)
        network.tell(f"b{at}", "p", Publish(published))
        network.run()
        wanted = sorted(f"s{place}" for place, (_, wish) in enumerate(wishes) if holds(wish, published))
        assert network.reached(number) == wanted


# ---- around what has failed


SQUARE = DetourOptions(
    overlay=Overlay(tuple("abcd"), (("a", "b"), ("b", "c"), ("b", "d"), ("a", "c"), ("c", "d")), (1.0,) * 5),
    trees={QUOTES: tree_neighbours([("a", "b"), ("b", "c"), ("b", "d")])},
)
"""b is in the middle of a tree; there are more links than those of the tree."""


def detouring(**changes):
    """Broker a, which knows that b's side wants quotes, and that b cannot be reached but by c."""
    one = broker(name="a", neighbours={QUOTES: ("b",)}, detours=SQUARE, **changes)
    kept(one, "b", Interests(QUOTES, 0, 0, None, ('topic == "quote"',)))
    one.receive(NeighbourLost("b"), 0)
    stored(one)
    return one


def kept(machine, sender, *frames):
    """What it sends when these arrive, once what it stores is on disk."""
    machine.receive(FramesArrived(sender, frames), 0)
    return stored(machine)


def stored(machine):
    """What it sends, once what it stores is on disk."""
    effects = machine.drain()
    machine.receive(RecordsStored(len(effects.store)), 0)
    return effects.send


def by(*way):
    """An event, led along a way."""
    return SendFrame(way[1], Relayed(way, Forward(event())))


def test_events_go_around_a_link_that_has_failed():
    """Nobody tries the link."""
    assert [send for send in said(detouring(), "p", Publish(event())) if isinstance(send.frame, Relayed | Forward)] == [
        by("a", "c", "b")
    ]


def test_events_that_are_kept_go_around_it_too():
    """And stay for the neighbour itself; what it was owed before goes as soon as there is a way."""
    one = detouring(keeps=True)
    assert by("a", "c", "b") in kept(one, "p", Publish(event()))
    assert one.holds
    one.receive(NeighbourLost("c"), 0)
    stored(one)
    one.receive(NeighbourReturned("c"), 0)
    assert by("a", "c", "b") in stored(one)
    one.receive(NeighbourReturned("b"), 0)
    assert SendFrame("b", Forward(event())) in stored(one)
    one.receive(FramesArrived("b", (Received((1,)),)), 0)
    assert not one.holds


def test_expired_events_are_not_led_around():
    """Though they are still owed until the neighbour's turn comes."""
    one = detouring(keeps=True)
    one.receive(NeighbourLost("c"), 0)
    kept(one, "p", Publish(event(expires_ns=5)))
    one.receive(NeighbourReturned("c"), 6)
    assert not [send for send in stored(one) if isinstance(send.frame, Relayed)]


def test_an_event_from_aside_goes_on_away_from_where_it_began():
    """And is not acknowledged."""
    one = broker(name="b", neighbours={QUOTES: ("a", "c", "d")}, detours=SQUARE)
    for name in "acd":
        said(one, name, Interests(QUOTES, 0, 0, None, ('topic == "quote"',)))
    sent = said(one, "c", Relayed(("a", "c", "b"), Forward(event())))
    assert [(send.to, type(send.frame)) for send in sent] == [("c", Forward), ("d", Forward)]


def test_what_is_not_for_us_is_passed_on():
    """As it came."""
    one = broker(name="c", neighbours={QUOTES: ("b",)}, detours=SQUARE)
    frame = Relayed(("a", "c", "d"), Forward(event()))
    assert said(one, "a", frame) == [SendFrame("d", frame)]


def test_interests_come_from_aside():
    """And answers; what those want who are no neighbours is not written down."""
    one = broker(name="a", neighbours={QUOTES: ("b",)}, detours=SQUARE, keeps=True, renew_ns=SECOND)
    one.receive(FramesArrived("c", (Relayed(("d", "c", "a"), Interests(QUOTES, 0, 0, None, ("x == 1",))),)), 0)
    effects = one.drain()
    assert [send for send in effects.send if isinstance(send.frame, Relayed | InterestsKnown)] == [
        SendFrame("b", Relayed(("a", "b", "d"), InterestsKnown(QUOTES, 0, 0, 0)))
    ]
    assert [send.frame.way for send in kept(one, "p", Publish(event(x=1))) if send.to == "b"] == [("a", "b", "d")]
    assert not one.holds
    kept(one, "c", Relayed(("d", "c", "a"), InterestsKnown(QUOTES, 0, 0, 0)))
    assert [type(send.frame) for send in kept(one, "b", Interests(QUOTES, 0, 0, None, ("x == 1",)))] == [InterestsKnown]


def test_links_are_reported():
    """Until it is known; and a broker with a timer for them has one."""
    one = detouring()
    assert one.deadline() is not None
    assert said(one, "c", LinkReportsKnown((("a", 0, 1),)), LinkReports((LinkReport("d", 0, 1, ("b",)),))) == [
        SendFrame("c", LinkReportsKnown((("d", 0, 1),)))
    ]


@pytest.mark.parametrize(
    ("machine", "frame", "sentence"),
    [
        (broker(), Relayed(("m", "b"), Forward(event())), "m relays Forward, which b does not"),
        (broker(), LinkReports(()), "m reports links, which b does not"),
        (detouring(), Relayed(("m", "a"), StandBy("c", 1)), "m sent StandBy, which no broker takes"),
        (detouring(), Relayed(("x", "a"), Interests(QUOTES, 0, 0, None)), "x is no neighbour of a in tree"),
    ],
)
def test_what_takes_no_part_is_refused(machine, frame, sentence):
    """Brokers that lead nothing around take no such frames."""
    with pytest.raises(PeerError, match=sentence):
        said(machine, "m", frame)


def test_an_event_without_a_tree_goes_nowhere_aside():
    """Nobody can want it."""
    assert said(detouring(), "p", Publish(event(topic="weather"))) == [SendFrame("p", Accepted(1))]
