"""One topic of a subscriber: read in order, and it knows what it lacks."""

import numpy as np

from sequencing.board import deployment, event
from tidings.ordering import Timestamp, TimestampWriter
from tidings.sequencing.messages import Published
from tidings.sequencing.strand import AHEAD_MAX, PATIENCE_NS, PATIENCE_NS_MAX, Strand

PLAN = deployment()


def published(count, topic="a"):
    """So many events of a topic, differences and all; none of the other topic comes before any."""
    writer, layout = TimestampWriter(PLAN.codes_of(topic)), PLAN.layouts[topic]
    found = []
    for number in range(1, count + 1):
        numbers = np.zeros(2, np.int64)
        numbers[layout.own] = number
        found.append(Published(1, topic, number, writer.write(Timestamp(layout, numbers)), event(number, topic)))
    return found


def strand(starts_at=0):
    """Of topic a."""
    return Strand(PLAN, "a", starts_at=starts_at)


def taken(one):
    """Numbers whose turn it is, taken."""
    found = []
    while (following := one.next()) is not None:
        one.advance()
        found.append(following[0].number)
    return found


def test_events_are_read_in_the_order_of_their_numbers():
    """Since a timestamp may build on the one before."""
    one, events = strand(), published(4)
    for number in (3, 1, 0):
        one.receive(events[number], 0)
    assert taken(one) == [1, 2]
    one.receive(events[2], 0)
    assert taken(one) == [3, 4]


def test_what_came_before_is_a_duplicate():
    """Read or waiting, whatever it holds now: the first counts."""
    one, events = strand(), published(3)
    one.receive(events[2], 0)
    one.receive(events[2], 1)
    one.receive(events[0], 2)
    taken(one)
    one.receive(events[0], 3)
    assert one.duplicates == 2


def test_it_knows_what_it_lacks():
    """Below the highest number that it has heard of, and no more than one question may name."""
    one, events = strand(), published(3)
    one.receive(events[2], 0)
    one.look(5)
    assert one.missing == (1, 2)
    assert (one.since_ns, one.ask_ns) == (5, 5 + PATIENCE_NS)
    one.reaches(1_000)
    assert one.missing == (1, 2, *range(4, 65))


def test_patience_grows_with_every_question():
    """Up to an end; what is read begins it anew."""
    one = strand()
    one.reaches(1)
    one.look(0)
    waits = []
    for _ in range(10):
        before = one.ask_ns
        one.asked(before)
        waits.append(one.ask_ns - before)
    assert waits[:2] == [2 * PATIENCE_NS, 4 * PATIENCE_NS]
    assert waits[-1] == PATIENCE_NS_MAX
    one.receive(published(1)[0], 0)
    assert taken(one) == [1]
    one.look(0)
    assert (one.ask_ns, one.tries, one.since_ns) == (None, 0, None)


def test_a_difference_without_its_base_is_missing():
    """Who joined at number 1 cannot read number 2 as a difference, and asks for it whole."""
    one, events = strand(starts_at=1), published(2)
    one.receive(events[1], 0)
    assert taken(one) == []
    assert one.missing == (2,)


def test_a_number_far_ahead_is_not_believed_beyond_what_can_be_kept():
    """Nor kept; the claim costs some questions, no memory."""
    one = strand()
    one.receive(Published(1, "a", 2**61, b"", event(1)), 0)
    assert (one.refused, one.tail) == (1, AHEAD_MAX)
    one.ends_at(3)
    assert one.tail == 3


def test_a_stage_that_has_no_more_is_believed():
    """But what came is there."""
    one, events = strand(), published(3)
    one.receive(events[2], 0)
    one.reaches(9)
    one.ends_at(1)
    assert one.tail == 3


def test_nonsense_in_place_of_an_event_is_refused():
    """A timestamp of another number, an event of another topic, bytes that are none: the number stays missing."""
    events = published(2)
    for wrong in (
        Published(1, "a", 1, TimestampWriter([0, 1]).whole(Timestamp.of("a", {"a": 5, "b": 0})), event(1)),
        Published(1, "a", 1, events[0].stamp, event(1, "b")),
        Published(1, "a", 1, b"\x07", event(1)),
    ):
        one = strand()
        one.receive(wrong, 0)
        assert taken(one) == []
        assert one.missing == (1,)
        one.receive(events[0], 0)
        assert taken(one) == [1]


def test_holes_stand_where_something_is_gone():
    """Only what is missing, only up to the number said, and never beyond what is known to be there."""
    one, events = strand(), published(4)
    one.receive(events[2], 0)
    assert one.hole(9, 7)[0].pairs() == {"a": 1}
    one.advance()
    assert one.hole(1, 7) is None
    assert one.hole(9, 7)[1].event is None
    one.advance()
    assert one.hole(9, 7) is None


def test_a_joiner_begins_where_it_is_told():
    """Until then it lacks everything, and asks at once."""
    one = strand(starts_at=None)
    one.look(3)
    assert (one.joining, one.ask_ns) == (True, 3)
    one.begin(7, 4)
    assert (one.joining, one.read, one.ask_ns) == (False, 7, None)
