"""What comes a new way waits until the old one is empty, whichever is quicker."""

from hypothesis import given
from hypothesis import strategies as st

from tidings.ordering.detours import Detours
from tidings.ordering.group_messages import Ceased, Entered


def items(count):
    """Some that can be told apart."""
    return [Ceased(f"g{number}") for number in range(count)]


def test_most_items_pass_at_once():
    """From nodes that never changed their parent."""
    detours, (first, second) = Detours(), items(2)
    assert detours.pass_on("a", first) == [first]
    assert detours.pass_on("b", second) == [second]


def test_the_new_way_is_quicker():
    """All that came over it is kept, in order, `Entered` first; afterwards nothing is."""
    detours, (first, second, third) = Detours(), items(3)
    assert detours.pass_on("a", Entered(())) == []
    assert detours.pass_on("a", first) == []
    assert detours.pass_on("b", second) == [second]
    assert detours.emptied("a") == [Entered(()), first]
    assert detours.pass_on("a", third) == [third]


def test_the_old_way_is_quicker():
    """Nothing is kept; a later change of the same node waits again."""
    detours, (first,) = Detours(), items(1)
    assert detours.emptied("a") == []
    assert detours.pass_on("a", Entered(())) == [Entered(())]
    assert detours.pass_on("a", first) == [first]
    assert detours.pass_on("a", Entered(())) == []


@given(st.lists(st.booleans(), max_size=8), st.integers(0, 8), st.integers(0, 3))
def test_order_is_that_of_the_two_ways_one_after_the_other(other, after, more):
    """Against the definition: all of the old way, then all of the new, with items of another node anywhere."""
    detours, taken, sent = Detours(), [], [Entered(()), *items(more)]
    steps = [("a", item) for item in sent]
    for place, here in enumerate(other):
        if here:
            steps.insert(min(place, len(steps)), ("b", Ceased("other")))
    for number, (child, item) in enumerate(steps):
        if number == after:
            taken += detours.emptied("a")
        taken += [(child, one) for one in detours.pass_on(child, item)] if child == "b" else detours.pass_on("a", item)
    if after >= len(steps):
        assert not [one for one in taken if not isinstance(one, tuple)]
        taken += detours.emptied("a")
    assert [one for one in taken if not isinstance(one, tuple)] == sent
