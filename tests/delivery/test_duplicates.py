"""Remembering which events have passed: at least so many, at most twice as many."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.delivery.duplicates import Duplicates


@given(st.lists(st.integers(0, 12), max_size=80), st.integers(1, 4))
def test_the_last_events_are_remembered_and_older_ones_forgotten(identities, remembered):
    """The twin keeps the order of first sights: among the last `remembered` is known, beyond twice as many is new."""
    memory, sights = Duplicates(remembered), []
    for identity in identities:
        younger = [one for one in sights if one != identity]
        since = len(sights) - sights.index(identity) - 1 if identity in sights else None
        seen = memory.seen(identity)
        if since is None:
            assert not seen
        elif since < remembered:
            assert seen
        elif since >= 2 * remembered:
            assert not seen
        if not seen:
            sights = [*younger, identity]


@pytest.mark.parametrize("remembered", [1, 3, 100])
def test_memory_is_bounded(remembered):
    """However many events pass."""
    memory = Duplicates(remembered)
    assert not any(memory.seen(identity) for identity in range(10 * remembered))
    assert len(memory._younger) + len(memory._older) <= 2 * remembered


def test_what_was_seen_stays_seen_in_either_generation():
    """The older half still counts; a repeated event does not push others out."""
    memory = Duplicates(2)
    assert [memory.seen(identity) for identity in (1, 2, 3, 1, 2, 3, 3)] == [False] * 3 + [True] * 4
    assert [memory.seen(identity) for identity in (4, 5, 1)] == [False] * 3
