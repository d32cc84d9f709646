"""One publisher's window, by hand: which event is the head, what it waits for, and how long."""

import pytest

from ordering.latch_world import number_of
from tidings.ordering.publication_record import Past, Stamp
from tidings.ordering.publisher_window import Held, PublisherWindow
from tidings.vocabulary.event import Event, event_id
from tidings.vocabulary.instant import FOREVER


def held(number, *, arrived=0, departed=None, before=(), reach=100, hold=1_000, due=FOREVER):
    """Number n departs at 10·n unless told otherwise."""
    departed = 10 * number if departed is None else departed
    return Held(Event(event_id(1, number), "p", "t", departed, {}), Stamp(0, tuple(before)), arrived, hold, reach, due)


def window(*ones, first=0, matters=lambda past: True, remembered=100):
    """A window with these in."""
    made = PublisherWindow(first, matters, remembered)
    for one in ones:
        made.add(one)
    return made


def out(made, now):
    """The numbers that are handed out by now."""
    return [one.number for one in made.release(now)]


def test_nothing_in_nothing_out():
    """No deadline, no event."""
    made = window()
    assert (len(made), made.deadline(), out(made, 10**9)) == (0, None, [])


def test_what_comes_next_goes_at_once():
    """And with it what had waited for it."""
    made = window(held(0, arrived=5))
    assert made.deadline() == 5
    assert out(made, 5) == [0]
    made.add(held(2, arrived=6))
    assert (out(made, 6), len(made)) == ([], 1)
    made.add(held(1, arrived=7))
    assert out(made, 7) == [1, 2]
    assert made.floor == 3


def test_an_incarnation_need_not_begin_at_0():
    """Below its first number nothing is missing."""
    assert out(window(held(7), first=7), 0) == [7]


def test_the_wait_is_the_reach_less_the_gap():
    """Without a record the gap counts as 0; with the instant before it is known."""
    assert window(held(3, arrived=50)).deadline() == 150
    assert window(held(3, arrived=50, before=[Past(20)])).deadline() == 140
    assert window(held(3, arrived=50, before=[Past(-500)])).deadline() == 50


def test_departures_that_run_backwards_count_as_no_gap():
    """The longest wait, not a longer one."""
    assert window(held(3, arrived=50, before=[Past(10**6)])).deadline() == 150


def test_the_longest_hold_is_never_exceeded():
    """Whatever the reach; and without one it is what is waited, whatever the gap."""
    assert window(held(3, arrived=50, hold=40)).deadline() == 90
    assert window(held(3, arrived=50, hold=40, reach=None, before=[Past(0)])).deadline() == 90


def test_the_latest_missing_that_may_matter_counts():
    """Numbers 2 and 1 do not: the gap is the one to number 0, far enough back to wait for nothing but 10."""
    before = [Past(39, topic="x"), Past(38, topic="x"), Past(37, topic="x"), Past(-60, topic="t")]
    made = window(held(4, departed=40, before=before), matters=lambda past: past.topic == "t")
    assert made.deadline() == 0
    before[3] = Past(-50, topic="t")
    assert window(held(4, departed=40, before=before), matters=lambda past: past.topic == "t").deadline() == 10


def test_nothing_that_may_matter_is_nothing_to_wait_for():
    """When the record goes down to the first that is still open."""
    before = [Past(30, topic="x"), Past(20, topic="x")]
    assert out(window(held(3, before=before), first=1, matters=lambda past: False), 0) == [3]


def test_below_the_record_nothing_is_known():
    """Number 0 may matter and departed no later than number 1, the oldest in the record."""
    before = [Past(20, topic="x"), Past(10, topic="x")]
    assert window(held(3, before=before), matters=lambda past: False).deadline() == 100 - 20


def test_what_is_above_waits_for_the_head():
    """Number 5's own latch is over at 100 already; it may not overtake number 2, which was told to wait to 190."""
    made = window(held(5, arrived=0), held(2, arrived=90))
    assert made.deadline() == 190
    assert out(made, 189) == []
    assert out(made, 190) == [2, 5]


def test_a_new_head_takes_over():
    """When one below arrives, its latch decides."""
    made = window(held(2, arrived=0))
    assert made.deadline() == 100
    made.add(held(1, arrived=70))
    assert made.deadline() == 170
    assert out(made, 170) == [1, 2]


def test_holes_are_given_up_one_after_the_other():
    """Each head waits for its own."""
    made = window(held(2, arrived=0), held(4, arrived=60), held(5, arrived=60))
    assert out(made, 100) == [2]
    assert made.deadline() == 160
    assert out(made, 160) == [4, 5]


def test_what_is_due_takes_everything_below_with_it():
    """And nothing above."""
    made = window(held(2), held(4, due=30), held(6), held(8, due=40))
    assert made.deadline() == 30
    assert out(made, 29) == []
    assert out(made, 30) == [2, 4]
    assert made.deadline() == 40
    assert out(made, 40) == [6, 8]
    assert made.deadline() is None


def test_popping_gives_holes_up():
    """The head goes before its time; what is missing below it is waited for no longer."""
    made = window(held(3), held(7))
    popped = made.pop()
    assert (number_of(popped.event), made.floor, len(made)) == (3, 4, 1)
    assert not out(made, 0)
    made.add(held(4))
    assert out(made, 0) == [4]


def test_settled_numbers_are_no_holes():
    """Those that came too late to be shown: at the floor it moves on, above it they are passed over."""
    made = window()
    made.settle(1)
    made.settle(0)
    assert made.floor == 2
    made.settle(4)
    made.add(held(5, before=[Past(40), Past(30)]))
    assert made.deadline() == 100 - 20
    made.add(held(2))
    assert out(made, 0) == [2]
    made.add(held(3))
    assert out(made, 0) == [3, 5]


@pytest.mark.parametrize("number", [0, 3, 5])
def test_duplicates_are_known(number):
    """Shown, held and settled ones."""
    made = window(held(0), held(3))
    made.settle(5)
    out(made, 0)
    assert made.knows(number)
    assert not made.knows(4)


def test_memory_has_a_bound():
    """The oldest is forgotten first."""
    made = window(remembered=3)
    for number in (4, 9, 2, 7):
        made.settle(number)
    assert [number for number in range(12) if made.knows(number)] == [2, 7, 9]
