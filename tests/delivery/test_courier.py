"""The courier: events sent until they are acknowledged, kept for who is lost, given up when they expire."""

from hypothesis import given
from hypothesis import strategies as st

from tidings.delivery import courier as module
from tidings.delivery.backlog import BACKLOG_MAX
from tidings.delivery.courier import Courier
from tidings.delivery.round_trip import FIRST_NS, LEAST_NS
from tidings.vocabulary.event import Event
from tidings.vocabulary.frames import Deliver, Forward
from tidings.vocabulary.instant import FOREVER, SECOND
from tidings.vocabulary.machine import DropEvent, SendFrame


def event(number, expires_ns=FOREVER):
    """An event with that identity."""
    return Event(number, "p", "t", 0, {}, expires_ns)


def courier(*names, drop_expired=True):
    """For these neighbours."""
    return Courier(names or ("n",), drop_expired=drop_expired)


def sent(frames):
    """To whom, and which event."""
    return [(one.to, one.frame.event.id) for one in frames]


def test_an_event_goes_to_everybody_at_once():
    """Those who are there."""
    one = courier("m", "n")
    assert one.send(event(1), ("m", "n"), 0) == [SendFrame("m", Forward(event(1))), SendFrame("n", Forward(event(1)))]
    assert one.owes


def test_what_everybody_has_is_finished():
    """Not before the last; acknowledging twice, or what was never sent, changes nothing."""
    one = courier("m", "n")
    one.send(event(1), ("m", "n"), 0)
    one.received("m", (1, 7), 1)
    one.received("m", (1,), 2)
    assert (one.take_finished(), one.owes) == ([], True)
    one.received("n", (1,), 3)
    assert (one.take_finished(), one.owes) == ([1], False)
    assert (one.take_finished(), one.deadline) == ([], None)


def test_nobody_to_send_to():
    """Costs nothing and leaves nothing."""
    one = courier()
    assert (one.send(event(1), (), 0), one.owes, one.deadline) == ([], False, None)


def test_what_is_left_unanswered_is_sent_again():
    """After a second, then two, then four; an answer after that ends it."""
    one = courier()
    one.send(event(1), ("n",), 0)
    waits, now = [], 0
    for _ in range(3):
        waits.append((one.deadline - now) // SECOND)
        assert one.due(one.deadline - 1) == []
        now = one.deadline
        assert sent(one.due(now)) == [("n", 1)]
    assert waits == [1, 2, 4]
    one.received("n", (1,), now)
    assert one.deadline is None


def test_the_wait_follows_the_round_trips():
    """Of events that were sent once; what was sent twice tells nothing."""
    one = courier()
    for number in range(30):
        one.send(event(number), ("n",), number * SECOND)
        one.received("n", (number,), number * SECOND + 1000)
    one.send(event(99), ("n",), 40 * SECOND)
    assert one.deadline == 40 * SECOND + LEAST_NS


def test_younger_events_wait_their_own_time():
    """Only what has waited long enough is sent again."""
    one = courier()
    one.send(event(1), ("n",), 0)
    one.send(event(2), ("n",), FIRST_NS // 2)
    assert sent(one.due(FIRST_NS)) == [("n", 1)]
    assert one.deadline > FIRST_NS


def test_a_timer_for_what_came_meanwhile_sends_nothing():
    """It was set for the oldest; that one is there, and the others are young."""
    one = courier()
    one.send(event(1), ("n",), 0)
    one.send(event(2), ("n",), FIRST_NS - 1)
    one.received("n", (1,), FIRST_NS - 1)
    assert (one.deadline, one.due(FIRST_NS)) == (FIRST_NS, [])
    assert one.deadline > FIRST_NS


def test_who_is_lost_is_sent_nothing_until_it_is_back():
    """And then everything, in its order."""
    one = courier("m", "n")
    one.send(event(1), ("m", "n"), 0)
    one.lost("n")
    one.received("m", (1,), 1)
    assert (one.is_lost("n"), one.is_lost("m"), one.deadline) == (True, False, None)
    assert sent(one.send(event(2), ("n", "m"), 2)) == [("m", 2)]
    assert [one.id for one in one.owed_to("n")] == [1, 2]
    assert one.owed() == {2: ["m", "n"], 1: ["n"]}
    assert sent(one.back("n", 10 * SECOND)) == [("n", 1), ("n", 2)]
    assert one.deadline == 2 + LEAST_NS, "m answered within an instant, and is owed what was sent at 2"


def test_what_has_expired_is_given_up_when_its_turn_comes():
    """When it would be sent again, and when its neighbour is back; it is finished then."""
    one = courier("m", "n")
    one.send(event(1, 5), ("m", "n"), 0)
    one.lost("n")
    assert one.due(FIRST_NS) == []
    assert one.take_dropped() == [DropEvent(event(1, 5), "expired", ("m",))]
    assert (one.take_finished(), one.back("n", FIRST_NS)) == ([], [])
    assert one.take_dropped() == [DropEvent(event(1, 5), "expired", ("n",))]
    assert (one.take_finished(), one.owes, one.deadline) == ([1], False, None)


def test_the_last_instant_of_a_lifetime_is_alive():
    """As everywhere."""
    one = courier()
    one.send(event(1, 9), ("n",), 0)
    one.lost("n")
    assert sent(one.back("n", 9)) == [("n", 1)]


def test_expired_events_can_be_carried_on():
    """Where the scenario asks for it."""
    one = courier(drop_expired=False)
    one.send(event(1, 5), ("n",), 0)
    one.lost("n")
    assert sent(one.back("n", 10)) == [("n", 1)]
    assert one.take_dropped() == []


def test_what_expires_for_who_is_lost_does_not_pile_up():
    """However long it is away: memory is bounded by what is alive."""
    one = courier()
    one.lost("n")
    for number in range(20 * module.SWEEP_MIN):
        one.send(event(number, number + 10), ("n",), number)
        assert len(list(one.owed_to("n"))) <= module.SWEEP_MIN + 1
    assert len(one.take_finished()) == len(one.take_dropped()) > 18 * module.SWEEP_MIN


def test_neighbours_are_known_by_name():
    """Nobody else may acknowledge anything."""
    assert courier("n").serves("n")
    assert not courier("n").serves("m")


@given(st.data())
def test_everything_arrives_in_the_end(data):
    """Frames and acknowledgements get lost, neighbours come and go: what is owed is what nobody acknowledged."""
    names = ("m", "n")
    one, there, owed, now = courier(*names), dict.fromkeys(names, True), {}, 0
    flying = []
    for number in range(data.draw(st.integers(1, 12))):
        now += data.draw(st.integers(0, 2 * SECOND))
        act = data.draw(st.sampled_from(("send", "arrive", "vanish", "lose", "back", "ring")))
        if act == "send":
            towards = data.draw(st.sampled_from([("m",), ("n",), names]))
            owed[number] = set(towards)
            flying += sent(one.send(event(number), towards, now))
        elif act in ("arrive", "vanish") and flying:
            to, which = flying.pop(data.draw(st.integers(0, len(flying) - 1)))
            if act == "arrive":
                one.received(to, (which,), now)
                owed[which].discard(to)
        elif act == "lose":
            name = data.draw(st.sampled_from(names))
            there[name] = False
            one.lost(name)
        elif act == "back":
            name = data.draw(st.sampled_from(names))
            there[name] = True
            flying += sent(one.back(name, now))
        elif act == "ring" and one.deadline is not None:
            now = max(now, one.deadline)
            flying += sent(one.due(now))
        assert {key: set(value) for key, value in one.owed().items()} == {key: s for key, s in owed.items() if s}
    for name in names:
        for to, number in sent(one.back(name, now)):
            one.received(to, (number,), now)
    assert not one.owes
    assert sorted(one.take_finished()) == sorted(owed)


def test_clients_are_served_like_neighbours():
    """Until they are dismissed, which settles what they are owed."""
    one = courier("a")
    one.serve("c", repairs=False)
    one.serve("c", repairs=True)
    assert one.send(event(1), ["a", "c"], 0) == [SendFrame("a", Forward(event(1))), SendFrame("c", Deliver(event(1)))]
    assert list(one.owed_to_clients()) == [("c", event(1))]
    one.received("a", [1], 1)
    assert one.take_finished() == []
    one.dismiss("c")
    assert one.take_finished() == [1]
    assert not one.serves("c")


def test_repairs_are_sent_when_nobody_else_was_in_time():
    """Also after the client was lost: whoever it is with now is given time."""
    one = courier()
    one.serve("c", repairs=True)
    assert one.send(event(1), ["c"], 0) == []
    assert one.due(FIRST_NS) == [SendFrame("c", Deliver(event(1)))]
    one.lost("c")
    assert not one.owes
    assert one.back("c", 9 * SECOND) == []
    assert one.owes
    assert one.due(one.deadline) == [SendFrame("c", Deliver(event(1)))]


def test_a_client_is_owed_no_more_than_so_many():
    """The oldest go, reported for it; neighbours are owed everything."""
    one = courier("a")
    one.serve("c", repairs=True)
    for number in range(BACKLOG_MAX + 2):
        one.send(event(number), ["a", "c"], 0)
    assert [found.id for _, found in one.owed_to_clients()] == list(range(2, BACKLOG_MAX + 2))
    assert one.take_dropped() == [DropEvent(event(number), "queue", ("c",)) for number in (0, 1)]
    assert len(list(one.owed_to("a"))) == BACKLOG_MAX + 2
