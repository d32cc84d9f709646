"""The subscribing end: one order, nothing twice, nothing forgotten, and no end to patience but the stage's word."""

import numpy as np
import pytest

from sequencing.board import PAIR, deployment, event
from tidings.errors import InputError
from tidings.ordering import Timestamp, TimestampWriter
from tidings.sequencing import OrderedSubscriber, Waiting
from tidings.sequencing.messages import Gone, NumbersAsked, ProbeAsked, Published, Reached, Taken
from tidings.sequencing.strand import PATIENCE_NS, TRIES_HELD
from tidings.vocabulary.instant import FOREVER

PLAN = deployment()


def published(topic, number, other, *, expires_ns=FOREVER, plan=PLAN):
    """Event `number` of a topic, behind so many events of the other topic."""
    layout = plan.layouts[topic]
    numbers = np.full(len(layout.members), other, np.int64)
    numbers[layout.own] = number
    stamp = TimestampWriter(plan.codes_of(topic)).whole(Timestamp(layout, numbers))
    return Published(1, topic, number, stamp, event(number, topic, expires_ns=expires_ns))


def subscriber(*, from_start=True, **more):
    """Of both topics."""
    one = OrderedSubscriber(PLAN, "s", ("a", "b"), from_start=from_start, **more)
    one.start(0)
    assert one.drain().listen == ["$order/to/s", "$order/out/a", "$order/out/b"]
    return one


def hear(one, *messages, now=0):
    """Everything on the name that it would come on."""
    for message in messages:
        one.receive(PLAN.names.outlet(message.topic), message, now)


def shown(one):
    """Topic and number of what the application is shown."""
    return [(showing.event.topic, showing.event.published_ns) for showing in one.drain().show]


def test_events_are_shown_in_the_one_order():
    """Whatever they arrive in."""
    one = subscriber()
    hear(one, published("b", 1, 2), published("a", 2, 0))
    assert shown(one) == []
    assert one.held == 1
    hear(one, published("a", 1, 0))
    assert shown(one) == [("a", 1), ("a", 2), ("b", 1)]


def test_nothing_is_shown_twice():
    """It is counted."""
    one = subscriber()
    hear(one, published("a", 1, 0), published("a", 1, 0))
    assert shown(one) == [("a", 1)]
    assert one.duplicates == 1


def test_what_another_topic_names_is_asked_for():
    """Even if nothing else has told of it; the wait can be seen, and has an address."""
    one = subscriber()
    hear(one, published("b", 1, 2), now=5)
    stage = PLAN.plan.routes["a"].stage
    assert one.waiting() == [Waiting("a", 1, 5, stage)]
    assert one.deadline() == 5 + PATIENCE_NS
    one.expire(one.deadline())
    assert one.drain().tell == [("$order/in/a", NumbersAsked(1, "a", "s", (1, 2)))]
    hear(one, published("a", 1, 0), published("a", 2, 0))
    assert one.waiting() == []
    assert one.deadline() is None


def test_a_last_event_that_was_lost_is_noticed_by_a_probe():
    """Nothing follows it that would tell."""
    one = subscriber()
    hear(one, Reached(1, "a", 1))
    one.expire(one.deadline())
    assert one.drain().tell == [("$order/in/a", NumbersAsked(1, "a", "s", (1,)))]


def test_nobody_waits_for_a_stage_that_never_answers():
    """It goes on asking all the same."""
    one = subscriber()
    hear(one, Reached(1, "a", 1))
    for _ in range(TRIES_HELD):
        assert one.holds
        one.expire(one.deadline())
    assert not one.holds
    assert one.deadline() is not None


def test_only_the_stage_says_gone():
    """Then the number is skipped, counted, and never shown, should it still come."""
    one = subscriber()
    hear(one, published("b", 1, 2))
    hear(one, Gone(1, "a", 2))
    assert shown(one) == [("b", 1)]
    assert one.lost == 2
    hear(one, published("a", 1, 0))
    assert shown(one) == []


def test_gone_skips_nothing_that_nobody_has_heard_of():
    """A claim about 2⁶² events costs nothing."""
    one = subscriber()
    hear(one, Gone(1, "a", 2**62))
    assert one.lost == 0
    hear(one, published("a", 1, 0))
    assert shown(one) == [("a", 1)]


def test_what_has_expired_is_shown_to_nobody_and_holds_up_nobody():
    """It is given up, and what comes behind it is shown."""
    one = subscriber()
    hear(one, published("a", 1, 0, expires_ns=3), published("a", 2, 0), now=4)
    wishes = one.drain()
    assert [(lost.event.published_ns, lost.reason) for lost in wishes.given_up] == [(1, "expired")]
    assert [showing.event.published_ns for showing in wishes.show] == [2]


# ---- joining and leaving


def test_a_joiner_asks_for_probes_until_it_sees_one_of_each_topic():
    """Only then is it in, and shows what comes after them."""
    one = subscriber(from_start=False)
    one.expire(one.deadline())
    assert [message for _, message in one.drain().tell] == [ProbeAsked(1, "a"), ProbeAsked(1, "b")]
    hear(one, Reached(1, "a", 4), published("a", 5, 0))
    assert not one.drain().joined
    hear(one, Reached(1, "b", 0))
    wishes = one.drain()
    assert wishes.joined
    assert [showing.event.published_ns for showing in wishes.show] == [5]
    hear(one, Reached(1, "b", 0))
    assert not one.drain().joined


def test_a_probe_that_did_not_come_the_events_way_proves_nothing():
    """An answer to a question is sent to the client itself."""
    one = subscriber(from_start=False)
    one.receive(PLAN.names.own("s"), Reached(1, "a", 4), 0)
    assert one.waiting()[0] == Waiting("a", 0, 0, PLAN.plan.routes["a"].stage)


def test_topics_may_begin_at_numbers_that_do_not_belong_together():
    """What an event names from before the beginning counts as shown; the order of what is shown stays."""
    one = subscriber(from_start=False)
    hear(one, Reached(1, "a", 9), Reached(1, "b", 2))
    hear(one, published("b", 3, 4), published("b", 4, 10), published("a", 10, 3))
    assert shown(one) == [("b", 3), ("a", 10), ("b", 4)]


def test_who_leaves_is_shown_nothing_more():
    """And asks for nothing."""
    one = subscriber()
    hear(one, Reached(1, "a", 1))
    one.leave()
    assert one.drain().leave == ["$order/out/a", "$order/out/b"]
    hear(one, published("a", 1, 0))
    assert shown(one) == []
    assert (one.deadline(), one.holds) == (None, False)


# ---- limits and bad input


def test_what_is_held_has_an_end():
    """Its topic is read no further until there is room, and then everything is shown all the same."""
    one = subscriber(held_max=2)
    hear(one, *(published("b", number, 1) for number in range(1, 9)))
    assert one.held == 3
    hear(one, published("a", 1, 0))
    assert shown(one) == [("a", 1), *(("b", number) for number in range(1, 9))]
    assert one.held == 0


def test_a_number_far_beyond_all_is_nobodys():
    """The event is refused, and its number stays missing until an honest one comes."""
    one = subscriber()
    hear(one, published("a", 1, 2**50))
    assert (one.refused, shown(one)) == (1, [])
    hear(one, published("a", 1, 0))
    assert shown(one) == [("a", 1)]


@pytest.mark.parametrize("message", [Reached(2, "a", 1), Taken(1, "a", 0, 1, 1)], ids=lambda one: type(one).__name__)
def test_other_versions_and_other_kinds_are_refused_and_counted(message):
    """Nothing comes of them."""
    one = subscriber()
    one.receive("", message, 0)
    assert one.refused == 1
    assert one.deadline() is None


def test_topics_that_it_does_not_have_are_none_of_its_business():
    """A network may hand over too much."""
    one = OrderedSubscriber(PLAN, "s", ("a",), from_start=True)
    one.receive("", Published(1, "b", 1, b"", event(1, "b")), 0)
    assert shown(one) == []


def test_a_subscription_needs_topics_that_have_stages():
    """InputError with the remedy."""
    with pytest.raises(InputError, match="name it in the plan"):
        OrderedSubscriber(PLAN, "s", ("a", "z"))
    with pytest.raises(InputError, match="at least one topic"):
        OrderedSubscriber(PLAN, "s", ())
    assert PAIR["s"] == ("a", "b")
