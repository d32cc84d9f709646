"""Timestamps: pairs, equality, and the order among them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import PeerError
from tidings.ordering.timestamp import Layout, Timestamp, comparable, precedes

NUMBERS = st.dictionaries(st.sampled_from("abcde"), st.integers(0, 3), min_size=1)


@st.composite
def stamps(draw):
    """Any timestamp over a few topics."""
    numbers = draw(NUMBERS)
    return Timestamp.of(draw(st.sampled_from(sorted(numbers))), numbers)


def test_pairs_go_in_and_out():
    """In the order of the layout; the topic's own number is the event's."""
    stamp = Timestamp.of("b", {"b": 4, "a": 2})
    assert stamp.pairs() == {"a": 2, "b": 4}
    assert (stamp.topic, stamp.number, stamp.layout.own) == ("b", 4, 1)


def test_a_timestamp_cannot_be_written():
    """What is completed stays as it is."""
    with pytest.raises(ValueError, match="read-only"):
        Timestamp.of("a", {"a": 1}).numbers[0] = 2


@given(stamps(), stamps())
def test_equal_is_what_holds_the_same(one, other):
    """Topic and pairs; equal ones have equal hashes, and nothing else is equal to a timestamp."""
    assert (one == other) == ((one.topic, one.pairs()) == (other.topic, other.pairs()))
    assert one != other or hash(one) == hash(other)
    assert one == Timestamp(Layout(one.topic, one.layout.members), one.numbers.copy())
    assert one != one.pairs()


@given(stamps(), stamps())
def test_order_is_that_of_the_shared_numbers(one, other):
    """Against the definition on dictionaries; never both ways."""
    left, right = one.pairs(), other.pairs()
    shared = [topic for topic in left if topic in right]
    assert comparable(one, other) == comparable(other, one) == bool(shared)
    smaller = all(left[topic] <= right[topic] for topic in shared) and any(left[t] < right[t] for t in shared)
    assert precedes(one, other) == smaller
    assert not (precedes(one, other) and precedes(other, one))


@pytest.mark.parametrize(("topic", "members"), [("a", ("b",)), ("a", ()), ("a", ("a", "b", "a"))])
def test_a_layout_names_its_topic_and_everything_once(topic, members):
    """Whoever sends anything else is refused."""
    with pytest.raises(PeerError, match="timestamp of topic a"):
        Layout(topic, members)


def test_layouts_are_values():
    """Equal by what they name."""
    assert Layout("a", ("a", "b")) == Layout("a", ("a", "b")) != Layout("b", ("a", "b"))
    assert Layout("b", ("a", "b")).place == {"a": 0, "b": 1}
    assert Timestamp(Layout("a", ("a",)), np.array([3])).number == 3
