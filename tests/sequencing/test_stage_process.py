"""A stage's process, said line by line: what it logs, says and remembers."""

import pytest

from sequencing.board import PAIR, deployment, event, requested
from tidings.errors import PeerError
from tidings.ordering import TimestampReader
from tidings.sequencing import Retention, StageProcess
from tidings.sequencing.messages import (
    Climbing,
    Finished,
    Gone,
    Hop,
    HopTaken,
    NumbersAsked,
    ProbeAsked,
    Published,
    Reached,
    Taken,
)
from tidings.sequencing.probes import FIRST_NS
from tidings.vocabulary.instant import SECOND

CHAIN = {"one": ["a"], "two": ["b"]}


def started(plan=None, name=None, records=(), term=1, retention=None):
    """A process that has said what it listens to."""
    plan = plan or deployment()
    stage = StageProcess(plan, name or plan.plan.stages[0].name, retention)
    stage.start(term, records, 0)
    return stage


def told(wishes, kind):
    """Messages of one kind, with the names they were told on."""
    return [(name, message) for name, message in wishes.tell if isinstance(message, kind)]


def say(stage, message, now=0):
    """What comes of one message."""
    stage.receive("", message, now)
    return stage.drain()


def test_it_listens_to_its_topics_and_to_other_stages():
    """From its start on."""
    stage = started()
    names = stage.deployment.names
    assert stage.drain().listen == [names.stage(stage.name), names.inlet("a"), names.inlet("b")]


def test_a_request_is_logged_acknowledged_stamped_and_published():
    """All in one batch, so that nothing is said before the record is on disk."""
    stage = started()
    stage.drain()
    wishes = say(stage, requested(1), 5)
    assert len(wishes.store) == 1
    assert told(wishes, Taken) == [("$order/to/p", Taken(1, "a", 0, 1, 1))]
    ((name, published),) = told(wishes, Published)
    assert (name, published.topic, published.number, published.event) == ("$order/out/a", "a", 1, event(1))
    stamp = TimestampReader("a", stage.deployment.topics).read(published.stamp)
    assert stamp.pairs() == {"a": 1, "b": 0}
    (cost,) = wishes.stamped
    assert (cost.event, cost.requested_ns, cost.stages, cost.entries, cost.term) == (event(1).id, 5, 1, 2, 1)
    assert cost.size == len(published.stamp)


def test_a_repeated_request_is_answered_from_memory():
    """Nothing is logged, numbered or published again."""
    stage = started()
    first = say(stage, requested(1))
    again = say(stage, requested(1))
    assert told(again, Taken) == told(first, Taken)
    assert (again.store, told(again, Published), again.stamped) == ([], [], [])


def test_later_requests_wait_for_earlier_ones():
    """A publisher's order within a topic is the order of its numbers."""
    stage = started()
    assert told(say(stage, requested(2)), Published) == []
    assert [one.event.published_ns for _, one in told(say(stage, requested(1)), Published)] == [1, 2]


def two_stages(**more):
    """Topic a below topic b: its requests climb."""
    plan = deployment(stages=CHAIN, **more)
    lower = plan.plan.routes["a"].stage
    higher = plan.plan.routes["b"].stage
    if len(plan.plan.routes["a"].path) == 1:
        lower, higher = higher, lower
    return plan, started(plan, lower), started(plan, higher)


def test_a_request_climbs_and_its_timestamp_comes_back():
    """Over channels with numbers of their own; only then is it published, by the stage of its topic."""
    _, lower, higher = two_stages()
    (topic,) = lower._stage.topics
    (climb,) = [message for _, message in told(say(lower, requested(1, topic)), Hop)]
    assert isinstance(climb.item, Climbing)
    assert lower.unfinished == [(event(1, topic), 1, 0)]
    above = say(higher, climb, 3)
    (back,) = [message for _, message in told(above, Hop)]
    assert isinstance(back.item, Finished)
    assert [message for _, message in told(above, HopTaken)] == [HopTaken(1, higher.name, 1)]
    assert told(above, Published) == []
    home = say(lower, back, 6)
    assert [one.number for _, one in told(home, Published)] == [1]
    assert len(home.store) == 1
    assert lower.unfinished == []


def test_what_a_channel_repeats_is_acknowledged_and_nothing_else():
    """The sender may not have heard us."""
    _, lower, higher = two_stages()
    (topic,) = lower._stage.topics
    ((_, climb),) = told(say(lower, requested(1, topic)), Hop)
    say(higher, climb)
    again = say(higher, climb)
    assert again.store == []
    assert [type(message) for _, message in again.tell] == [HopTaken]


def test_a_channel_is_repaired():
    """What is not acknowledged is sent again, and the acknowledgement goes to the log with the next record."""
    _, lower, _ = two_stages()
    (topic,) = lower._stage.topics
    say(lower, requested(1, topic))
    lower.expire(lower.deadline())
    assert len(told(lower.drain(), Hop)) == 1
    assert say(lower, HopTaken(1, lower.deployment.plan.routes[topic].path[1], 1)).store == []
    assert len(say(lower, requested(2, topic)).store) == 2


def test_in_program_order_a_publisher_hears_when_a_timestamp_is_complete():
    """Logged first, complete when it is back."""
    _, lower, higher = two_stages(program_order=True)
    (topic,) = lower._stage.topics
    first = say(lower, requested(1, topic))
    assert [(one.logged, one.complete) for _, one in told(first, Taken)] == [(1, 0)]
    ((_, climb),) = told(first, Hop)
    ((_, back),) = told(say(higher, climb), Hop)
    assert [(one.logged, one.complete) for _, one in told(say(lower, back), Taken)] == [(1, 1)]


# ---- coming back


def test_it_goes_on_where_its_log_ends():
    """Numbers, requests and what is kept; nothing is published again, but everybody hears how far it is."""
    stage = started()
    records = say(stage, requested(1)).store + say(stage, requested(1, "b")).store
    back = started(records=records, term=2)
    wishes = back.drain()
    assert told(wishes, Published) == []
    assert [(one.topic, one.number) for _, one in told(wishes, Reached)] == [("a", 1), ("b", 1)]
    assert told(say(back, requested(1)), Published) == []
    following = say(back, requested(2))
    assert [one.number for _, one in told(following, Published)] == [2]
    assert following.stamped[0].term == 2
    asked = say(back, NumbersAsked(1, "a", "s", (1,)))
    assert [one.event for _, one in told(asked, Published)] == [event(1)]


def test_it_sends_again_what_may_not_have_arrived():
    """Its channels stand where the log says."""
    plan, lower, _ = two_stages()
    (topic,) = lower._stage.topics
    records = say(lower, requested(1, topic)).store
    back = started(plan, lower.name, records)
    assert [one.number for _, one in told(back.drain(), Hop)] == [1]


def test_one_that_was_overtaken_falls_silent():
    """It is sent the answer to a request that only its successor took: from then on it says nothing."""
    plan, lower, higher = two_stages()
    (topic,) = lower._stage.topics
    successor = started(plan, lower.name)
    ((_, climb),) = told(say(successor, requested(1, topic)), Hop)
    ((_, back),) = told(say(higher, climb), Hop)
    assert say(lower, back).tell == []
    assert lower.overtaken
    assert say(lower, requested(1, topic)).tell == []
    lower.expire(10 * SECOND)
    assert (lower.drain().tell, lower.deadline(), lower.holds) == ([], None, False)


# ---- what somebody lacks


def test_missing_numbers_are_answered_whole():
    """To who asked, and to nobody else; what is not there yet is said to be so."""
    stage = started()
    for number in (1, 2, 3):
        say(stage, requested(number))
    wishes = say(stage, NumbersAsked(1, "a", "s", (2, 3, 9)))
    found = told(wishes, Published)
    assert [(name, one.number) for name, one in found] == [("$order/to/s", 2), ("$order/to/s", 3)]
    reader = TimestampReader("a", stage.deployment.topics)
    assert [reader.read(one.stamp).number for _, one in reversed(found)] == [3, 2]
    assert told(wishes, Reached) == [("$order/to/s", Reached(1, "a", 3))]


def test_what_is_past_retention_is_gone():
    """That is logged before it is said, and said to everybody alike, also by the next process."""
    stage = started(retention=Retention(lasting_ns=SECOND))
    records = [record for number in (1, 2) for record in say(stage, requested(number)).store]
    records += say(stage, requested(3), 2 * SECOND).store
    first = say(stage, NumbersAsked(1, "a", "s", (1, 3)), 2 * SECOND)
    assert told(first, Gone) == [("$order/to/s", Gone(1, "a", 1))]
    assert len(first.store) == 1
    assert len(told(first, Published)) == 1
    again = say(stage, NumbersAsked(1, "a", "u", (1,)), 2 * SECOND)
    assert (told(again, Gone), again.store) == ([("$order/to/u", Gone(1, "a", 1))], [])
    back = started(records=records + first.store)
    assert told(say(back, NumbersAsked(1, "a", "v", (1,))), Gone) == [("$order/to/v", Gone(1, "a", 1))]


def test_what_has_expired_travels_without_its_payload():
    """Its number is still there, so that nobody waits for it."""
    stage = started()
    late = requested(1, expires_ns=5)
    ((_, published),) = told(say(stage, late, 6), Published)
    assert (published.number, published.event.payload, published.event.payload_bytes) == (1, b"", 0)


def test_probes_say_how_far_a_topic_is():
    """When asked, and some time after the last publication."""
    stage = started()
    say(stage, requested(1))
    assert told(say(stage, ProbeAsked(1, "a")), Reached) == [("$order/out/a", Reached(1, "a", 1))]
    stage.expire(FIRST_NS)
    assert told(stage.drain(), Reached) == [("$order/out/a", Reached(1, "a", 1))]
    assert stage.holds


# ---- bad input


@pytest.mark.parametrize(
    "message",
    [
        Taken(1, "a", 0, 1, 1),
        Reached(2, "a", 1),
        ProbeAsked(2, "a"),
        NumbersAsked(1, "z", "s", (1,)),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_is_not_for_it_is_refused_and_counted(message):
    """Other versions, other topics, messages that no stage takes."""
    stage = started()
    stage.drain()
    assert say(stage, message).tell == []
    assert stage.refused == 1


def test_a_request_for_a_topic_that_it_has_not_is_an_error():
    """Said with the names of both."""
    with pytest.raises(PeerError, match="which it has not"):
        started().receive("", requested(1, "z"), 0)


def test_stages_without_overlap_do_not_know_each_other():
    """Each completes its own timestamps."""
    plan = deployment({"s": ("a",), "u": ("b",)}, stages=CHAIN)
    stage = started(plan, "one")
    assert [one.number for _, one in told(say(stage, requested(1)), Published)] == [1]
    assert set(PAIR) == {"s", "u"}
