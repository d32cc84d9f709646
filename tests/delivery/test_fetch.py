"""Fetches: questions that are asked again, answers in any order, and what is given up."""

from tidings.delivery.fetch import ASK_AGAIN_NS, ASK_AGAIN_NS_MAX, GIVE_UP_NS, Fetch
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import HandedOver, HandoffAsked
from tidings.vocabulary.instant import SECOND


def event(number):
    """One of many."""
    return Event(number, "p", "t", 0, {})


def fetch(*wishes, began_ns=0):
    """What waits at broker o since stay 4."""
    return Fetch("c", 4, "o", copy=False, began_ns=began_ns, unconfirmed=set(wishes))


def answer(start, *numbers, complete=False):
    """Events from a place on."""
    return HandedOver("c", 4, start, tuple(map(event, numbers)), complete)


def test_questions_back_off():
    """Twice as long each time, up to a bound."""
    one, now, waits = fetch(1), 0, []
    for _ in range(6):
        assert one.ask(now) == HandoffAsked("c", 4, 0, copy=False, closing=False)
        waits.append(one.deadline_ns - now)
        now = one.deadline_ns
    assert waits == [min(ASK_AGAIN_NS << step, ASK_AGAIN_NS_MAX) for step in range(6)]


def test_an_answer_makes_it_hopeful_and_quick_again():
    """Silence is counted from the last one."""
    one = fetch()
    for now in range(0, 3 * SECOND, SECOND):
        one.ask(now)
    one.take(answer(0), 3 * SECOND)
    one.ask(3 * SECOND)
    assert one.deadline_ns == 3 * SECOND + ASK_AGAIN_NS
    assert not one.hopeless(2 * SECOND + GIVE_UP_NS)
    assert one.hopeless(3 * SECOND + GIVE_UP_NS)


def test_answers_that_overlap_bring_only_what_is_new():
    """Repeated ones nothing; a gap is what the other side has given up."""
    one = fetch()
    assert [each.id for each in one.take(answer(0, 10, 11), 0)] == [10, 11]
    assert one.take(answer(0, 10, 11), 0) == []
    assert [each.id for each in one.take(answer(1, 11, 12), 0)] == [12]
    assert [each.id for each in one.take(answer(5, 15), 0)] == [15]
    assert one.ask(0).start == 6


def test_it_closes_when_everybody_knows_every_wish():
    """Only the last confirmation is worth asking at once."""
    one = fetch(1, 2)
    assert not one.confirmed(1)
    assert not one.ask(0).closing
    assert one.confirmed(2)
    assert one.ask(0).closing
    assert not one.confirmed(2)


def test_what_was_held_and_came_from_there_too_is_shown_once():
    """The rest is what only came here."""
    one = fetch()
    one.held += [event(10), event(11), event(12)]
    one.take(answer(0, 9, 10, 11), 0)
    assert one.rest() == [event(12)]


def test_a_fetch_that_begins_late_has_its_time():
    """Silence is counted from its beginning."""
    assert not fetch(began_ns=GIVE_UP_NS).hopeless(2 * GIVE_UP_NS - 1)
