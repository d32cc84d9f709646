"""Backlogs: places, bounds, lifetimes, against a plain list."""

from hypothesis import given
from hypothesis import strategies as st

from tidings.delivery.backlog import BACKLOG_MAX, Backlog
from tidings.vocabulary.event import Event


def event(number, expires_ns=100):
    """One of many."""
    return Event(number, "p", "t", 0, {}, expires_ns=expires_ns)


def numbers(events):
    """Who they are."""
    return [one.id for one in events]


def filled(count, most=BACKLOG_MAX):
    """A backlog with events 0, 1, 2 …"""
    backlog = Backlog(most)
    for number in range(count):
        backlog.add(event(number))
    return backlog


@given(
    st.lists(st.one_of(st.just("add"), st.tuples(st.just("forget"), st.integers(0, 20))), max_size=40),
    st.integers(1, 6),
)
def test_a_backlog_is_a_list_with_a_beginning(steps, most):
    """Places count on whatever leaves; the oldest leave when there is no room."""
    backlog, plain, first, count = Backlog(most), [], 0, 0
    for step in steps:
        if step == "add":
            out = backlog.add(event(count))
            plain.append(count)
            assert (out is None) == (len(plain) <= most)
            if out is not None:
                assert out.id == plain.pop(0)
                first += 1
            count += 1
        else:
            while plain and first < step[1]:
                plain.pop(0)
                first += 1
            backlog.forget_before(step[1])
        assert (backlog.first, backlog.end, len(backlog)) == (first, first + len(plain), len(plain))
        assert numbers(backlog) == plain
        for start in range(count + 2):
            begins, some = backlog.some(start, 2)
            offset = max(0, start - first)
            assert begins == max(start, first)
            assert numbers(some) == plain[offset : offset + 2]


def test_places_go_on_after_all_were_taken():
    """What comes next is not taken for what has gone."""
    backlog = filled(3)
    assert numbers(backlog.take_all()) == [0, 1, 2]
    backlog.add(event(3))
    assert backlog.some(0, 9) == (3, (event(3),))


def test_the_expired_leave_from_the_front():
    """At its last instant an event still lives; one that lives longer hides those behind it."""
    backlog = Backlog()
    for number, expires_ns in enumerate((5, 7, 20, 6)):
        backlog.add(event(number, expires_ns))
    assert numbers(backlog.take_expired(5)) == []
    assert numbers(backlog.take_expired(10)) == [0, 1]
    assert numbers(backlog.take_expired(21)) == [2, 3]
    assert len(backlog) == 0


def test_what_is_in_other_hands_is_forgotten():
    """Mostly the oldest; from the middle, the order of the rest stays."""
    backlog = filled(5)
    backlog.forget((0, 1))
    assert (backlog.first, numbers(backlog)) == (2, [2, 3, 4])
    backlog.forget((3, 9))
    assert numbers(backlog) == [2, 4]
