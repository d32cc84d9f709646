"""What a session is owed: identifiers are never in use twice, and nothing leaves but by being acknowledged."""

from hypothesis import given
from hypothesis import strategies as st

from tidings.mqtt.outgoing import PACKET_ID_MAX, Flight, Outgoing
from tidings.vocabulary.event import Event

EVENT = Event(1, "p", "t", 0, {}, payload=b"x" * 100)
acts = st.lists(
    st.tuples(st.sampled_from(("send", "land", "halve", "wait", "next")), st.integers(1, 6), st.integers(1, 2)),
    max_size=60,
)


@given(acts)
def test_a_window_is_a_dictionary(acts):
    """The plain twin: what is in flight, by identifier, with its quality; and a queue."""
    out, flying, waiting = Outgoing(), {}, []
    out.window = 4
    for number, (act, packet_id, qos) in enumerate(acts):
        if act == "send" and out.is_open:
            sent = out.send([number], qos)
            assert sent not in flying
            flying[sent] = [number, qos]
        elif act == "land":
            right = packet_id in flying and flying[packet_id][1] == qos
            expected = flying.pop(packet_id)[0] if right else None
            assert out.land(packet_id, qos) == (None if not right else [] if expected is None else [expected])
        elif act == "halve":
            right = packet_id in flying and flying[packet_id][1] == 2
            assert out.halve(packet_id) == (
                None if not right else [] if flying[packet_id][0] is None else [flying[packet_id][0]]
            )
            if right:
                flying[packet_id][0] = None
        elif act == "wait":
            out.wait(number)
            waiting.append(number)
        elif act == "next" and waiting:
            assert out.next_up() == waiting.pop(0)
        assert out.is_open == (len(flying) < 4)
        assert out.events_in_flight == sum(number is not None for number, _ in flying.values())
        assert list(out.numbers()) == [number for number, _ in flying.values() if number is not None] + waiting


def test_identifiers_go_round():
    """Past those that are in use; 0 is none."""
    out = Outgoing()
    out.restore(PACKET_ID_MAX, Flight([1], 1))
    out.restore(1, Flight([2, 3], 1))
    assert out.events_in_flight == 3
    assert out.send([4], 1) == 2
    out._last_id = PACKET_ID_MAX - 1
    assert out.send([5], 1) == 3


def test_events_that_wait_are_weighed():
    """Numbers of records weigh nothing; what comes back to the front is in its old order."""
    out = Outgoing()
    out.wait(7)
    assert out.waiting_bytes == 0
    out.wait(EVENT)
    assert out.waiting_bytes >= 100
    assert out.next_up() == 7
    assert out.next_up() is EVENT
    assert out.waiting_bytes == 0
    out.wait(9)
    out.wait_first([EVENT, 8])
    assert out.waiting_bytes >= 100
    assert list(out.waiting) == [EVENT, 8, 9]
    assert list(out.numbers()) == [8, 9]
