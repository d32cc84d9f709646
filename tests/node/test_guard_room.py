"""Standing by: until somebody says that the event is there, or until it is time."""

from tidings.node.guard_room import GuardRoom
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Guard

EVENT, OTHER = Event(1, "p", "t", 0, {}), Event(2, "p", "t", 0, {})


def room():
    """With three posts."""
    one = GuardRoom()
    one.take(EVENT, [Guard("s", 30, ("a",)), Guard("t", 10, ())], ("a",))
    one.take(OTHER, [Guard("s", 20, ())], ("b",))
    return one


def test_what_is_due_is_given_once_with_its_walk():
    """In the order of time."""
    one = room()
    assert (len(one), one.deadline) == (3, 10)
    assert one.due(9) == []
    assert one.due(25) == [(EVENT, Guard("t", 10, ()), ("a",)), (OTHER, Guard("s", 20, ()), ("b",))]
    assert (len(one), one.deadline, one.due(25)) == (1, 30, [])


def test_what_is_where_it_belongs_is_not_sent():
    """News of others changes nothing."""
    one = room()
    one.reached(1, "t")
    one.reached(9, "t")
    assert one.deadline == 20
    one.reached(2, "s")
    one.reached(1, "s")
    assert (len(one), one.deadline, one.due(99)) == (0, None, [])


def test_who_stands_by_already_goes_on():
    """A second request does not put it off."""
    one = room()
    one.take(EVENT, [Guard("t", 99, ())], ("c",))
    assert one.due(10) == [(EVENT, Guard("t", 10, ()), ("a",))]
