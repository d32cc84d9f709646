"""Many timers: a dictionary of instants, asked for those that are due."""

from hypothesis import given
from hypothesis import strategies as st

from tidings.mqtt.timers import Timers

acts = st.lists(
    st.tuples(st.sampled_from(("set", "clear", "due")), st.sampled_from("abc"), st.integers(0, 30)), max_size=80
)


@given(acts)
def test_timers_are_a_dictionary_of_instants(acts):
    """The plain twin; a key that is set again is due at its new instant only."""
    timers, twin = Timers(), {}
    for act, key, instant in acts:
        if act == "set":
            timers.set(key, instant)
            twin[key] = instant
        elif act == "clear":
            timers.clear(key)
            twin.pop(key, None)
        else:
            found = timers.due(instant)
            assert sorted(found) == sorted(one for one, due in twin.items() if due <= instant)
            assert [twin[one] for one in found] == sorted(twin[one] for one in found)
            twin = {one: due for one, due in twin.items() if due > instant}
        assert timers.deadline == min(twin.values(), default=None)


def test_moving_timers_need_no_more_room():
    """A keep-alive is moved for ever."""
    timers = Timers()
    for instant in range(10_000):
        timers.set("a", instant)
        timers.set("b", 3 * instant)
    assert len(timers._heap) < 100
    assert timers.deadline == 9_999


def test_equal_instants_come_in_the_order_set():
    """The same run, the same order."""
    timers = Timers()
    for key in "cab":
        timers.set(key, 5)
    assert timers.due(5) == ["c", "a", "b"]
    assert timers.due(5) == []
