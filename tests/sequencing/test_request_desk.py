"""What a stage remembers of requests: each once, in order, of the latest incarnation."""

from hypothesis import given
from hypothesis import strategies as st

from sequencing.board import requested
from tidings.sequencing.request_desk import AHEAD_MAX, RequestDesk


def numbers(found):
    """Of requests."""
    return [one.number for one in found]


@given(st.lists(st.integers(1, 12), max_size=60))
def test_each_is_taken_once_in_order(arrivals):
    """Whatever arrives how often in whatever order; against a set."""
    desk, taken = RequestDesk(), []
    for number in arrivals:
        taken += numbers(desk.receive(requested(number)))
    seen, first = set(arrivals), 1
    while first in seen:
        first += 1
    assert taken == list(range(1, first))


def test_what_is_too_far_ahead_waits_at_the_publisher():
    """It is not kept, and comes again."""
    desk = RequestDesk()
    assert desk.receive(requested(2 + AHEAD_MAX)) == []
    for number in range(1, 2 + AHEAD_MAX):
        desk.receive(requested(number))
    assert desk.state(1, "a", "p").logged == 1 + AHEAD_MAX


def test_topics_and_publishers_are_numbered_apart():
    """Number 1 of each is the first."""
    desk = RequestDesk()
    for request in (requested(1), requested(1, "b"), requested(1, "a", "q")):
        assert desk.receive(request) == [request]


def test_a_new_incarnation_ends_the_old_one():
    """Its own numbers begin anew, and what the old one has on its way is not taken any more."""
    desk = RequestDesk()
    first = requested(1)
    desk.receive(first)
    assert numbers(desk.receive(requested(1, incarnation=2))) == [1]
    assert desk.receive(requested(2)) == desk.receive(requested(3, incarnation=1)) == []
    desk.completed(first)
    assert (desk.state(1, "a", "p").incarnation, desk.state(1, "a", "p").complete) == (2, 0)


def test_it_says_how_far_a_publisher_is():
    """Logged and complete are counted apart."""
    desk = RequestDesk()
    for number in (1, 2):
        desk.receive(requested(number))
    desk.completed(requested(1))
    state = desk.state(1, "a", "p")
    assert (state.logged, state.complete, state.topic) == (2, 1, "a")
