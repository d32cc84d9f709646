"""Slots belong to whom they were given, until they come back."""

import numpy as np

from tidings.matching.slots import Slots
from tidings.vocabulary.streams import Streams


def test_slots_are_handed_out_in_order_and_used_again():
    """What came back goes out first."""
    slots = Slots(8)
    slots.assign([7, 8, 9], slots.take(3))
    assert slots.release([8]).tolist() == [1]
    assert (slots.room, slots.take(3).tolist()) == (6, [1, 3, 4])


def test_a_key_may_have_several_slots_or_none():
    """All of them come back together."""
    slots = Slots(8)
    slots.assign([7, 8, 7, 7], slots.take(4))
    assert slots.release([8, 9]).tolist() == [1]
    assert slots.release([7]).tolist() == [0, 2, 3]
    assert slots.release([7]).tolist() == []


def test_room_doubles():
    """Nobody moves."""
    slots = Slots(2)
    slots.assign([5, 6], slots.take(2))
    assert slots.room == 0
    slots.double()
    assert (slots.room, slots.capacity, slots.key_of.tolist()) == (2, 4, [5, 6, -1, -1])


def test_no_slot_has_two_owners():
    """A random walk beside a dictionary."""
    random = Streams(1)("slots")
    slots, owners = Slots(512), {}
    for step in range(300):
        count = int(random.integers(0, 12))
        if slots.room >= count:
            keys = [step * 100 + int(random.integers(5)) for _ in range(count)]
            taken = slots.take(count)
            assert not set(taken.tolist()) & set(owners)
            slots.assign(keys, taken)
            owners.update(zip(taken.tolist(), keys, strict=True))
        gone = {key for key in owners.values() if random.random() < 0.3}
        back = slots.release(sorted(gone)).tolist()
        assert sorted(back) == sorted(slot for slot, key in owners.items() if key in gone)
        owners = {slot: key for slot, key in owners.items() if key not in gone}
        assert all(slots.key_of[slot] == key for slot, key in owners.items())
        assert slots.room == 512 - len(owners)
    assert slots.take(0).dtype == np.int64
