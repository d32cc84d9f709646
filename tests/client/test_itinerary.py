"""Which broker next, and when."""

from hypothesis import given
from hypothesis import strategies as st

from tidings.client.itinerary import BRIEF_S, FIRST_WAIT_S, LONGEST_WAIT_S, Itinerary
from tidings.client.places import read_place

PLACES = [read_place(f"mqtt://{name}") for name in "abc"]


def hosts(itinerary, count, spread=1.0):
    """The next so many attempts, all of which come to nothing."""
    found = []
    for _ in range(count):
        place, wait_s = itinerary.next(spread)
        found.append((place.host, round(wait_s, 6)))
        itinerary.came_to_nothing()
    return found


def test_every_place_is_tried_at_once_and_then_in_rounds():
    """Further and further apart."""
    first, second = FIRST_WAIT_S, 2 * FIRST_WAIT_S
    assert hosts(Itinerary(PLACES), 7) == [
        ("a", 0.0),
        ("b", 0.0),
        ("c", 0.0),
        ("a", first),
        ("b", first),
        ("c", first),
        ("a", second),
    ]


def test_waits_have_a_bound_and_a_spread():
    """A crowd does not come back all at once."""
    itinerary = Itinerary(PLACES[:1])
    hosts(itinerary, 100)
    assert itinerary.next(1.0)[1] == LONGEST_WAIT_S
    assert itinerary.next(0.0)[1] == LONGEST_WAIT_S / 2


def test_a_connection_that_lasted_is_sought_again_at_once_at_the_same_place():
    """What failed before it counts no more."""
    itinerary = Itinerary(PLACES)
    hosts(itinerary, 4)
    itinerary.was_let_in(BRIEF_S)
    assert itinerary.next(1.0) == (PLACES[1], 0.0)


def test_connections_that_do_not_last_come_less_and_less_often():
    """Two clients with one name would else throw each other out without end."""
    itinerary, waits = Itinerary(PLACES), []
    for _ in range(40):
        itinerary.was_let_in(0.1)
        place, wait_s = itinerary.next(1.0)
        assert place.host == "a"
        waits.append(wait_s)
    assert waits == sorted(waits)
    assert 0 < waits[0] < 0.1
    assert waits[-1] == LONGEST_WAIT_S
    itinerary.was_let_in(BRIEF_S)
    assert itinerary.next(1.0)[1] == 0.0


@given(st.lists(st.sampled_from(("failed", "brief", "lasted"))), st.floats(0, 1))
def test_no_wait_is_longer_than_the_longest(acts, spread):
    """Nor negative, whatever has happened."""
    itinerary = Itinerary(PLACES)
    for act in acts:
        itinerary.came_to_nothing() if act == "failed" else itinerary.was_let_in(1.0 if act == "brief" else 60.0)
    assert 0.0 <= itinerary.next(spread)[1] <= LONGEST_WAIT_S
