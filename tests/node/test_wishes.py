"""What the clients of one broker want: a dictionary in other words, with numbers for arrays."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tidings.node.wishes import Waiting, Wishes

acts = st.lists(
    st.tuples(st.sampled_from(("add", "remove", "forget")), st.sampled_from("abc"), st.integers(0, 2)),
    min_size=1,
    max_size=60,
)


@given(acts)
def test_wishes_are_a_dictionary_under_keys(acts):
    """The plain twin: texts by client and number; no two wishes share a key, and it leads back to the client."""
    wishes, twin, keys = Wishes(), {}, {}
    for place, (act, client, number) in enumerate(acts):
        wish = (client, number)
        if act == "add" and wish not in twin:
            twin[wish] = f"price > {place}"
            keys[wish] = wishes.add(client, number, twin[wish])
        elif act == "remove" and wish in twin:
            del twin[wish]
            assert wishes.remove(client, number) == keys.pop(wish)
        elif act == "forget":
            wishes.forget(client)
    assert all(wishes.text(client, number) == twin.get((client, number)) for client in "abc" for number in range(3))
    assert len(set(keys.values())) == len(keys)
    assert sorted(wishes.everyone()) == sorted((*wish, text) for wish, text in twin.items())
    found = wishes.clients_of(np.array(sorted(keys.values()), np.int64))
    assert sorted(wishes.clients[number] for number in found) == sorted({client for client, _ in keys})


def test_keys_are_used_again():
    """Whoever changes its mind for ever needs no more room than once; the client keeps its number."""
    wishes = Wishes()
    assert [wishes.add("a", 0, "true"), wishes.add("b", 7, "true"), wishes.add("a", 1, "false")] == [0, 1, 2]
    for _ in range(1_000):
        assert wishes.remove("b", 7) == 1
        assert wishes.add("b", 7, "true") == 1
    assert wishes.clients == ["a", "b"]
    assert wishes.text("b", 7) == "true"
    assert wishes.text("b", 8) is None


def test_numbers_are_used_again_when_their_clients_are_gone():
    """Not while a client has wishes, and not only because it has none at the moment."""
    wishes = Wishes()
    keys = [wishes.add(client, 0, "true") for client in "ab"]
    wishes.remove("a", 0)
    assert wishes.clients_of(np.array([wishes.add("c", 0, "true")])).tolist() == [2]
    wishes.forget("b")
    wishes.forget("nobody")
    assert wishes.clients_of(np.array([keys[1]])).tolist() == [1]
    wishes.forget("a")
    assert wishes.clients_of(np.array([wishes.add("d", 0, "true")])).tolist() == [0]
    assert wishes.clients == ["d", "b", "c"]
    wishes.forget("a")
    assert wishes.clients_of(np.array([wishes.add("a", 0, "true")])).tolist() == [3]


def test_a_client_with_several_wishes_is_named_once():
    """In ascending order; where each has one wish there is nothing to do."""
    wishes = Wishes()
    keys = np.array([wishes.add(client, 0, "true") for client in "cab"])
    assert wishes.clients_of(keys[[0, 2]]).tolist() == [0, 2]
    more = wishes.add("a", 1, "false")
    assert wishes.clients_of(np.array([1, 2, more])).tolist() == [1, 2]
    assert wishes.clients_of(np.array([more])).tolist() == [1]
    many = [wishes.add("b", number, "true") for number in range(1, 200)]
    assert wishes.clients_of(np.array([0, more, *many])).tolist() == [0, 1, 2]


def test_there_is_room_for_many():
    """Growth keeps what was there."""
    wishes = Wishes()
    keys = [wishes.add(f"s{place}", 0, "true") for place in range(100)]
    assert wishes.clients_of(np.array(keys)).tolist() == list(range(100))


def test_nobody_has_been_told_anything_at_first():
    """None is not the same as nobody missing."""
    assert Waiting({"t": None}).said is None
