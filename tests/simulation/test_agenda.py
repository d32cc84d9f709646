"""The agenda: by instant, then in the order entered, against a plain sorted list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.simulation.agenda import Agenda

INSTANTS = st.lists(st.tuples(st.integers(0, 8), st.booleans()), max_size=30)


def keeping(log):
    """An action that writes down when it happened and what it was given."""
    return lambda now, one, other: log.append((now, one, other))


def filled(entries, log):
    """An agenda with these entries (instant, whether in the background), numbered."""
    agenda = Agenda()
    for number, (instant, background) in enumerate(entries):
        (agenda.in_background if background else agenda.at)(instant, keeping(log), number)
    return agenda


@given(INSTANTS)
def test_order_is_by_instant_then_as_entered(entries):
    """What happens is the entries, stably sorted."""
    log = []
    filled(entries, log).run(10)
    numbered = [(instant, number, None) for number, (instant, _) in enumerate(entries)]
    assert log == sorted(numbered, key=lambda one: one[0])


@given(INSTANTS, st.integers(0, 9))
def test_run_stops_behind_its_bound(entries, until):
    """Everything up to and including the bound has happened, nothing behind it."""
    log = []
    agenda = filled(entries, log)
    agenda.run(until)
    assert sorted(instant for instant, *_ in log) == sorted(instant for instant, _ in entries if instant <= until)
    assert agenda.head is None or agenda.head[0] > until


@given(INSTANTS)
def test_the_background_keeps_nobody_waiting(entries):
    """Running out stops when the last foreground entry has happened; what is in front of it happens, too."""
    log = []
    agenda = filled(entries, log)
    agenda.run_out()
    numbers = [number for number, (_, background) in enumerate(entries) if not background]
    last = max(((entries[number][0], number) for number in numbers), default=(-1, -1))
    due = [number for number, (instant, _) in enumerate(entries) if (instant, number) <= last]
    assert sorted(number for _, number, _ in log) == sorted(due)
    assert agenda.is_over


@given(INSTANTS)
def test_steps_and_runs_are_the_same(entries):
    """One entry at a time or all at once."""
    by_steps, at_once = [], []
    stepping = filled(entries, by_steps)
    while stepping.head is not None:
        instant, _ = stepping.head
        stepping.step()
        assert stepping.now == instant
    filled(entries, at_once).run(10)
    assert by_steps == at_once


def test_entries_made_meanwhile_have_their_turn():
    """An action may enter something for the same instant: it comes after what was there."""
    log, agenda = [], Agenda()

    def first(now, one, other):
        agenda.at(now, keeping(log), "third")
        agenda.in_background(now, keeping(log), "fourth")

    agenda.at(3, first)
    agenda.at(3, keeping(log), "second", "with two things")
    agenda.run(3)
    assert log == [(3, "second", "with two things"), (3, "third", None), (3, "fourth", None)]
    assert agenda.sequence == 4


def test_an_entry_in_the_past_is_our_own_bug():
    """Time never runs backwards."""
    agenda = Agenda()
    agenda.at(5, keeping([]))
    agenda.run(5)
    agenda.at(5, keeping([]))
    with pytest.raises(AssertionError, match="4 has been over since 5"):
        agenda.at(4, keeping([]))
